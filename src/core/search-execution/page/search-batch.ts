import type { SearchPage } from '../../api/search';
import type { SearchRequest } from '../../search/requests/search-request';
import type { RequestContext } from '../../context';
import type { SearchServices } from '../../ports';
import { merged } from '../read-scope';
import { searchAny } from '../system-search';

/** One of several searches that differ only in their values. */
export type BatchedSearch = SearchRequest & { readonly type: string };

/**
 * Several searches of one type each, such as the referrers of each resource of a list, in one snapshot. Equal steps
 * share a statement, so that all together take as many statements as one; more for hundreds of searches
 * (lateral-join.ts). An error in one search is the result of that search only.
 */
export async function searchBatch(
  services: SearchServices,
  context: RequestContext,
  requests: readonly BatchedSearch[],
): Promise<readonly (SearchPage | Error)[]> {
  return services.scope.inSnapshot(services, context, (reading) => {
    const together = merged(reading);
    return Promise.all(
      requests.map((request) =>
        searchAny(together, context, request).catch((thrown: unknown) =>
          thrown instanceof Error ? thrown : new Error(String(thrown)),
        ),
      ),
    );
  });
}
