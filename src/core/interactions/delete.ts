import type { DeleteResult, VersionGuard } from '../api';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import type { Services } from '../services';
import { addressOf, readBase } from './resource-address';
import { replaceVersion } from './replace-version';

/**
 * Deletes a resource: a version of its own that has no content (http.html#delete). What is deleted already, or never
 * was, makes no version. Throws preconditionFailed, baseResourceReadOnly.
 */
export async function deleteResource(
  services: Services,
  context: RequestContext,
  type: string,
  id: string,
  guard?: VersionGuard,
): Promise<DeleteResult> {
  const address = addressOf(services, context, type, id);
  const { version } = await replaceVersion(services, context, type, id, address, guard, async (current) => {
    if (current !== undefined && current.change !== 'delete') return { change: 'delete' };
    const base = await readBase(services, context, type, address, id);
    if (base !== undefined) throw fhirError('baseResourceReadOnly', { type, id });
    return { change: 'none' };
  });
  return { version };
}
