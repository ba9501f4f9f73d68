/** Search strategies: how the page of a search of one type is found. */
import type { SearchPage } from '../../api/search';
import type { RequestContext } from '../../context';
import type { SearchQuery } from '../../search/requests/parse-search';
import type { ReadScope, SearchServices } from '../../ports';
import type { Plan } from '../plan/plan';

/** A search of one type and its plan. */
export interface PlannedSearch {
  readonly query: SearchQuery;
  readonly typeNumber: number;
  readonly cursorScope: string;
  /** Undefined: the database has no order for the search. */
  readonly plan: Plan | undefined;
}

/** Executes one search by a strategy. */
export interface SearchAnswer {
  /** True: `page` runs one statement. */
  readonly isOneStatement: boolean;
  /** The page without included resources. Throws invalidCursor, searchTimeout. */
  page(services: SearchServices, context: RequestContext): Promise<SearchPage>;
  /** The page by one statement, which usually suffices; undefined if it does not. Costs a statement in vain then. */
  attempt?(services: SearchServices, context: RequestContext): Promise<SearchPage | undefined>;
}

/** Returns how it answers the search; undefined if it cannot. `scope`: the scope in which the page is read. */
export type SearchStrategy = (search: PlannedSearch, scope: ReadScope) => SearchAnswer | undefined;
