/** Code systems by the value set of all their codes (CodeSystem.valueSet). */
import type { Space } from '../context';
import { createCache, forEachDatabase } from '../memory/create-cache';
import { definitionsDigest } from '../fhir/definitions';
import { RELEASES } from '../fhir/release';
import type { SearchServices } from '../ports';
import { listCodeSystems } from '../storage/read/code-systems';
import { lastChangeOf } from '../storage/read/conformance';

/** Cached spaces; each has a text or two for every code system that names a value set. */
const MAX_CACHED = 50;

type Systems = ReadonlyMap<string, string>;

/** By space and last change of its code systems. */
const systemsCache = forEachDatabase(() =>
  createCache<string, Promise<Systems>>({ name: 'value-set-systems', scope: 'data', max: MAX_CACHED }),
);

/**
 * Returns the url of the code system that names this value set, of the tenant before that of the release. Cost: one
 * statement, two after a change of a code system. No search parameter leads there, and a value set without a resource
 * is rare.
 */
export async function findSystemOfValueSet(
  services: SearchServices,
  { number, release }: Space,
  url: string,
): Promise<string | undefined> {
  const type = services.definitions(release).typeNumber('CodeSystem');
  if (type === undefined) return undefined;
  const change = await lastChangeOf(services.database, number, [type]);
  const own = await systemsOf(services, `${number} ${change}`, number, type);
  const { baseSpace } = RELEASES[release];
  const base = (): Promise<Systems> =>
    systemsOf(services, `${baseSpace} ${definitionsDigest(release)}`, baseSpace, type);
  return own.get(url) ?? (await base()).get(url);
}

function systemsOf(services: SearchServices, key: string, space: number, type: number): Promise<Systems> {
  const cache = systemsCache(services);
  let found = cache.get(key);
  if (found === undefined) {
    found = readSystems(services, space, type);
    // The view of a transaction is not cached, because its versions may never be committed.
    if (services.scope.isCommitted) cache.set(key, found);
    found.catch(() => cache.delete(key));
  }
  return found;
}

async function readSystems(services: SearchServices, space: number, type: number): Promise<Systems> {
  const heads = await listCodeSystems(services.database, space, type);
  return new Map(heads.flatMap(({ url, valueSet }) => (valueSet === undefined ? [] : [[valueSet, url]])));
}
