/** `andiron reindex`: compares the index rows with the stored versions and repairs them. */
import { AdministrationJobError } from '../api/administration-jobs';
import type { IndexDifference, ReindexProgress, ReindexScope } from '../api/index-work';
import type { Space } from '../context';
import { SpaceComparer, type ComparedGroup } from './index-comparison';
import { EXCEEDED } from './exceeded-parameter';
import type { RowRules } from '../search/parameters/row-rules';
import type { SearchServices, Services } from '../ports';
import type { DatabaseOptions } from '../storage/connection/database';
import { MAX_TARGETS, repairResources, type RepairTarget } from '../storage/indexing/index-repair';
import { readSpaces } from '../storage/indexing/index-scan';
import { OwnerSession } from '../storage/connection/owner-session';
import { failParameters } from '../storage/indexing/search-parameter-work';
import {
  addToRecord,
  lockReindex,
  readRecord,
  replaceRecord,
  unlockReindex,
} from '../storage/indexing/row-record';

/** `database`: a connection as the owner role, which bypasses row-level security and so sees all spaces. */
export interface ReindexOptions {
  readonly services: SearchServices & Pick<Services, 'parametersChanged'>;
  readonly database: DatabaseOptions;
  readonly rules: RowRules;
}

/**
 * Yields every difference between the index rows in the database and those that the stored versions give, base spaces
 * and disabled tenants included: missing rows, superfluous rows, rows of deleted or nonexistent resources; and
 * inconsistent heads, versions, sort dates and presence bits.
 * Each space is compared in one snapshot, so that writes may continue. Memory is bounded; cost: one sort of each table
 * of a space in PostgreSQL, and one extraction for each live resource.
 */
export async function* verifyIndex(
  { services, database }: Pick<ReindexOptions, 'services' | 'database'>,
  scope: ReindexScope,
): AsyncGenerator<IndexDifference> {
  for await (const space of readSpaces(services.database, scope)) {
    const session = await OwnerSession.openFor(space.number, database);
    try {
      const comparer = new SpaceComparer(services, session, space, 'compare');
      for await (const { found } of comparer.groups(await comparer.scan())) {
        for (const { differences, losses } of found) yield* [...losses, ...differences];
      }
    } finally {
      await session.close();
    }
  }
}

/**
 * Makes every index row, sort date and presence bit what the current versions give by the indexing rules of this
 * process, and changes nothing else. Writes may continue: each resource is locked during its repair, a few at a time.
 * It can be stopped at any point and started again. At the end of each space it records the rules of the rows, unless
 * versions or heads were lost there. Cost: that of `verifyIndex`, and a transaction for each 64 resources with
 * differences.
 */
export async function* reindex(
  options: ReindexOptions,
  scope: ReindexScope,
): AsyncGenerator<ReindexProgress> {
  for await (const space of readSpaces(options.services.database, scope)) {
    const session = await OwnerSession.openFor(space.number, options.database);
    try {
      if (!(await lockReindex(session, space.number)))
        throw new AdministrationJobError(
          `Another reindex is running on ${space.tenant || 'the base resources'}`,
        );
      yield* reindexSpace(options, session, space);
      await unlockReindex(session, space.number);
    } finally {
      await session.close();
    }
  }
}

async function* reindexSpace(
  { services, rules }: ReindexOptions,
  session: OwnerSession,
  space: Space,
): AsyncGenerator<ReindexProgress> {
  const { tenant, release, number } = space;
  const rule = rules[release];
  const before = await readRecord(session, number);
  const comparer = new SpaceComparer(services, session, space, 'repair');
  const scan = await comparer.scan();
  // Base rows are rebuilt when the definitions change, and a space without a resource has no rows.
  const isRecorded = tenant !== '' && scan.resources > 0;
  if (isRecorded) await addToRecord(session, number, rule);
  let progress = {
    tenant,
    release,
    space: number,
    resources: scan.resources,
    compared: 0,
    repaired: 0,
    added: 0,
    removed: 0,
  };
  let isWhole = true;
  for await (const group of comparer.groups(scan)) {
    const counts = await repairGroup(session, comparer, number, group);
    const losses = group.found.flatMap((found) => found.losses);
    if (losses.length > 0) isWhole = false;
    progress = {
      ...progress,
      compared: progress.compared + group.resources,
      repaired: progress.repaired + counts.repaired,
      added: progress.added + counts.added,
      removed: progress.removed + counts.removed,
    };
    yield { ...progress, losses };
  }
  if (comparer.exceeded.size > 0) {
    await failParameters(session, { space: number, numbers: [...comparer.exceeded] }, EXCEEDED);
    services.parametersChanged(tenant);
  }
  if (isRecorded && isWhole) await replaceRecord(session, number, before, rule);
}

async function repairGroup(
  session: OwnerSession,
  comparer: SpaceComparer,
  space: number,
  { found }: ComparedGroup,
): Promise<{ repaired: number; added: number; removed: number }> {
  const targets = found.flatMap(({ differences, target }) =>
    differences.length > 0 && target !== undefined ? [target] : [],
  );
  let [added, removed] = [0, 0];
  const repair = async (some: readonly RepairTarget[]): Promise<readonly RepairTarget[]> => {
    const counts = await repairResources(session, space, some, (target, version) =>
      comparer.recompute(comparer.typeNameOf(target.type), version),
    );
    added += counts.added;
    removed += counts.removed;
    return counts.left;
  };
  for (let start = 0; start < targets.length; start += MAX_TARGETS) {
    for (const target of await repair(targets.slice(start, start + MAX_TARGETS))) {
      // A single target waits for its lock; it is left over again only if its resource was created meanwhile.
      for (let left: readonly RepairTarget[] = [target]; left.length > 0;) left = await repair(left);
    }
  }
  return { repaired: targets.length, added, removed };
}
