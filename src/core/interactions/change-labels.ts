import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { isJsonObject, parseStoredObject } from '../fhir/json';
import { toLabelPatch, type LabelChange } from '../fhir/meta-labels';
import type { WriteServices } from '../ports';
import { addressOf, readBase } from '../versions/resource-address';
import { replaceVersion } from './replace-version';
import { toStoredVersion } from '../versions/stored-version';

/**
 * Adds profiles, tags and security labels to a resource or removes them, by a patch of its meta with the usual
 * validation and concurrency control. Returns the resulting version, or the current one if nothing changes.
 * Throws notFound, gone, baseResourceReadOnly, and the validation errors of the result.
 */
export async function changeLabels(
  services: WriteServices,
  context: RequestContext,
  { type, id, change }: { readonly type: string; readonly id: string; readonly change: LabelChange },
): Promise<StoredVersion> {
  const { space } = context;
  const address = addressOf(services, context, type, id);
  let unchanged: StoredVersion | undefined;
  const { version } = await replaceVersion(services, context, {
    type,
    id,
    address,
    guard: undefined,
    intent: 'patch',
    next: async (present) => {
      if (present === undefined || present.change === 'delete') {
        const base = await readBase(services, context, { type, address, id });
        if (base !== undefined) throw fhirError('baseResourceReadOnly', { type, id });
        throw fhirError(present === undefined ? 'notFound' : 'gone', { type, id });
      }
      const current = toStoredVersion(services, type, present);
      const { meta } = parseStoredObject(current.text);
      const patch = toLabelPatch(isJsonObject(meta) ? meta : {}, change);
      if (patch.length === 0) {
        unchanged = current;
        return { change: 'none' };
      }
      const operations = { value: [...patch], marked: true };
      const prepared = await services.preparer.patch({
        space,
        type,
        id,
        current: current.text,
        operations,
      });
      return { change: 'update', prepared };
    },
  });
  const result = version ?? unchanged;
  if (result === undefined) throw new Error('labels were neither changed nor unchanged');
  return result;
}
