/**
 * POST {root}/$reindex and {root}/SearchParameter/{id}/$reindex: rebuilds the index of a tenant's search parameters.
 * GET {root}/$reindex-status and {root}/SearchParameter/{id}/$reindex-status: returns the progress.
 *
 * No input. Result: Parameters with the overall status and that of each search parameter.
 */
import { type JsonObject } from '../fhir/json';
import { type OperationEnvironment, type SearchParameterProgress } from '../operation-types/environment';
import { type ParametersAnswer, type ReadOperation } from '../operation-types/operation';
import { reindexDefinition, reindexStatusDefinition } from '../operation-types/own-definitions';

export const searchParameterReindex: ReadOperation = {
  definition: reindexDefinition.url,
  own: reindexDefinition,
  async run(environment, { id }) {
    await environment.restartSearchParameters(id);
    return answer(environment, id);
  },
};

export const searchParameterReindexStatus: ReadOperation = {
  definition: reindexStatusDefinition.url,
  own: reindexStatusDefinition,
  async run(environment, { id }) {
    if (id !== undefined) await environment.read('SearchParameter', id);
    return answer(environment, id);
  },
};

async function answer(environment: OperationEnvironment, id: string | undefined): Promise<ParametersAnswer> {
  const all = await environment.searchParameterProgress(id);
  const statuses = all.map(({ status }) => status);
  const status = (['in-progress', 'failed'] as const).find((one) => statuses.includes(one)) ?? 'completed';
  return { parameters: [{ name: 'status', valueCode: status }, ...all.map(toParameter)] };
}

function toParameter(progress: SearchParameterProgress): JsonObject {
  const { owner, url, type, code, status, isSearchable, resources, indexed, failure } = progress;
  return {
    name: 'searchParameter',
    part: [
      { name: 'reference', valueUri: `SearchParameter/${owner}` },
      { name: 'url', valueUri: url },
      { name: 'type', valueCode: type },
      { name: 'code', valueCode: code },
      { name: 'status', valueCode: status },
      { name: 'searchable', valueBoolean: isSearchable },
      ...(resources === undefined || indexed === undefined
        ? []
        : [
            { name: 'resources', valueUnsignedInt: resources },
            { name: 'indexed', valueUnsignedInt: Math.min(indexed, resources) },
          ]),
      ...(failure === undefined ? [] : [{ name: 'reason', valueString: failure }]),
    ],
  };
}
