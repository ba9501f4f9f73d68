import { hasScan } from '../../search/matching/has-scan';
import { chooseAccessPath, needsCounts } from '../../search/access-paths/choose';
import { isNested } from '../../search/access-paths/indexed-access';
import type { Order } from '../../search/sort/order';
import type { Criterion, TypeCriteria } from '../../search/predicate';
import { mergeRanges, rangesOfOneValue, splitRange } from '../../search/values/split-range';
import type { SearchServices, Services } from '../../ports';
import { findPopulatedTypes } from '../../storage/read/populated-types';
import { runKeys } from '../../storage/search/search-run';
import { keyOfText } from '../../storage/read/version-row';
import { markContained } from '../page/mark-contained';
import { resolveChains, type ChainSpace } from './resolve-chains';
import { resolveScans } from './resolve-scans';
import type { Plan } from './plan';

/** A page and the one match that shows whether there is a next page. */
const USUAL_LIMIT = 51;

/** A search of one type whose access path is chosen. */
export interface PlanRequest {
  readonly type: number;
  readonly query: { readonly criteria: readonly Criterion[] };
  readonly order: Order;
  readonly sortDateParameter: number | undefined;
  readonly limit?: number;
}

/**
 * Chooses how the matches are found in this order; `limit`: number of wanted matches, Infinity for all. Cost: nothing
 * for one criterion of one index; else a statement for each criterion without a recent count, one for chains, and the
 * cost of `resolveScans`. Throws the errors of `resolveScans` and `resolveChains`.
 */
export async function planSearch(
  services: SearchServices,
  space: number,
  { type, query, order, sortDateParameter, limit = USUAL_LIMIT }: PlanRequest,
): Promise<Plan> {
  const marked = await markContained(services, space, query.criteria);
  const merged = { type, sortDateParameter, criteria: mergeRanges(marked) };
  const scanned = await resolveScans(services, space, merged);
  const resolved = await resolveChains(scanned, 'always', chainsOf(services, space));
  const plan = await planResolved(services, space, {
    search: { ...merged, criteria: resolved },
    order,
    limit,
  });
  return resolved === scanned ? plan : { ...plan, hasSets: true };
}

/** Criteria on contained resources; chains with many links are replaced by the sets of their targets. */
export async function resolveContainedChains(
  services: Pick<Services, 'database' | 'estimator' | 'explanation' | 'scope'>,
  space: number,
  criteria: readonly Criterion[],
): Promise<readonly Criterion[]> {
  return resolveChains(criteria, 'once', chainsOf(services, space));
}

function chainsOf(
  services: Pick<Services, 'database' | 'estimator' | 'explanation' | 'scope'>,
  space: number,
): ChainSpace {
  const { database } = services;
  return {
    populated: (types) => findPopulatedTypes(database, space, types),
    find: async (of, limit) => {
      const plan = await planResolved(services, space, {
        search: of,
        order: { by: 'key', descending: true },
        limit: Infinity,
      });
      const heads = await runKeys(database, { ...plan, phase: 'all', after: undefined, limit });
      return heads.map(({ keyText }) => keyOfText(keyText));
    },
  };
}

async function planResolved(
  services: Pick<Services, 'estimator' | 'explanation' | 'scope'>,
  space: number,
  { search, order, limit }: { readonly search: TypeCriteria; readonly order: Order; readonly limit: number },
): Promise<Plan> {
  const { estimator } = services;
  const { type, sortDateParameter } = search;
  const planned = await estimator.plan(space, search);
  const criteria = order.by === 'low' ? planned.map(inParts) : planned;
  const of = { type, sortDateParameter, criteria };
  const isCounted = needsCounts(criteria, order);
  const [counts, total] = isCounted
    ? await Promise.all([
        estimator.countEach(space, of, order.by === 'sort_date'),
        estimator.total(space, type),
      ])
    : [[], 0];
  if (isCounted) await services.scope.afterPlanning();
  const { accessPath, asSets } = chooseAccessPath(
    criteria,
    order,
    { counts, total, limit },
    sortDateParameter,
  );
  const plan = {
    ...of,
    space,
    order,
    accessPath,
    criteria: criteria.map((criterion, index) =>
      asSets[index] === true ? { ...criterion, asSet: true } : criterion,
    ),
  };
  services.explanation?.addPlan(plan, counts);
  return plan;
}

/**
 * Counts the criteria for `planSearch` in advance, while the order is not yet known; the estimator caches the counts.
 * Does nothing for scans and nested criteria. Cost: that of the counts in `planSearch`.
 */
export async function countAhead(
  { estimator }: Pick<Services, 'estimator'>,
  space: number,
  type: number,
  { criteria: given }: { readonly criteria: readonly Criterion[] },
): Promise<void> {
  const isPlain = given.every((criterion) => !hasScan(criterion) && !criterion.anyOf.some(isNested));
  if (given.length === 0 || !isPlain) return;
  const criteria = mergeRanges(given);
  await Promise.all([
    estimator.countEach(space, { type, sortDateParameter: undefined, criteria }),
    estimator.total(space, type),
  ]);
}

/** Splits ranges for a scan in the order of their beginnings, because long ranges lie among the others. */
function inParts(criterion: Criterion): Criterion {
  const ranges = rangesOfOneValue(criterion);
  return ranges === undefined ? criterion : { ...criterion, anyOf: ranges.flatMap(splitRange) };
}
