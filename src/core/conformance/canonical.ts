/** Conformance resources by their canonical url. */
import type { Space } from '../context';
import { parseStoredObject } from '../fhir/json';
import { RELEASES, type Release } from '../fhir/release';
import { toStoredVersion } from '../interactions/stored-version';
import type { CanonicalResource } from '../operations/environment';
import { storedParameters } from '../search/parameter';
import type { SearchServices } from '../ports';
import type { VersionRow } from '../storage/read/version-row';

/** Versions of one canonical url that are compared to find the newest. */
const MAX_VERSIONS_OF_URL = 200;

interface Canonical {
  readonly type: string;
  readonly url: string;
  readonly version: string | undefined;
}

/**
 * Returns the resource of this type and `url`, from the tenant's own space before the base space. Returns the given
 * version, or the newest without one; undefined when there is none. Cost: one or two statements.
 */
export async function findCanonical(
  services: SearchServices,
  space: Space,
  canonical: Canonical,
): Promise<CanonicalResource | undefined> {
  const { number, release } = space;
  const own = await findInSpace(services, release, number, canonical);
  return own ?? findInSpace(services, release, RELEASES[release].baseSpace, canonical);
}

async function findInSpace(
  services: SearchServices,
  release: Release,
  space: number,
  { type, url, version }: Canonical,
): Promise<CanonicalResource | undefined> {
  const definitions = services.definitions(release);
  const parameter = storedParameters(definitions, type).get('url');
  const typeNumber = definitions.typeNumber(type);
  if (parameter === undefined || typeNumber === undefined) return undefined;
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
  const rows = await Promise.all(matches.map((match) => services.reader.complete(space, match.row)));
  const candidates = rows
    .map((row) => ({ row, version: versionOf(row) }))
    .filter((candidate) => version === undefined || candidate.version === version)
    .sort((a, b) => compareVersions(b.version, a.version) || b.row.lastUpdated - a.row.lastUpdated);
  const [newest] = candidates;
  if (newest === undefined) return undefined;
  const { row } = newest;
  const stored = toStoredVersion(services, type, row);
  return { key: `${space}/${type}/${stored.id}/${row.version}/${row.lastUpdated}`, text: stored.text };
}

function versionOf(row: VersionRow): string {
  const { version } = parseStoredObject(row.body);
  return typeof version === 'string' ? version : '';
}

/** Business versions have no fixed form: compares numeric parts as numbers, other parts as text. */
function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
