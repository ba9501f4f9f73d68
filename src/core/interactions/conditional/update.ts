import { permissionsOf } from '../../authorization/visibility';
import type { Criteria, VersionGuard, WriteResult } from '../../api/version';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { isJsonObject } from '../../fhir/json';
import type { ResourceInput } from '../../preparation/resource-input';
import { textOf } from '../../preparation/resource-input';
import type { Services, WriteServices } from '../../ports';
import { create } from '../create';
import { addressOf, printable, readOwn } from '../resource-address';
import { update } from '../update';
import { isValidId } from '../../fhir/resource';
import { parseCondition } from './condition';
import { onMatches, requireOne, whileItMeets } from './under-condition';

/**
 * Stores the next version of the one resource that meets the criteria; a new one if none does, under the id of the body
 * if that has one (http.html#cond-update). The body may leave out the id of what is found, and may not name another.
 * Throws multipleMatches, idTaken, preconditionFailed, and what `parseCondition`, `onMatches` and `update` throw.
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

/** The id in the body; undefined where there is none. Whether it is a good one is told with all else of the body. */
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

/** What has this id and does not meet the criteria must not be overwritten. */
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
