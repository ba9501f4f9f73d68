/** What a write does beside storing a version. The verbs run the list, and know none of its entries by name. */
import type { RequestContext } from '../context';
import type { WriteServices } from '../ports';
import type { Run } from '../storage/connection/database';
import { provenance } from './provenance';
import { referentialIntegrity } from './referential-integrity';
import { searchParameters } from './search-parameter-change';
import { subscriptions } from './subscription-change';
import type {
  AspectMembers,
  AspectSteps,
  DeletedResource,
  PlannedVersion,
  TransactionVersion,
  WriteAspect,
  WrittenVersion,
} from './write-aspect';

/** In the order in which they refuse. Search parameters are last: a later write would be indexed by other ones. */
const WRITE_ASPECTS: readonly WriteAspect[] = [
  provenance,
  referentialIntegrity,
  subscriptions,
  searchParameters,
];

/** Returns what the aspects add to a write. Throws their refusals. Cost: nothing for a resource without any of them. */
export async function planAspects(
  services: WriteServices,
  context: RequestContext,
  version: PlannedVersion,
): Promise<Readonly<AspectMembers>> {
  const members: AspectMembers = {
    targets: undefined,
    registration: undefined,
    subscription: undefined,
    companion: undefined,
  };
  for (const aspect of WRITE_ASPECTS) {
    const waiting = aspect.plan(services, context, version, members);
    if (waiting !== undefined) await waiting;
  }
  return members;
}

/** True if the head of a deleted resource is locked first. */
export function mustHoldDeleted(context: RequestContext): boolean {
  return WRITE_ASPECTS.some((aspect) => aspect.holdsDeleted?.(context) === true);
}

/** Throws the refusals of deletions. Runs in the transaction that has locked the heads. */
export async function checkDeleted(
  services: WriteServices,
  context: RequestContext,
  run: Run,
  deleted: readonly DeletedResource[],
): Promise<void> {
  for (const aspect of WRITE_ASPECTS) await aspect.checkDeleted?.(services, context, run, deleted);
}

/** Steps of the aspects, in the order of the list. */
export type TransactionAspects = readonly (AspectSteps | undefined)[];

/** Returns what the aspects do for versions of a transaction. Throws their refusals at the entries. */
export async function planTransactionAspects(
  services: WriteServices,
  context: RequestContext,
  versions: readonly TransactionVersion[],
): Promise<TransactionAspects> {
  const all: (AspectSteps | undefined)[] = [];
  for (const aspect of WRITE_ASPECTS) all.push(await aspect.planTransaction(services, context, versions));
  return all;
}

/** Completes the aspects of all versions of a transaction, aspect by aspect, after its last write. */
export async function completeAspects(run: Run, all: readonly TransactionAspects[]): Promise<void> {
  for (const place of WRITE_ASPECTS.keys()) for (const steps of all) await steps[place]?.complete?.(run);
}

/** Writes what follows from all versions of a transaction. */
export async function followVersions(
  services: WriteServices,
  run: Run,
  context: RequestContext,
  written: readonly WrittenVersion[],
): Promise<void> {
  for (const aspect of WRITE_ASPECTS) await aspect.follow?.(services, run, context, written);
}
