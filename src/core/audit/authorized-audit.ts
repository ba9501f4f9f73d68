/** Routing of interactions on AuditEvents to the space that these are in. */
import type { Interactions, Run, RunsOf, SingleInteractions } from '../api/interactions';
import { wrapInteractions } from '../authorization/wrap-interactions';
import { readingContext, type AuditEventRouter } from './audit-event-routing';
import { INTERACTION_ROUTES, type RoutesOf } from './interaction-routes';

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
  const { bundle: _byEntry, ...routes } = INTERACTION_ROUTES;
  return routeAll(routes, core, router);
}

function routeAll<Names extends keyof Interactions>(
  routes: RoutesOf<Names>,
  runs: RunsOf<Names>,
  router: AuditEventRouter,
): RunsOf<Names> {
  return wrapInteractions(routes, runs, (name, run) => routed(routes[name], run, router));
}

function routed<Name extends keyof Interactions>(
  route: RoutesOf<Name>[Name],
  run: Run<Name>,
  router: AuditEventRouter,
): Run<Name> {
  return (context, ...of) => route(router, run, context, ...of);
}
