import type { RequestContext } from '../../context';
import { RELEASES } from '../../fhir/release';
import { storedParameters } from '../../search/parameters/parameter';
import { MAX_SORTED } from '../../search/sort/order';
import type { Criterion } from '../../search/predicate';
import type { SearchServices } from '../../ports';
import { findKeysOfUris, readUris } from '../../storage/read/conformance';
import type { MatchHead } from '../../storage/search/search-run';
import { keyOfText } from '../../storage/read/version-row';
import { fetchHeads } from '../sort/fetch-heads';

/** Minimum number of the tenant's urls that one statement looks up. */
const FEWEST_URLS = 10;

/**
 * The base conformance resources that match, except those hidden by a resource of the tenant with the same id or url
 * (docs/reference/behaviour.md, Base conformance resources). Cost: two statements; two more for each `searchSortLimit` urls of the
 * tenant.
 */
export async function findVisibleBase(
  services: SearchServices,
  context: RequestContext,
  {
    type,
    typeNumber,
    criteria,
  }: { readonly type: string; readonly typeNumber: number; readonly criteria: readonly Criterion[] },
): Promise<{ space: number; heads: MatchHead[] }> {
  const { release, number } = context.space;
  const space = RELEASES[release].baseSpace;
  const heads = await fetchHeads(services, space, typeNumber, criteria);
  if (heads.length === 0) return { space, heads };
  const keys = heads.map(({ keyText }) => keyOfText(keyText));
  const hidden = new Set<string>();
  for (const { keyText } of await fetchHeads(services, number, typeNumber, [
    { name: '_id', anyOf: [{ index: 'key', keys }] },
  ])) {
    hidden.add(keyText);
  }
  const parameters = (storedParameters(services.definitions(release), type).get('url')?.rowsOf ?? []).map(
    (source) => source.number,
  );
  const atOnce = Math.max(services.limits.searchSortLimit, FEWEST_URLS);
  for (let after: string | undefined = ''; after !== undefined && parameters.length > 0;) {
    const urls: string[] = await readUris(services.database, number, { parameters, after, limit: atOnce });
    if (urls.length > 0) {
      for (const key of await findKeysOfUris(services.database, space, {
        parameters,
        uris: urls,
        limit: MAX_SORTED,
      }))
        hidden.add(key);
    }
    after = urls.length < atOnce ? undefined : urls.at(-1);
  }
  return { space, heads: hidden.size === 0 ? heads : heads.filter(({ keyText }) => !hidden.has(keyText)) };
}
