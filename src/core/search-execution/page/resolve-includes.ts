import type { SearchPage } from '../../api/search';
import type { RequestContext } from '../../context';
import type { SearchQuery } from '../../search/requests/parse-search';
import { versionedChainIssues, type SearchCriteria } from '../../search/matching/versioned-chains';
import type { SearchServices } from '../../ports';
import { searchContext } from '../plan/prepare-search';
import { applySummaries } from './apply-summary';
import { collectIncluded, type Included } from './include';
import { includingReason, withReason } from '../search-timeout';

/** Adds the included resources to a page, and reduces all resources to the elements that were asked for. */
export async function completePage(
  services: SearchServices,
  context: RequestContext,
  query: Pick<SearchQuery, 'subset' | 'includes'> & SearchCriteria,
  page: SearchPage,
): Promise<SearchPage> {
  const { subset, includes } = query;
  const followed = versionedChainIssues(searchContext(services, context), query, page.matches);
  if (subset === undefined && includes.length === 0)
    return followed.length === 0 ? page : { ...page, issues: [...page.issues, ...followed] };
  const { versions, issues } =
    includes.length === 0 || page.matches.length === 0
      ? NOTHING_INCLUDED
      : await withReason(collectIncluded(services, context, includes, page.matches), () =>
          includingReason(includes),
        );
  const definitions = services.definitions(context.space.release);
  return {
    ...page,
    matches: await applySummaries(definitions, page.matches, subset),
    included: await applySummaries(definitions, versions, subset),
    issues: [...page.issues, ...followed, ...issues],
  };
}

const NOTHING_INCLUDED: Included = { versions: [], issues: [] };
