/** What the code systems of a space are, without their codes. */
import { createCache, forEachDatabase } from '../memory/create-cache';
import { definitionsDigest } from '../fhir/definitions';
import { RELEASES } from '../fhir/release';
import { parseCanonical, type Canonical } from '../fhir/terminology/source';
import type { Space } from '../context';
import type { SearchServices } from '../ports';
import { listCodeSystems, MAX_CODE_SYSTEMS } from '../storage/read/code-systems';
import { lastChangeOf } from '../storage/read/conformance';

/** Cached spaces; each has a text or two for every code system. */
const MAX_CACHED = 50;

export interface CodeSystemList {
  /** False: there are too many to list. */
  readonly isWhole: boolean;
  readonly urls: ReadonlySet<string>;
  /** The code systems that name a value set as that of all their codes, by it. */
  readonly byValueSet: ReadonlyMap<string, string>;
  /** The supplements in force, by the url of the code system that they are for. */
  readonly supplements: ReadonlyMap<string, readonly Canonical[]>;
}

/** By space and last change of its code systems. */
const listCache = forEachDatabase(() =>
  createCache<string, Promise<CodeSystemList>>({ name: 'code-system-lists', scope: 'data', max: MAX_CACHED }),
);

/** Returns the code systems of the tenant. Cost: one statement, two after a change of a code system. */
export async function ownCodeSystems(
  services: SearchServices,
  { number, release }: Space,
): Promise<CodeSystemList | undefined> {
  const type = services.definitions(release).typeNumber('CodeSystem');
  if (type === undefined) return undefined;
  const change = await lastChangeOf(services.database, number, [type]);
  return cachedList(services, `${number} ${change}`, number, type);
}

/** Returns the code systems of the release. Cost: one statement in the life of a process. */
export async function baseCodeSystems(
  services: SearchServices,
  { release }: Pick<Space, 'release'>,
): Promise<CodeSystemList | undefined> {
  const type = services.definitions(release).typeNumber('CodeSystem');
  if (type === undefined) return undefined;
  const { baseSpace } = RELEASES[release];
  return cachedList(services, `${baseSpace} ${definitionsDigest(release)}`, baseSpace, type);
}

function cachedList(
  services: SearchServices,
  key: string,
  space: number,
  type: number,
): Promise<CodeSystemList> {
  const cache = listCache(services);
  let found = cache.get(key);
  if (found === undefined) {
    found = readList(services, space, type);
    // The view of a transaction is not cached, because its versions may never be committed.
    if (services.scope.isCommitted) cache.set(key, found);
    found.catch(() => cache.delete(key));
  }
  return found;
}

async function readList(services: SearchServices, space: number, type: number): Promise<CodeSystemList> {
  const heads = await listCodeSystems(services.database, space, type);
  const byValueSet = new Map<string, string>();
  const supplements = new Map<string, Canonical[]>();
  for (const { url, version, valueSet, supplements: canonical, status } of heads) {
    if (valueSet !== undefined) byValueSet.set(valueSet, url);
    if (canonical === undefined || status === 'retired') continue;
    const supplemented = parseCanonical(canonical).url;
    const others = supplements.get(supplemented) ?? [];
    supplements.set(supplemented, [...others, { url, version }]);
  }
  const isWhole = heads.length < MAX_CODE_SYSTEMS;
  return { isWhole, urls: new Set(heads.map(({ url }) => url)), byValueSet, supplements };
}
