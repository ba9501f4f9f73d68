import type { SearchPage, SearchRequest } from '../../api/search';
import type { RequestContext } from '../../context';
import type { SearchServices } from '../../ports';
import { inSnapshot, merged } from '../read-scope';
import { searchAny } from '../system-search';

/** One of several searches that ask the same with different values. */
export type EachSearch = SearchRequest & { readonly type: string };

/**
 * Several searches of one type each, such as what refers to each resource of a list, in one snapshot. What they do alike
 * goes together: as many statements as one of them takes, and not as many as there are searches, but for hundreds of them
 * (lateral-batch.ts). One that fails in what it asks fails for itself.
 */
export async function searchBatch(
  services: SearchServices,
  context: RequestContext,
  requests: readonly EachSearch[],
): Promise<readonly (SearchPage | Error)[]> {
  return inSnapshot(services, context, (reading) => {
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
