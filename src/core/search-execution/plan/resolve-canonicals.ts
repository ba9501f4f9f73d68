import type { RequestContext } from '../../context';
import { parseStoredObject } from '../../fhir/json';
import type { Predicate } from '../../search/predicate';
import { indexedUri } from '../../search/rows/uri';
import type { SearchServices } from '../../ports';
import { readForServer } from '../../versions/resource-address';

/**
 * The url of the canonical resource with an id, in any version (docs/use/search-reference.md, Reference). A resource of the tenant
 * takes precedence over a base one. None if no resource has the id, or if that resource has no url.
 * Cost: one batched read.
 */
export async function resolveCanonical(
  services: SearchServices,
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
