import { permissionsOf } from '../../authorization/visibility';
import type { Criteria, VersionGuard, WriteResult } from '../../api/version';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { isJsonObject } from '../../fhir/json';
import type { ResourceInput } from '../../api/resource-input';
import { textOf } from '../../preparation/resource-input';
import type { Services, WriteServices } from '../../ports';
import { create } from '../create';
import { addressOf, printable, readOwn } from '../../versions/resource-address';
import { update } from '../update';
import { isValidId } from '../../fhir/resource';
import { parseCondition } from './condition';
import { onMatches, requireOne, whileItMeets } from './under-condition';

/**
 * Stores the next version of the one resource that matches the criteria; without a match a new one, under the id of the
 * body if it has one (http.html#cond-update). With a match, the id of the body may be missing but must not differ.
 * Throws multipleMatches, idTaken, preconditionFailed, and the errors of `parseCondition`, `onMatches` and `update`.
 */
export async function updateWhere(
  services: WriteServices,
  context: RequestContext,
  {
    type,
    criteria,
    input,
    guard,
  }: {
    readonly type: string;
    readonly criteria: Criteria;
    readonly input: ResourceInput;
    readonly guard?: VersionGuard;
  },
): Promise<WriteResult> {
  permissionsOf(services, context)?.requireOne(type, 'u', 'c');
  const condition = parseCondition(services, context, type, criteria);
  return onMatches(services, context, condition, async (matches) => {
    const match = requireOne(condition, matches);
    const held = whileItMeets(services, context, condition, match);
    if (match !== undefined)
      return update(services, context, { type, id: match.id, input, guard, condition: held });
    if (guard?.ifMatch !== undefined)
      throw fhirError('preconditionFailed', {
        reason: `No ${type} meets the criteria, so no version of it can match`,
      });
    const id = await givenId(services, input);
    if (id === undefined) return create(services, context, { type, input, condition: held });
    await requireFree(services, context, type, id);
    return update(services, context, { type, id, input, guard: { ifNoneMatchAny: true }, condition: held });
  });
}

/** The id in the body; undefined if there is none. It is validated later, with the rest of the body. */
async function givenId(
  services: Pick<Services, 'limits' | 'preparer'>,
  input: ResourceInput,
): Promise<string | undefined> {
  const { value } =
    'value' in input
      ? input
      : await services.preparer.outline({
          text: textOf(input),
          limits: { maxDepth: services.limits.maxDepth, levels: 0 },
        });
  const id = isJsonObject(value) ? value['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Throws idTaken for a live resource that has this id and does not match the criteria; it must not be overwritten. */
async function requireFree(
  services: Pick<Services, 'definitions' | 'keys' | 'reader'>,
  context: RequestContext,
  type: string,
  id: string,
): Promise<void> {
  if (!isValidId(id)) throw fhirError('invalidId', { id: printable(id) });
  const current = await readOwn(services, context, { address: addressOf(services, context, type, id), id });
  if (current !== undefined && current.change !== 'delete') throw fhirError('idTaken', { type, id });
}
