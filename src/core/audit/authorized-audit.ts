/** Routing of interactions on AuditEvents to the space that these are in. */
import type { SingleInteractions } from '../api/interactions';
import { wrapSingle } from '../interactions/table';
import { readingContext, type AuditEventRouter } from './audit-event-routing';

export interface AuditRoutingOptions extends Pick<AuditEventRouter, 'catchUp'> {
  /** True if in open mode everybody may read AuditEvents. */
  readonly isOpen: boolean;
}

/**
 * The same interactions; those on AuditEvents go to the space of these, for auditors alone. An AuditEvent is created once,
 * and never changed. Cost for all other types: a comparison.
 */
export function routeAuditEvents(
  core: SingleInteractions,
  { isOpen, catchUp }: AuditRoutingOptions,
): SingleInteractions {
  const router: AuditEventRouter = { toRead: readingContext(isOpen), catchUp, core };
  return wrapSingle(
    core,
    ({ route }, run) =>
      (context, ...of) =>
        route(router, run, context, ...of),
  );
}
