import { permissionsOf } from '../../authorization/visibility';
import type { Criteria, VersionGuard, WriteResult } from '../../api/version';
import type { RequestContext } from '../../context';
import { FhirError, fhirError } from '../../errors';
import type { CopyBudget } from '../../fhir/patch';
import type { ResourceInput } from '../../api/resource-input';
import type { WriteServices } from '../../ports';
import { ConditionLost } from '../../storage/write/write-queues';
import { patch } from '../patch';
import { parseCondition } from './condition';
import { onMatches, requireOne, whileItMeets } from './under-condition';

/**
 * Patches the one resource that matches the criteria (http.html#patch). Throws noMatch, multipleMatches, and the errors
 * of `parseCondition`, `onMatches` and `patch`.
 */
export async function patchWhere(
  services: WriteServices,
  context: RequestContext,
  {
    type,
    criteria,
    operations,
    guard,
    copies,
  }: {
    readonly type: string;
    readonly criteria: Criteria;
    readonly operations: ResourceInput;
    readonly guard?: VersionGuard;
    readonly copies?: CopyBudget;
  },
): Promise<WriteResult> {
  permissionsOf(services, context)?.requireOne(type, 'u');
  const condition = parseCondition(services, context, type, criteria);
  return onMatches(services, context, condition, async (matches) => {
    const match = requireOne(condition, matches);
    if (match === undefined) throw fhirError('noMatch', { type });
    const held = whileItMeets(services, context, condition, match);
    try {
      return await patch(services, context, {
        type,
        id: match.id,
        operations,
        guard,
        copies,
        condition: held,
      });
    } catch (error) {
      // Deleted since it was found: the patch applies to what matches the criteria now.
      if (error instanceof FhirError && error.key === 'gone') throw new ConditionLost();
      throw error;
    }
  });
}
