import type { VersionGuard, WriteResult } from '../api/version';
import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext } from '../context';
import { fhirError, type Issue } from '../errors';
import type { CopyBudget } from '../fhir/patch';
import type { ResourceInput } from '../api/resource-input';
import type { WriteServices } from '../ports';
import type { VersionRow } from '../storage/read/version-row';
import type { WriteCondition } from '../storage/write/write-queues';
import { addressOf, readBase } from '../versions/resource-address';
import { replaceVersion, type NextVersion } from './replace-version';
import { toStoredVersion } from '../versions/stored-version';

interface PatchRequest {
  readonly type: string;
  readonly id: string;
  readonly operations: ResourceInput;
  readonly guard?: VersionGuard;
  readonly copies?: CopyBudget;
  readonly condition?: WriteCondition;
}

/**
 * Applies a JSON Patch or a FHIRPath Patch to the resource as a read returns it, `meta` included; all of it or nothing
 * (https://hl7.org/fhir/R4/http.html#patch; docs/reference/behaviour.md, Patch).
 * A JSON Patch that only tests makes no version. Throws notFound, gone, preconditionFailed, the errors of the patch and
 * of the patched resource; ConditionLost.
 */
export async function patch(
  services: WriteServices,
  context: RequestContext,
  { type, id, operations, guard, copies, condition }: PatchRequest,
): Promise<WriteResult> {
  const { space } = context;
  const address = addressOf(services, context, type, id);
  let warnings: readonly Issue[] = [];
  let unchanged: StoredVersion | undefined;
  const next = async (present: VersionRow | undefined): Promise<NextVersion> => {
    if (present === undefined || present.change === 'delete') {
      const base = await readBase(services, context, { type, address, id });
      if (base !== undefined) throw fhirError('baseResourceReadOnly', { type, id });
      throw fhirError(present === undefined ? 'notFound' : 'gone', { type, id });
    }
    unchanged = toStoredVersion(services, type, present);
    const prepared = await services.preparer.patch({
      space,
      type,
      id,
      current: unchanged.text,
      operations,
      copies,
    });
    ({ warnings } = prepared);
    return { change: 'update', prepared };
  };
  const { version: made } = await replaceVersion(services, context, {
    type,
    id,
    address,
    guard,
    intent: 'patch',
    next,
    condition,
  });
  if (made !== undefined) return { version: made, created: false, warnings };
  if (unchanged === undefined) throw new Error('a patch has a current version');
  return { version: unchanged, created: false, warnings, isUnchanged: true };
}
