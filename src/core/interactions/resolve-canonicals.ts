import type { RequestContext } from '../context';
import { parseStoredObject } from '../fhir/json';
import type { Predicate } from '../search/predicate';
import { indexedUri } from '../search/rows/uri';
import type { Services } from '../services';
import { readForServer } from './resource-address';

/**
 * What the id of a canonical resource stands for: its url, under any version (search-rules.md, Canonical references).
 * Own resources stand before base ones. None where nothing has the id, or what has it has no url.
 * Cost: one gathered read.
 */
export async function resolveCanonical(
  services: Services,
  context: RequestContext,
  { parameter, types, id }: Extract<Predicate, { index: 'canonical' }>,
): Promise<Predicate[]> {
  const found = await Promise.all(types.map((type) => readForServer(services, context, type, id)));
  const urls = found.flatMap((row) => {
    const url = row === undefined ? undefined : parseStoredObject(row.body)['url'];
    return typeof url === 'string' ? [url] : [];
  });
  return [...new Set(urls)].map((url) => ({
    index: 'uri',
    parameter,
    value: indexedUri(services.hasher, url),
    version: undefined,
  }));
}
