/**
 * Resources that a request hands along (`tx-resource` of HL7's terminology ecosystem, https://jira.hl7.org/browse/FHIR-33944): value
 * sets, code systems and concept maps that go before the stored ones, for this request alone.
 */
import { turns } from '../concurrency/turns';
import { fhirError } from '../errors';
import { isJsonObject, type JsonObject } from '../fhir/json';
import { compareVersions, satisfiesVersion } from '../fhir/terminology/business-version';
import { type CodeSystem, hasConcepts } from '../fhir/terminology/code-system';
import { valueSetOfSystem } from '../fhir/terminology/implicit';
import { objectsMember, stringMember } from '../fhir/terminology/members';
import { readCodeSystem } from '../fhir/terminology/read-code-system';
import { type TerminologySource } from '../fhir/terminology/source';
import { type OperationEnvironment } from '../operation-types/environment';
import { type InputParameters, type InputValue } from '../operation-types/parameters';
import { terminologyOf } from '../terminology/terminology-source';

export const TX_RESOURCE = 'tx-resource';

/** A value set of a guide that is under way refers to some dozen others. */
const MAX_RESOURCES = 500;

const TYPES: ReadonlySet<string> = new Set(['ValueSet', 'CodeSystem', 'ConceptMap']);

/**
 * Returns the environment with the resources that the request hands along. Throws `operationInputInvalid` for one of another type
 * or without a url, and `tooCostly`. Cost: nothing without resources; a code system is read when it is used.
 */
export function withRequestResources(
  environment: OperationEnvironment,
  parameters: InputParameters,
): OperationEnvironment {
  const values = parameters.values.filter(({ name }) => name === TX_RESOURCE);
  if (values.length === 0) return environment;
  if (values.length > MAX_RESOURCES) {
    const reason = `There are ${values.length} resources in ${TX_RESOURCE}; at most ${MAX_RESOURCES} may be handed along`;
    throw fhirError('tooCostly', { reason }, values[MAX_RESOURCES]?.expression);
  }
  const given = new RequestResources(values.map(toResource));
  const { requestMaps } = environment;
  return {
    ...environment,
    terminology: layer(given, terminologyOf(environment)),
    requestMaps: {
      find: (url, version) => given.find('ConceptMap', url, version) ?? requestMaps?.find(url, version),
      between: (system, isTarget) => [
        ...given.mapsBetween(system, isTarget),
        ...(requestMaps?.between(system, isTarget) ?? []),
      ],
    },
  };
}

function toResource({ value, expression }: InputValue): JsonObject {
  const resource = isJsonObject(value) ? value : {};
  const type = stringMember(resource, 'resourceType');
  if (type === undefined || !TYPES.has(type)) {
    const reason = `A resource in ${TX_RESOURCE} must be a ${[...TYPES].join(', ')}`;
    throw fhirError('operationInputInvalid', { reason }, expression);
  }
  if (stringMember(resource, 'url') === undefined) {
    const reason = `The ${type} in ${TX_RESOURCE} needs a url, by which it is found`;
    throw fhirError('operationInputInvalid', { reason }, expression);
  }
  return resource;
}

class RequestResources {
  constructor(private readonly resources: readonly JsonObject[]) {}

  /** Returns the version that is asked for, or fits the pattern that is; without one the newest. */
  find(type: string, url: string, version: string | undefined): JsonObject | undefined {
    return this.ofType(type)
      .filter((resource) => stringMember(resource, 'url') === url)
      .filter((resource) => version === undefined || satisfiesVersion(versionOf(resource), version))
      .toSorted((one, other) => compareVersions(versionOf(other) ?? '', versionOf(one) ?? ''))[0];
  }

  /** Returns the versions of a code system. */
  versionsOf(url: string): readonly string[] {
    const systems = this.ofType('CodeSystem').filter((resource) => stringMember(resource, 'url') === url);
    return systems.flatMap((resource) => versionOf(resource) ?? []);
  }

  /** Returns the code system that names this value set as that of all its codes. */
  systemOfValueSet(url: string): string | undefined {
    const system = this.ofType('CodeSystem').find((each) => stringMember(each, 'valueSet') === url);
    return system && stringMember(system, 'url');
  }

  mapsBetween(system: string, isTarget: boolean): readonly JsonObject[] {
    const side = isTarget ? 'target' : 'source';
    return this.ofType('ConceptMap').filter((map) =>
      objectsMember(map, 'group').some((group) => stringMember(group, side) === system),
    );
  }

  private ofType(type: string): readonly JsonObject[] {
    return this.resources.filter((resource) => resource['resourceType'] === type);
  }
}

function versionOf(resource: JsonObject): string | undefined {
  return stringMember(resource, 'version');
}

function layer(given: RequestResources, stored: TerminologySource): TerminologySource {
  const read = new Map<JsonObject, CodeSystem>();
  const readOnce = async (resource: JsonObject): Promise<CodeSystem> => {
    await turns.take();
    let codeSystem = read.get(resource);
    if (codeSystem === undefined) read.set(resource, (codeSystem = readCodeSystem(resource)));
    return codeSystem;
  };
  return {
    ...(stored.concepts === undefined ? {} : { concepts: stored.concepts }),
    async findCodeSystem(url, version) {
      const resource = given.find('CodeSystem', url, version);
      const own = resource && (await readOnce(resource));
      if (own !== undefined && hasConcepts(own)) return own;
      // One without its concepts hides none that has them.
      const other = await stored.findCodeSystem(url, version);
      return other !== undefined && hasConcepts(other) ? other : (own ?? other);
    },
    async listVersions(url) {
      return [...new Set([...(await stored.listVersions(url)), ...given.versionsOf(url)])];
    },
    async findValueSet(url, version) {
      const own = given.find('ValueSet', url, version);
      if (own !== undefined) return own;
      const system = given.systemOfValueSet(url);
      if (system !== undefined && given.find('CodeSystem', system, version) !== undefined)
        return valueSetOfSystem(url, { system, version });
      return stored.findValueSet(url, version);
    },
  };
}
