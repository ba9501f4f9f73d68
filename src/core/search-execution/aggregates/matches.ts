/** The matches of a search, as a part of other statements or one by one. */
import type { AggregateRequest, SearchPage } from '../../api/search';
import { turns } from '../../concurrency/turns';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { parseStoredObject, type JsonObject } from '../../fhir/json';
import { search } from '../search';
import type { SearchServices } from '../../ports';
import { MAX_COUNT } from '../../search/requests/parse-search';
import type { GroupRequest } from '../../storage/search/group-statement';
import { runCount } from '../../storage/search/search-run';
import type { Plan } from '../plan/plan';
import { planSearch } from '../plan/plan-search';
import { prepareSearch } from '../plan/prepare-search';
import { resolveCriteria } from '../plan/resolve-criteria';
import { countingReason, planningReason, withReason } from '../search-timeout';
import { BY_KEY } from '../sort/fetch-heads';

/** Limits that decide between reading matches and reading index rows; tests make them smaller. */
export interface AggregateBounds {
  /** Up to this number, matches are read; beyond it the index rows are. */
  readonly few: number;
  /** Maximum number of matches that are read if their rows do not suffice. */
  readonly read: number;
  /** Maximum number of index rows that are read. */
  readonly rows: number;
}
export const BOUNDS: AggregateBounds = { few: MAX_COUNT, read: 10_000, rows: 1_000_000 };

type Criteria = Omit<AggregateRequest, 'by' | 'numbers'>;

export interface PlannedMatches {
  readonly plan: Plan;
  /** The part of a statement on index rows that the matches decide. */
  readonly ofRows: Pick<GroupRequest, 'space' | 'type' | 'matches'>;
}

/** Undefined if there are no more than `few`, or if the rows of one space do not suffice. Throws notSupported. */
export async function planMatches(
  services: SearchServices,
  context: RequestContext,
  request: Criteria,
  few: number,
): Promise<PlannedMatches | undefined> {
  const { space } = context;
  const { typeNumber, effective } = await prepareSearch(services, context, request);
  if (effective.contained.matches !== 'false')
    throw fhirError('notSupported', { reason: 'Contained resources cannot be counted by their values' });
  if (services.isConformanceType(space.release, request.type)) return undefined;
  const criteria = await withReason(resolveCriteria(services, context, effective.criteria, 'inUse'), () =>
    planningReason(effective.criteria),
  );
  const plan = await withReason(
    planSearch(services, space.number, {
      type: typeNumber,
      query: { criteria },
      order: BY_KEY,
      sortDateParameter: undefined,
      limit: Infinity,
    }),
    () => planningReason(criteria),
  );
  const matches = { ...plan, phase: 'all', after: undefined } as const;
  const enough = { ...matches, limit: few + 1 };
  const count = await withReason(runCount(services.database, enough), () => countingReason(plan));
  if (count <= few) return undefined;
  const isAll = criteria.length === 0;
  return { plan, ofRows: { space: space.number, type: typeNumber, matches: isAll ? undefined : matches } };
}

/** A search whose matches are visited, unless there are more than `most`. */
export interface VisitedSearch {
  readonly request: Criteria;
  readonly most: number;
  /** `lastUpdated`: milliseconds since 1970. */
  visit(resource: JsonObject, lastUpdated: number): void;
}

/** Visits the matches page by page; false: there are too many. */
export async function readMatches(
  services: SearchServices,
  context: RequestContext,
  { request, most, visit }: VisitedSearch,
): Promise<boolean> {
  let read = 0;
  let cursor: string | undefined;
  do {
    const parameters = [...request.parameters, ['_count', String(MAX_COUNT)] as const];
    if (cursor !== undefined) parameters.push(['_cursor', cursor]);
    const page: SearchPage = await search(services, context, { ...request, parameters });
    for (const { text, lastUpdated } of page.matches) {
      await turns.take();
      visit(parseStoredObject(text), lastUpdated);
    }
    read += page.matches.length;
    cursor = page.next;
    if (cursor !== undefined && read >= most) return false;
  } while (cursor !== undefined);
  return true;
}
