import type { SearchPage, SearchRequest } from '../api';
import type { RequestContext } from '../context';
import type { Services } from '../services';
import { readAtOnce, readMerged } from './reading';
import { searchAny } from './search-types';

/** One of several searches that ask the same with different values. */
export type EachSearch = SearchRequest & { readonly type: string };

/**
 * Several searches of one type each, such as what refers to each resource of a list, in one snapshot. What they do alike
 * goes together: as many statements as one of them takes, and not as many as there are searches, but for hundreds of them
 * (merged-statements.ts). One that fails in what it asks fails for itself.
 */
export async function searchEach(
  services: Services,
  context: RequestContext,
  requests: readonly EachSearch[],
): Promise<readonly (SearchPage | Error)[]> {
  return readAtOnce(services, context, (reading) => {
    const merged = readMerged(reading);
    return Promise.all(
      requests.map((request) =>
        searchAny(merged, context, request).catch((thrown: unknown) =>
          thrown instanceof Error ? thrown : new Error(String(thrown)),
        ),
      ),
    );
  });
}
