import type { VersionGuard, WriteResult } from '../api';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { parseJson, type JsonDocument } from '../fhir/json';
import { applyJsonPatch, dropGeneratedNarrative } from '../fhir/patch';
import { checkResource } from '../fhir/resource';
import type { Services } from '../services';
import { addressOf, readBase, releaseTypesOf } from './resource-address';
import { replaceVersion } from './replace-version';
import { toStoredVersion } from './stored-version';

/**
 * Applies a JSON Patch to the resource exactly as a read gives it, meta included (http.html#patch; contract.md).
 * All or nothing. Throws notFound, gone, preconditionFailed, the errors of the patch and of the resource that it makes.
 */
export async function patch(
  services: Services,
  context: RequestContext,
  type: string,
  id: string,
  operations: JsonDocument,
  guard?: VersionGuard,
): Promise<WriteResult> {
  const address = addressOf(services, context, type, id);
  const { limits } = services;
  const { version } = await replaceVersion(services, context, type, id, address, guard, async (current) => {
    if (current === undefined || current.change === 'delete') {
      const base = await readBase(services, context, type, address, id);
      if (base !== undefined) throw fhirError('baseResourceReadOnly', { type, id });
      throw fhirError(current === undefined ? 'notFound' : 'gone', { type, id });
    }
    const text = toStoredVersion(services, type, current).text;
    const before = parseJson(text, { maxDepth: Number.MAX_SAFE_INTEGER });
    const patched = applyJsonPatch(before, operations, {
      maxOperations: limits.maxPatchOperations,
      maxGrowthBytes: 2 * limits.maxBodyBytes,
      maxDepth: limits.maxDepth,
    });
    const after = dropGeneratedNarrative(before, patched);
    const expected = { type, releaseTypes: releaseTypesOf(services, context), idMode: { id } };
    return { change: 'update', resource: checkResource(after, expected), marked: after.marked };
  });
  if (version === undefined) throw new Error('a patch always writes');
  return { version, created: false };
}
