import { permissionsOf } from '../../authorization/visibility';
import type { Criteria, VersionGuard } from '../../api/version';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import type { WriteServices } from '../../ports';
import { deleteResource } from '../delete';
import { parseCondition } from './condition';
import { deleteAll } from './delete-all';
import { onMatches, requireOne, whileItMeets } from './under-condition';

/**
 * Deletes the resource that matches the criteria (http.html#cdelete). If the tenant allows it (`conditional-delete`),
 * all matches are deleted, unless the request names a version, which only one can have. Returns the versions that
 * record the deletions; none without a match. Throws multipleMatches, preconditionFailed, baseResourceReadOnly,
 * tooCostly, and the errors of `parseCondition` and `onMatches`.
 */
export async function deleteWhere(
  services: WriteServices,
  context: RequestContext,
  {
    type,
    criteria,
    guard,
  }: { readonly type: string; readonly criteria: Criteria; readonly guard?: VersionGuard },
): Promise<readonly StoredVersion[]> {
  permissionsOf(services, context)?.requireOne(type, 'd');
  const condition = parseCondition(services, context, type, criteria);
  const isForAll = context.space.settings.conditionalDelete === 'multiple' && guard?.ifMatch === undefined;
  return onMatches(services, context, condition, async (matches) => {
    if (isForAll && matches.length > 1) return deleteAll(services, context, condition);
    const match = requireOne(condition, matches);
    if (match === undefined) {
      if (guard?.ifMatch === undefined) return [];
      const reason = `No ${type} meets the criteria, so no version of it can match`;
      throw fhirError('preconditionFailed', { reason });
    }
    const held = whileItMeets(services, context, condition, match);
    const { version } = await deleteResource(services, context, {
      type,
      id: match.id,
      guard,
      condition: held,
    });
    return version === undefined ? [] : [version];
  });
}
