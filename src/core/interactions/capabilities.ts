import { createHash } from 'node:crypto';
import type { Capabilities, OperationInfo } from '../api';
import type { RequestContext } from '../context';
import type { SearchParameterDefinition } from '../fhir/definitions';
import { RELEASES, type Release } from '../fhir/release';
import { operationsOf } from '../operations/invoke';
import { COMPUTED_PARAMETERS } from '../search/criteria';
import { storedParameters } from '../search/parameter';
import { searchTypeOf } from '../search/types';
import type { Services } from '../services';
import { VERSION, VERSION_DATE } from '../version';

/** The interactions of src/core/interactions, by their names in a CapabilityStatement. */
const INTERACTIONS = [
  'read',
  'vread',
  'update',
  'patch',
  'delete',
  'history-instance',
  'create',
  'search-type',
].map((code) => ({ code }));

const known = new Map<Release, Capabilities>();

/**
 * The CapabilityStatement of a release (http.html#capabilities), made from the lists that the server works by: every
 * type, search parameter and operation in it is one that works. Made once; then one lookup.
 */
export function capabilities(services: Services, context: RequestContext): Capabilities {
  const { release } = context.space;
  let made = known.get(release);
  if (made === undefined) {
    const text = JSON.stringify(statement(services, release));
    made = { text, etag: createHash('sha256').update(text).digest('base64url').slice(0, 22) };
    known.set(release, made);
  }
  return made;
}

function statement(services: Services, release: Release): object {
  const definitions = services.definitions(release);
  const offered = operationsOf(definitions);
  const named = ({ code, definition }: OperationInfo): object => ({ name: code, definition });
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date: VERSION_DATE,
    publisher: 'Andiron',
    kind: 'instance',
    software: { name: 'Andiron', version: VERSION },
    implementation: { description: `Andiron, FHIR ${RELEASES[release].fhirVersion}` },
    fhirVersion: RELEASES[release].fhirVersion,
    format: ['application/fhir+json', 'json'],
    patchFormat: ['application/json-patch+json'],
    rest: [
      {
        mode: 'server',
        resource: definitions.resourceTypes.map((type) => {
          const operations = offered
            .filter(({ levels }) => levels.includes('type') || levels.includes('instance'))
            .filter(({ types }) => types.some((ancestor) => definitions.conformsTo(type, ancestor)));
          return {
            type,
            profile: `http://hl7.org/fhir/StructureDefinition/${type}`,
            interaction: INTERACTIONS,
            versioning: 'versioned',
            readHistory: true,
            updateCreate: true,
            conditionalCreate: false,
            conditionalRead: 'full-support',
            conditionalUpdate: false,
            conditionalDelete: 'not-supported',
            ...includesOf(services, release, type),
            searchParam: searchParameters(services, release, type),
            ...(operations.length === 0 ? {} : { operation: operations.map(named) }),
          };
        }),
        operation: offered.filter(({ levels }) => levels.includes('system')).map(named),
      },
    ],
  };
}

/** Parameters that may refer to nearly every type are left out of each type's list: they would double the statement. */
const MOST_TARGETS = 30;

/** Each reference parameter of the type can be included by, and those that may refer to it the other way round. */
function includesOf(services: Services, release: Release, type: string): object {
  const definitions = services.definitions(release);
  const searchInclude = referenceParameters(services, release, type).map(({ code }) => `${type}:${code}`);
  const searchRevInclude = definitions.resourceTypes.flatMap((source) =>
    referenceParameters(services, release, source)
      .filter(({ targets }) => targets.length <= MOST_TARGETS && targets.includes(type))
      .map(({ code }) => `${source}:${code}`),
  );
  return {
    ...(searchInclude.length === 0 ? {} : { searchInclude: ['*', ...searchInclude] }),
    ...(searchRevInclude.length === 0 ? {} : { searchRevInclude }),
  };
}

function referenceParameters(
  services: Services,
  release: Release,
  type: string,
): readonly SearchParameterDefinition[] {
  return [...storedParameters(services.definitions(release), type).values()]
    .filter(({ parameter, storage }) => parameter.kind === 'reference' && storage !== 'none')
    .map(({ parameter }) => parameter);
}

function searchParameters(services: Services, release: Release, type: string): object[] {
  const definitions = services.definitions(release);
  const works = [...storedParameters(definitions, type).values()].filter(
    (stored) => searchTypeOf(stored) !== undefined,
  );
  const computed = COMPUTED_PARAMETERS.flatMap((code) => definitions.searchParameters(type).get(code) ?? []);
  return [...computed, ...works.map(({ parameter }) => parameter)]
    .map(({ code, url, kind }) => ({ name: code, definition: url, type: kind }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
