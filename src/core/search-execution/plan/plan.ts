import type { SearchStatementRequest } from '../../storage/search/search-order';

/** A search without its page. */
export interface Plan extends Omit<SearchStatementRequest, 'phase' | 'after' | 'limit'> {
  /** True: separate statements resolved some of its criteria to sets of keys. */
  readonly hasSets?: boolean;
}
