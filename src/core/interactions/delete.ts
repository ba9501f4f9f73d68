import type { DeleteResult, VersionGuard } from '../api/version';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import type { WriteServices } from '../ports';
import type { VersionRow } from '../storage/read/version-row';
import type { WriteCondition } from '../storage/write/write-queues';
import { addressOf, readBase } from '../versions/resource-address';
import { replaceVersion, type NextVersion } from './replace-version';

/**
 * Deletes a resource by a version without content (http.html#delete). If there is no live resource, no version is
 * made. Throws preconditionFailed, baseResourceReadOnly; ConditionLost.
 */
export async function deleteResource(
  services: WriteServices,
  context: RequestContext,
  {
    type,
    id,
    guard,
    condition,
  }: {
    readonly type: string;
    readonly id: string;
    readonly guard?: VersionGuard;
    readonly condition?: WriteCondition;
  },
): Promise<DeleteResult> {
  const address = addressOf(services, context, type, id);
  const next = async (current: VersionRow | undefined): Promise<NextVersion> => {
    if (current !== undefined && current.change !== 'delete') return { change: 'delete' };
    const base = await readBase(services, context, { type, address, id });
    if (base !== undefined) throw fhirError('baseResourceReadOnly', { type, id });
    return { change: 'none' };
  };
  const { version } = await replaceVersion(services, context, {
    type,
    id,
    address,
    guard,
    intent: 'delete',
    next,
    condition,
  });
  return { version };
}
