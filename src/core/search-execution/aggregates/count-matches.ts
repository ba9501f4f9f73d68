import type { Services } from '../../ports';
import { runCount } from '../../storage/search/search-run';
import type { Plan } from '../plan/plan';
import { phasesOf } from '../page/search-position';
import { countingReason, withReason } from '../search-timeout';

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
