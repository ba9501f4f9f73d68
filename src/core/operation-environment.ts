import type { RequestContext } from './context';
import { fhirError } from './errors';
import { loadDefinitions, definitionsDigest } from './fhir/definitions';
import { parseJson, type JsonObject, type JsonValue } from './fhir/json';
import { RELEASES } from './fhir/release';
import { read } from './interactions/read';
import { toStoredVersion } from './interactions/stored-version';
import type { CodeSystemMemory } from './operations/code-system-memory';
import type { CanonicalResource, MetaSummary, OperationEnvironment } from './operations/environment';
import { storedParameters } from './search/parameter';
import type { Services } from './services';
import { lastChangeOf, readLabelled } from './storage/conformance';
import type { VersionRow } from './storage/version-row';

/** Versions of one canonical url that are looked at to find the newest. */
const MAX_VERSIONS_OF_URL = 200;
/** Labelled resources of one type that $meta looks at. */
const MAX_LABELLED = 5_000;

/** What the operations of one request work with: storage, cache and definitions behind one interface. */
export function createOperationEnvironment(
  services: Services,
  context: RequestContext,
  codeSystems: CodeSystemMemory,
): OperationEnvironment {
  const { space } = context;
  const definitions = services.definitions(space.release);
  return {
    context,
    definitions,
    codeSystems,
    limits: { maxExpansionCodes: services.limits.maxExpansionCodes },
    read: (type, id) => read(services, context, type, id),
    async findCanonical(type, url, version) {
      const own = await findInSpace(services, context, space.number, type, url, version);
      return own ?? findInSpace(services, context, RELEASES[space.release].baseSpace, type, url, version);
    },
    summarizeMeta: (type) => summarizeMeta(services, context, type),
    async terminologyVersion() {
      const types = ['ValueSet', 'CodeSystem'].flatMap((type) => definitions.typeNumber(type) ?? []);
      const last = await lastChangeOf(services.database, space.number, types);
      return `${definitionsDigest(space.release)} ${last}`;
    },
    cache: {
      get: (key) => services.cache.get(space.number, key),
      put: (key, text) => services.cache.put(space.number, key, text),
    },
  };
}

async function findInSpace(
  services: Services,
  context: RequestContext,
  space: number,
  type: string,
  url: string,
  version: string | undefined,
): Promise<CanonicalResource | undefined> {
  const definitions = services.definitions(context.space.release);
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
    drive: { kind: 'gather', criterion: 0 },
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
  const { value } = parseJson(row.body, { maxDepth: Number.MAX_SAFE_INTEGER });
  const version = isObject(value) ? value['version'] : undefined;
  return typeof version === 'string' ? version : '';
}

/** Business versions have no fixed form: numeric parts by number, others as text. */
function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

async function summarizeMeta(
  services: Services,
  context: RequestContext,
  type: string | undefined,
): Promise<MetaSummary> {
  const { space } = context;
  const definitions = loadDefinitions(space.release);
  const profile = new Set<string>();
  const tag = new Map<string, JsonObject>();
  const security = new Map<string, JsonObject>();
  for (const name of type === undefined ? definitions.resourceTypes : [type]) {
    const typeNumber = definitions.typeNumber(name);
    if (typeNumber === undefined) continue;
    const parameters = definitions.searchParameters(name);
    const ordinals = ['_profile', '_tag', '_security'].flatMap((code) => parameters.get(code)?.ordinal ?? []);
    const texts = await readLabelled(services.database, space.number, typeNumber, ordinals, MAX_LABELLED + 1);
    if (texts.length > MAX_LABELLED) {
      throw fhirError('tooCostly', {
        reason: `More than ${MAX_LABELLED} resources of type ${name} carry labels`,
      });
    }
    for (const text of texts) {
      const { value } = parseJson(text, { maxDepth: Number.MAX_SAFE_INTEGER });
      const meta = isObject(value) ? value['meta'] : undefined;
      if (!isObject(meta)) continue;
      for (const url of listOf(meta['profile'])) if (typeof url === 'string') profile.add(url);
      collectCodings(meta['tag'], tag);
      collectCodings(meta['security'], security);
    }
  }
  return { profile: [...profile], tag: [...tag.values()], security: [...security.values()] };
}

function collectCodings(codings: JsonValue | undefined, into: Map<string, JsonObject>): void {
  for (const coding of listOf(codings)) {
    if (!isObject(coding)) continue;
    const name = JSON.stringify([coding['system'] ?? null, coding['code'] ?? null]);
    if (!into.has(name)) into.set(name, coding);
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
