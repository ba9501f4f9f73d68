/**
 * POST {root}/{type}/{id}/$purge: removes a resource with all its versions permanently. For a Patient, it also
 * removes the compartment, unless `compartment` is false. For administrators.
 *
 * Result: Parameters with the proof (docs/run/tenants.md, "Erasure").
 */
import { fhirError } from '../errors';
import { type JsonObject } from '../fhir/json';
import { type PurgeReport } from '../operation-types/environment';
import { type ReadOperation } from '../operation-types/operation';
import { purgeDefinition } from '../operation-types/own-definitions';
import { PATIENT } from '../fhir/type-names';

export const resourcePurge: ReadOperation = {
  definition: purgeDefinition.url,
  own: purgeDefinition,
  async run(environment, { type, id, parameters }) {
    if (type === undefined || id === undefined) throw fhirError('operationWrongLevel');
    const isCompartment = parameters.flag('compartment') ?? type === PATIENT;
    return { parameters: toParameters(await environment.purge({ type, id, isCompartment })) };
  },
};

function toParameters(report: PurgeReport): readonly JsonObject[] {
  const { isComplete, types, tables, remaining, remainingCount, processes, silentProcesses, cachedTexts } =
    report;
  return [
    { name: 'complete', valueBoolean: isComplete },
    count(
      'resources',
      types.reduce((sum, [, resources]) => sum + resources, 0),
    ),
    ...types.map(([type, resources]) =>
      group('purged', [{ name: 'type', valueCode: type }, count('resources', resources)]),
    ),
    ...tables.map(({ table, removed, left, mentions }) =>
      group('table', [
        { name: 'name', valueString: table },
        count('removed', removed),
        count('left', left),
        count('mentions', mentions),
      ]),
    ),
    count('processes', processes),
    count('silentProcesses', silentProcesses),
    ...(cachedTexts === undefined ? [] : [count('cachedTexts', cachedTexts)]),
    count('kept', remainingCount),
    ...remaining.map(({ type, id, reason }) =>
      group('keptResource', [
        { name: 'reference', valueUri: `${type}/${id}` },
        { name: 'reason', valueCode: reason },
      ]),
    ),
  ];
}

function count(name: string, valueUnsignedInt: number): JsonObject {
  return { name, valueUnsignedInt };
}

function group(name: string, part: JsonObject[]): JsonObject {
  return { name, part };
}
