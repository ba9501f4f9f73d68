import type { VersionGuard, WriteResult } from '../api';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { isValidId } from '../fhir/resource';
import type { ResourceInput } from '../preparation/preparer';
import type { Services } from '../services';
import { addressOf, printable } from './resource-address';
import { replaceVersion } from './replace-version';

/**
 * Stores the next version of a resource, or its first under the client's id (http.html#update, http.html#upsert).
 * Throws what the preparation of the resource throws, preconditionFailed, versionConflict.
 */
export async function update(
  services: Services,
  context: RequestContext,
  type: string,
  id: string,
  input: ResourceInput,
  guard?: VersionGuard,
): Promise<WriteResult> {
  if (!isValidId(id)) throw fhirError('invalidId', { id: printable(id) });
  const address = addressOf(services, context, type, id);
  const { space } = context;
  const prepared = await services.preparer.resource({ space, type, id, idMode: { id }, input });
  const { version, created } = await replaceVersion(services, context, type, id, address, guard, () => ({
    change: 'update',
    prepared,
  }));
  if (version === undefined) throw new Error('an update always writes');
  return { version, created, warnings: prepared.warnings };
}
