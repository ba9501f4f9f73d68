import type { RequestContext } from '../context';
import { RELEASES, type Release } from '../fhir/release';
import { BUILT_IN_SYSTEMS } from '../fhir/terminology/systems';
import {
  EXPANSION_PARAMETERS_MORE,
  EXPANSION_PARAMETERS_REFUSED,
  VALUE_SET_EXPAND,
} from '../operations/value-set-expand';
import { createCache, forEachDatabase } from '../memory/create-cache';
import type { SearchServices, Services } from '../ports';
import { listCodeSystems, type CodeSystemHead } from '../storage/read/code-systems';
import { createTerminologyStorage } from '../terminology/environment';
import { VERSION, VERSION_DATE } from '../version';

/** Maximum number of cached statements, some 100 kB each. */
const MAX_CACHED = 50;

const cache = forEachDatabase(() =>
  createCache<string, Promise<string>>({ name: 'terminology-capabilities', scope: 'data', max: MAX_CACHED }),
);

/** Values of CodeSystem.content with codes; of the others only the metadata is stored. */
const WITH_CODES: ReadonlySet<string> = new Set(['complete', 'example', 'fragment']);

/**
 * The TerminologyCapabilities of a space (https://hl7.org/fhir/R4/terminologycapabilities.html) as JSON text: the code
 * systems that operations can use, those of the specification and the tenant's own. Cached until one of them changes.
 */
export async function terminologyCapabilities(
  services: SearchServices,
  { space }: RequestContext,
): Promise<string> {
  const version = await createTerminologyStorage(services, space).terminologyVersion();
  const key = `${space.number} ${version}`;
  const statements = cache(services);
  const cached = statements.get(key);
  if (cached !== undefined) return cached;
  const made = make(services, space);
  statements.set(key, made);
  made.catch(() => statements.delete(key));
  return made;
}

async function make(
  services: Pick<Services, 'database' | 'definitions'>,
  { number, release }: RequestContext['space'],
): Promise<string> {
  const type = services.definitions(release).typeNumber('CodeSystem');
  if (type === undefined) throw new Error('the release has no CodeSystem');
  const { database } = services;
  const own = await listCodeSystems(database, number, type);
  const hidden = new Set(own.map(({ key }) => key));
  const base = await listCodeSystems(database, RELEASES[release].baseSpace, type);
  return JSON.stringify(
    statement(services, release, [...own, ...base.filter(({ key }) => !hidden.has(key))]),
  );
}

function statement(
  services: Pick<Services, 'definitions'>,
  release: Release,
  codeSystems: readonly CodeSystemHead[],
): object {
  const { fhirVersion } = RELEASES[release];
  const expand = services.definitions(release).operations.get(VALUE_SET_EXPAND);
  const parameters = (expand?.parameters ?? [])
    .filter(({ name, use }) => use === 'in' && !EXPANSION_PARAMETERS_REFUSED.has(name))
    .map(({ name }) => name);
  return {
    resourceType: 'TerminologyCapabilities',
    url: `https://andiron.example/fhir/TerminologyCapabilities/${release}`,
    version: VERSION,
    name: 'Andiron',
    title: `Terminology of Andiron, FHIR ${fhirVersion}`,
    status: 'active',
    date: VERSION_DATE,
    publisher: 'Andiron',
    kind: 'instance',
    software: { name: 'Andiron', version: VERSION },
    implementation: { description: `Andiron, FHIR ${fhirVersion}` },
    lockedDate: false,
    codeSystem: listByUrl([
      ...codeSystems.filter(({ content }) => WITH_CODES.has(content)),
      ...[...BUILT_IN_SYSTEMS.keys()].map((url) => ({ url, version: undefined })),
    ]),
    expansion: {
      ...{ hierarchical: true, paging: true, incomplete: false },
      parameter: [...parameters, ...EXPANSION_PARAMETERS_MORE].map((name) => ({ name })),
    },
    codeSearch: 'all',
    validateCode: { translations: false },
    closure: { translation: false },
  };
}

/** One entry for each url, with its versions; one without a version has only the url (tcp-7, tcp-8). */
function listByUrl(codeSystems: readonly Pick<CodeSystemHead, 'url' | 'version'>[]): readonly object[] {
  const versions = new Map<string, Set<string>>();
  for (const { url, version } of codeSystems) {
    const ofUrl = versions.get(url) ?? new Set();
    versions.set(url, version === undefined ? ofUrl : ofUrl.add(version));
  }
  return [...versions]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([uri, codes]) => ({
      uri,
      ...(codes.size === 0 ? {} : { version: [...codes].sort().map((code) => ({ code })) }),
    }));
}
