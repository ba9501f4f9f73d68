import type { VersionGuard, WriteResult } from '../api';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import type { JsonDocument } from '../fhir/json';
import { checkResource, isValidId } from '../fhir/resource';
import type { Services } from '../services';
import { addressOf, printable, releaseTypesOf } from './resource-address';
import { replaceVersion } from './replace-version';

/**
 * Stores the next version of a resource, or its first under the client's id (http.html#update, http.html#upsert).
 * Throws what the checks of the resource throw, preconditionFailed, versionConflict.
 */
export async function update(
  services: Services,
  context: RequestContext,
  type: string,
  id: string,
  input: JsonDocument,
  guard?: VersionGuard,
): Promise<WriteResult> {
  if (!isValidId(id)) throw fhirError('invalidId', { id: printable(id) });
  const address = addressOf(services, context, type, id);
  const resource = checkResource(input, {
    type,
    releaseTypes: releaseTypesOf(services, context),
    idMode: { id },
  });
  const { version, created } = await replaceVersion(services, context, type, id, address, guard, () => ({
    change: 'update',
    resource,
    marked: input.marked,
  }));
  if (version === undefined) throw new Error('an update always writes');
  return { version, created };
}
