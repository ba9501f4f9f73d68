/** The spaces of the AuditEvents that each interaction may read or write. */
import type { ArgumentsOf, Interactions, ResultOf } from '../api/interactions';
import {
  changesType,
  counts,
  creates,
  follows,
  readsType,
  routesParts,
  searches,
  searchesSeveral,
  updates,
  type RoutedRun,
} from './audit-event-routing';

const typeOf = ([type]: readonly [string, ...unknown[]]): string => type;
const typeIn = ([{ type }]: readonly [{ readonly type: string }]): string => type;

/** The spaces of the AuditEvents of some of the interactions. */
export type RoutesOf<Names extends keyof Interactions> = {
  readonly [Name in Names]: RoutedRun<ArgumentsOf<Name>, ResultOf<Name>>;
};

export const INTERACTION_ROUTES: RoutesOf<keyof Interactions> = {
  read: readsType(typeOf),
  find: readsType(typeOf),
  vread: readsType(typeOf),
  readAsOf: readsType(typeOf),
  difference: readsType(typeIn),
  create: creates,
  update: updates,
  patch: changesType(typeIn),
  delete: changesType(typeOf),
  // Its answer says that there is one.
  createIfNoneExist: readsType(typeOf),
  updateWhere: changesType(typeIn),
  patchWhere: changesType(typeIn),
  deleteWhere: changesType(typeOf),
  bundle: routesParts(),
  history: readsType(([{ type }]) => type),
  search: searches,
  searchBatch: searchesSeveral,
  aggregate: counts,
  follow: follows,
  invoke: routesParts(),
  subscriptionStatus: routesParts(),
  subscriptionEvents: routesParts(),
};
