import { permissionsOf } from '../authorization/visibility';
import type { VersionGuard, WriteResult } from '../api/version';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { isValidId } from '../fhir/resource';
import type { ResourceInput } from '../api/resource-input';
import type { WriteServices } from '../ports';
import type { VersionRow } from '../storage/read/version-row';
import type { WriteCondition } from '../storage/write/write-queues';
import { addressOf, printable } from '../versions/resource-address';
import { replaceVersion, type NextVersion } from './replace-version';

interface UpdateRequest {
  readonly type: string;
  readonly id: string;
  readonly input: ResourceInput;
  readonly guard?: VersionGuard;
  readonly condition?: WriteCondition;
}

/**
 * Stores the next version of a resource, or its first under the client's id (http.html#update, http.html#upsert).
 * Throws the errors of its preparation, preconditionFailed, versionConflict; ConditionLost.
 */
export async function update(
  services: WriteServices,
  context: RequestContext,
  { type, id, input, guard, condition }: UpdateRequest,
): Promise<WriteResult> {
  if (!isValidId(id)) throw fhirError('invalidId', { id: printable(id) });
  const address = addressOf(services, context, type, id);
  permissionsOf(services, context)?.requireOne(type, 'u', 'c');
  const { space } = context;
  const idMode = { id, isFound: condition !== undefined };
  const content = 'text' in input ? input.content : undefined;
  let prepared = await services.preparer.resource({ space, type, id, idMode, input });
  const next = async (current: VersionRow | undefined): Promise<NextVersion> => {
    const versionId = (current?.version ?? 0) + 1;
    // The text has the address of its version.
    if (content !== undefined)
      prepared = await services.preparer.resource({ space, type, id, idMode, input, versionId });
    return { change: 'update', prepared, content };
  };
  const replaced = await replaceVersion(services, context, {
    type,
    id,
    address,
    guard,
    intent: 'update',
    next,
    condition,
  });
  const { version, created } = replaced;
  if (version === undefined) throw new Error('an update always writes');
  return { version, created, warnings: prepared.warnings };
}
