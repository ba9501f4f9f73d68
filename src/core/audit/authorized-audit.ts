/** Routing of interactions on AuditEvents to the space that these are in. */
import type { Interactions } from '../api/interactions';
import { wrapInteractions } from '../interactions/table';
import { readingContext, type AuditEventRouter } from './audit-event-routing';

export interface AuditRoutingOptions extends Pick<AuditEventRouter, 'catchUp'> {
  /** Whether in open mode everybody may read AuditEvents. */
  readonly isOpen: boolean;
}

/**
 * The same interactions; those on AuditEvents go to the space of these, for auditors alone. An AuditEvent is created once,
 * and never changed. Cost for all other types: a comparison.
 */
export function routeAuditEvents(core: Interactions, { isOpen, catchUp }: AuditRoutingOptions): Interactions {
  const router: AuditEventRouter = { toRead: readingContext(isOpen), catchUp, core };
  return wrapInteractions(
    core,
    ({ route }, run) =>
      (context, ...of) =>
        route(router, run, context, ...of),
  );
}
