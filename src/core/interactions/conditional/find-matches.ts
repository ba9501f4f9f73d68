import type { RequestContext } from '../../context';
import type { Order } from '../../search/sort/order';
import type { SearchServices, Services } from '../../ports';
import { runKeys, type MatchHead } from '../../storage/search/search-run';
import { keyOfText } from '../../storage/read/version-row';
import { planSearch } from '../../search-execution/plan/plan-search';
import { resolveCriteria } from '../../search-execution/plan/resolve-criteria';
import { matchingReason, planningReason, withReason } from '../../search-execution/search-timeout';
import { findVisibleBase } from '../../search-execution/page/visible-base';
import type { Condition } from './condition';

/** A match of a condition. */
export interface ConditionMatch {
  readonly id: string;
  /** Decimal form of its 64-bit key. */
  readonly keyText: string;
  /** The version that matches: the current one. */
  readonly version: number;
  /** True: a base conformance resource, which the tenant can only read. */
  readonly isBase: boolean;
}

const BY_KEY: Order = { by: 'key', descending: false };

/**
 * The first `most` matches of a condition, the tenant's own before those of the specification, in the order
 * of their keys. With services that read within a transaction (`withinTransaction`), they are those of the statement's
 * moment: what was committed before it began, and the transaction's own writes.
 * Throws tooCostly, searchTimeout, invalidParameterValue. Cost: as a search of one page without its texts, one
 * statement if the criteria name a value.
 */
export async function findMatches(
  services: SearchServices,
  context: RequestContext,
  { type, typeNumber, criteria }: Condition,
  most: number,
): Promise<readonly ConditionMatch[]> {
  const { number: space, release } = context.space;
  const resolved = await withReason(resolveCriteria(services, context, criteria, 'inUse'), () =>
    planningReason(criteria),
  );
  const sortDate = services.definitions(release).sortDateParameter(type)?.number;
  const plan = await withReason(
    planSearch(services, space, {
      type: typeNumber,
      query: { criteria: resolved },
      order: BY_KEY,
      sortDateParameter: sortDate,
      limit: most,
    }),
    () => planningReason(criteria),
  );
  const own = await withReason(
    runKeys(services.database, { ...plan, phase: 'all', after: undefined, limit: most }),
    () => matchingReason(plan),
  );
  const found = own.map((head) => toMatch(services, head, false));
  if (found.length >= most || !services.isConformanceType(release, type)) return found;
  const base = await findVisibleBase(services, context, { type, typeNumber, criteria: resolved });
  return [...found, ...base.heads.map((head) => toMatch(services, head, true))].slice(0, most);
}

function toMatch(
  services: Pick<Services, 'keys'>,
  { keyText, id, version }: MatchHead,
  isBase: boolean,
): ConditionMatch {
  return { id: id ?? services.keys.idOf(keyOfText(keyText)), keyText, version, isBase };
}
