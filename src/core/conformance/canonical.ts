/** Conformance resources by their canonical url. */
import type { Space } from '../context';
import { createCache, forEachDatabase } from '../memory/create-cache';
import { parseStoredObject } from '../fhir/json';
import { RELEASES, type Release } from '../fhir/release';
import { compareVersions, satisfiesVersion } from '../fhir/terminology/business-version';
import { toStoredVersion } from '../versions/stored-version';
import type { CanonicalResource } from '../operation-types/environment';
import { storedParameters } from '../search/parameters/parameter';
import type { SearchServices } from '../ports';
import { readBusinessVersion } from '../storage/read/business-version';
import { keyText, type PageRow } from '../storage/read/version-row';

/** Versions of one canonical url that are compared to find the newest. */
const MAX_VERSIONS_OF_URL = 200;
/** Cached business versions, some 100 bytes each. */
const MAX_CACHED = 20_000;

/** Business versions by the key of the stored version. */
const businessVersions = forEachDatabase(() =>
  createCache<string, string>({ name: 'business-versions', scope: 'data', max: MAX_CACHED }),
);

interface Canonical {
  readonly type: string;
  readonly url: string;
  readonly version: string | undefined;
  /** True: only the version itself, as searches compare it (search.html#canonical), and no pattern. */
  readonly isExact?: boolean;
}

/** A stored version whose text may not have been read. */
interface Located {
  readonly space: number;
  readonly row: PageRow;
  readonly key: string;
}

/**
 * Returns the resource of this type and `url`, from the tenant's own space before the base space. Returns the given
 * version, or the newest without one. Unless `isExact`, terminology may be asked for by a pattern (`1.4.x`), and other types by the
 * beginning of a version (`1.4`), which both stand for the newest that fits; undefined when there is none. Cost: one to three statements.
 */
export async function findCanonical(
  services: SearchServices,
  space: Space,
  canonical: Canonical,
): Promise<CanonicalResource | undefined> {
  const located = await locate(services, space, canonical);
  if (located === undefined) return undefined;
  const row = await services.reader.complete(located.space, located.row);
  return { key: located.key, text: toStoredVersion(services, canonical.type, row).text };
}

/** Returns the key of the resource that `findCanonical` returns. Cost: as there, but a long text is not read. */
export async function findCanonicalKey(
  services: SearchServices,
  space: Space,
  canonical: Canonical,
): Promise<string | undefined> {
  return (await locate(services, space, canonical))?.key;
}

/**
 * Returns the business versions of the resources of this type and `url` in the space that `findCanonical` reads, the oldest first.
 * Those without one are left out. Cost: as there.
 */
export async function listCanonicalVersions(
  services: SearchServices,
  { number, release }: Space,
  { type, url }: Pick<Canonical, 'type' | 'url'>,
): Promise<readonly string[]> {
  for (const space of [number, RELEASES[release].baseSpace]) {
    const rows = await rowsOfUrl(services, release, space, { type, url });
    if (rows.length === 0) continue;
    const versions = new Set<string>();
    for (const located of rows) versions.add(await versionOf(services, located));
    versions.delete('');
    return [...versions].sort(compareVersions);
  }
  return [];
}

async function locate(
  services: SearchServices,
  { number, release }: Space,
  canonical: Canonical,
): Promise<Located | undefined> {
  const own = await locateInSpace(services, release, number, canonical);
  return own ?? locateInSpace(services, release, RELEASES[release].baseSpace, canonical);
}

async function rowsOfUrl(
  services: SearchServices,
  release: Release,
  space: number,
  { type, url }: Pick<Canonical, 'type' | 'url'>,
): Promise<readonly Located[]> {
  const definitions = services.definitions(release);
  const parameter = storedParameters(definitions, type).get('url');
  const typeNumber = definitions.typeNumber(type);
  if (parameter === undefined || typeNumber === undefined) return [];
  const anyOf = parameter.rowsOf.map(({ number }) => ({
    index: 'uri' as const,
    parameter: number,
    value: url,
    version: undefined,
  }));
  const matches = await services.searches.page({
    space,
    type: typeNumber,
    sortDateParameter: undefined,
    criteria: [{ name: 'url', anyOf }],
    order: { by: 'key', descending: true },
    accessPath: { kind: 'fetchAndSort', criterion: 0 },
    phase: 'all',
    after: undefined,
    limit: MAX_VERSIONS_OF_URL,
  });
  return matches.map(({ row }): Located => ({ space, row, key: keyOfRow(space, type, row) }));
}

async function locateInSpace(
  services: SearchServices,
  release: Release,
  space: number,
  canonical: Canonical,
): Promise<Located | undefined> {
  const { type, version, isExact = false } = canonical;
  const rows = await rowsOfUrl(services, release, space, canonical);
  const [only] = rows;
  if (version === undefined && rows.length <= 1) return only;
  const candidates: { readonly located: Located; readonly version: string }[] = [];
  for (const located of rows) candidates.push({ located, version: await versionOf(services, located) });
  const newestOf = (isWanted: (version: string) => boolean): Located | undefined => {
    const [newest] = candidates
      .filter((candidate) => isWanted(candidate.version))
      .sort(
        (a, b) =>
          compareVersions(b.version, a.version) || b.located.row.lastUpdated - a.located.row.lastUpdated,
      );
    return newest?.located;
  };
  if (version === undefined) return newestOf(() => true);
  const exact = newestOf((each) => each === version);
  if (exact !== undefined || isExact) return exact;
  const fits = TERMINOLOGY.has(type) ? satisfiesVersion : isPatchOf;
  return newestOf((each) => fits(each, version));
}

/** Types whose versions are exact or patterns: a code that another edition has may mean something else. */
const TERMINOLOGY: ReadonlySet<string> = new Set(['CodeSystem', 'ValueSet', 'ConceptMap']);

const MAJOR_OR_MINOR = /^\d{1,9}(?:\.\d{1,9})?$/;

/** True for `1.4.2` if `1.4` or `1` is asked for, which stand for their newest patch as in HL7's tools. */
function isPatchOf(version: string, asked: string): boolean {
  return MAJOR_OR_MINOR.test(asked) && version.startsWith(`${asked}.`);
}

function keyOfRow(space: number, type: string, row: PageRow): string {
  return `${space}/${type}/${keyText(row.key)}/${row.version}/${row.lastUpdated}/${row.sequence}`;
}

/** Returns the business version, '' for none. Cost: none if it is cached, or one statement for a long text. */
async function versionOf(services: SearchServices, { space, row, key }: Located): Promise<string> {
  const cache = businessVersions(services);
  let version = cache.get(key);
  if (version === undefined) {
    version =
      row.omittedBytes === undefined
        ? versionIn(row.body)
        : ((await readBusinessVersion(services.database, space, row)) ?? '');
    if (services.scope.isCommitted) cache.set(key, version);
  }
  return version;
}

function versionIn(body: string): string {
  const { version } = parseStoredObject(body);
  return typeof version === 'string' ? version : '';
}
