import type { RequestContext } from '../context';
import { RELEASES } from '../fhir/release';
import { storedParameters } from '../search/parameter';
import { MAX_SORTED } from '../search/order';
import type { Criterion } from '../search/predicate';
import type { Services } from '../services';
import { findKeysOfUris, readUris } from '../storage/conformance';
import type { MatchHead } from '../storage/search-run';
import { keyOfText } from '../storage/version-row';
import { gatherHeads } from './gather-heads';

/** Urls of the tenant that are looked for at once, at the least. */
const FEWEST_URLS = 10;

/**
 * The base conformance resources that match, but for those that one of the tenant's own hides: of the same id or the
 * same url (contract.md, releases and tenants). Cost: two statements; two more for each `searchGather` urls
 * that the tenant has of its own.
 */
export async function findVisibleBase(
  services: Services,
  context: RequestContext,
  typeName: string,
  type: number,
  criteria: readonly Criterion[],
): Promise<{ space: number; heads: MatchHead[] }> {
  const { release, number } = context.space;
  const space = RELEASES[release].baseSpace;
  const heads = await gatherHeads(services, space, type, criteria);
  if (heads.length === 0) return { space, heads };
  const keys = heads.map(({ keyText }) => keyOfText(keyText));
  const hidden = new Set<string>();
  for (const { keyText } of await gatherHeads(services, number, type, [
    { name: '_id', anyOf: [{ index: 'key', keys }] },
  ])) {
    hidden.add(keyText);
  }
  const parameters = (storedParameters(services.definitions(release), typeName).get('url')?.rowsOf ?? []).map(
    (source) => source.number,
  );
  const atOnce = Math.max(services.limits.searchGather, FEWEST_URLS);
  for (let after: string | undefined = ''; after !== undefined && parameters.length > 0;) {
    const urls: string[] = await readUris(services.database, number, parameters, after, atOnce);
    if (urls.length > 0) {
      for (const key of await findKeysOfUris(services.database, space, parameters, urls, MAX_SORTED))
        hidden.add(key);
    }
    after = urls.length < atOnce ? undefined : urls.at(-1);
  }
  return { space, heads: hidden.size === 0 ? heads : heads.filter(({ keyText }) => !hidden.has(keyText)) };
}
