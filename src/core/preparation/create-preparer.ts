import type { TenantSpace } from '../context';
import { apartContentOf, keepApartContent } from '../fhir/apart-content';
import { loadDefinitions } from '../fhir/definitions';
import { isJsonObject, parseJson, parseStoredObject, stringifyJson, type JsonDocument } from '../fhir/json';
import { outlineOf } from '../fhir/json/outline';
import {
  applyFhirPathPatch,
  applyJsonPatch,
  differenceOf,
  dropGeneratedNarrative,
  isFhirPathPatch,
  onlyTests,
  type PatchLimits,
} from '../fhir/patch';
import type { Limits } from '../limits/size-limits';
import { findInContent, levelOf } from './content';
import { withoutEmptyList } from '../operation-types/parameters';
import { validateInput } from './validation-report';
import { toDocument } from './resource-input';
import { openBundle } from './open-bundle';
import { prepareVersion, type PreparationTools } from './prepare';
import { refusalOf } from './refusal';
import type { Preparer } from './preparer';

const STORED_DEPTH = { maxDepth: Number.MAX_SAFE_INTEGER };

/** Creates the preparer of one thread. */
export function createPreparer(tools: PreparationTools, limits: Limits): Preparer {
  const preparer: Preparer = {
    async resource({ space, type, id, idMode, input, versionId = 1 }) {
      const stored = 'text' in input ? input.content : undefined;
      const content = stored && { address: `${type}/${id}/_history/${versionId}`, size: stored.size };
      return prepareVersion(tools, { space, type, id, idMode, document: toDocument(input, limits), content });
    },
    async patch({ space, type, id, current, operations, copies, paths, byServer = false }) {
      const before = parseJson(current, STORED_DEPTH);
      const patch = toDocument(operations, limits);
      const patched = await applyPatch(tools, space, {
        before,
        patch,
        limits: {
          maxOperations: limits.maxPatchOperations,
          maxGrowthBytes: 2 * limits.maxBodyBytes,
          maxDepth: limits.maxDepth,
          ...(copies === undefined ? {} : { copies }),
          ...(paths === undefined ? {} : { paths }),
        },
      });
      const narrated = dropGeneratedNarrative(before, patched);
      const apart = apartContentOf(before.value, tools.extensionBase);
      const kept =
        apart === undefined || !isJsonObject(before.value)
          ? undefined
          : keepApartContent(before.value, apart, narrated.value);
      const document = kept === undefined ? narrated : { ...narrated, value: kept.resource };
      const prepared = await prepareVersion(tools, {
        ...{ space, type, id, idMode: { id }, document, byServer },
        content: kept?.content,
      });
      return onlyTests(patch.value) ? { ...prepared, changesNothing: true } : prepared;
    },
    async inspect(space, { value }) {
      if (!isJsonObject(value)) return [];
      return findInContent(tools, space, withoutEmptyList(value), levelOf(space));
    },
    async validateOperation(task) {
      const { input } = task.invocation;
      const document = input === undefined ? undefined : toDocument(input, limits);
      const stored = task.stored === undefined ? undefined : parseJson(task.stored, STORED_DEPTH);
      return validateInput(tools, task, document, stored);
    },
    async outline({ text, limits }) {
      return outlineOf(parseJson(text, limits), limits.levels);
    },
    async difference({ from, to }) {
      const { value, marked } = differenceOf(parseJson(from, STORED_DEPTH), parseJson(to, STORED_DEPTH));
      return stringifyJson(value, marked);
    },
    rows({ space, type, body }) {
      return Promise.resolve(tools.extract(space, type, parseStoredObject(body)));
    },
    async bundle(task) {
      return openBundle(tools, preparer, limits, task);
    },
  };
  return preparer;
}

/**
 * Applies a patch. A FHIRPath Patch is validated by structure as a resource; its values are validated in the result.
 */
async function applyPatch(
  tools: PreparationTools,
  space: TenantSpace,
  {
    before,
    patch,
    limits,
  }: { readonly before: JsonDocument; readonly patch: JsonDocument; readonly limits: PatchLimits },
): Promise<JsonDocument> {
  if (!isFhirPathPatch(patch.value)) return applyJsonPatch(before, patch, limits);
  const parameters = withoutEmptyList(patch.value);
  const refusal = refusalOf(await findInContent(tools, space, parameters, { isFull: false }));
  if (refusal !== undefined) throw refusal;
  return applyFhirPathPatch(before, parameters, loadDefinitions(space.release), limits);
}
