import { countAllOf } from '../aggregates/count-matches';
import { phasesOf } from '../page/search-position';
import type { SearchStrategy } from './strategy';

/** `_summary=count`: the total alone. Cost: one statement for each phase of the order; one with a statement budget. */
export const countOnly: SearchStrategy = ({ query, plan }, { hasStatementBudget }) => {
  if (!query.countOnly || plan === undefined) return undefined;
  return {
    isOneStatement: hasStatementBudget || phasesOf(plan).length === 1,
    page: async (services) => ({
      issues: query.issues,
      used: query.used,
      matches: [],
      included: [],
      total: await countAllOf(services, query, plan),
    }),
  };
};
