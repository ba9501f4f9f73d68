import type { SearchServices, Services } from '../../ports';
import type { SearchQuery } from '../../search/requests/parse-search';
import { runCount } from '../../storage/search/search-run';
import type { Plan } from '../plan/plan';
import { phasesOf } from '../page/search-position';
import { planSearch } from '../plan/plan-search';
import { BY_KEY } from '../sort/fetch-heads';
import { countingReason, planningReason, withReason } from '../search-timeout';

/** Maximum count of distinct matches; the statement timeout ends a count earlier. */
export const MAX_TOTAL = 2_000_000_000;

/** The number of matches of a plan. Throws searchTimeout. */
export async function countAll(services: Pick<Services, 'database'>, plan: Plan): Promise<number> {
  let total = 0;
  for (const phase of phasesOf(plan)) {
    const request = { ...plan, phase, after: undefined, limit: MAX_TOTAL };
    total += await withReason(runCount(services.database, request), () => countingReason(plan));
  }
  return total;
}

/**
 * The number of all matches of a search that was planned for a page. A plan that finds the first matches soon may be slow
 * for all, because it scans rows that do not match; then the search is planned again without its order.
 */
export async function countAllOf(services: SearchServices, query: SearchQuery, plan: Plan): Promise<number> {
  const { order, accessPath, space, type, sortDateParameter } = plan;
  const isForSome = order.by === 'value' || accessPath.kind === 'dateScan' || accessPath.kind === 'headScan';
  const isTooManyStatements = services.scope.hasStatementBudget && phasesOf(plan).length > 1;
  if (!isForSome && !isTooManyStatements) return countAll(services, plan);
  const whole = { type, query, order: BY_KEY, sortDateParameter, limit: Infinity };
  return countAll(
    services,
    await withReason(planSearch(services, space, whole), () => planningReason(query.criteria)),
  );
}
