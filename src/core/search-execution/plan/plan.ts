import type { SearchStatementRequest } from '../../storage/search/search-order';

/** All of a search but the page. */
export interface Plan extends Omit<SearchStatementRequest, 'phase' | 'after' | 'limit'> {
  /** True: some of what its criteria name was found by statements of their own. */
  readonly hasSets?: boolean;
}
