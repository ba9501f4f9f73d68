import { permissionsOf, requireReadable } from '../../authorization/visibility';
import type { Criteria, WriteResult } from '../../api/version';
import type { RequestContext } from '../../context';
import { RELEASES } from '../../fhir/release';
import type { ResourceInput } from '../../api/resource-input';
import type { SearchServices, WriteServices } from '../../ports';
import { keyOfText } from '../../storage/read/version-row';
import { create } from '../create';
import { toStoredVersion } from '../../versions/stored-version';
import { parseCondition, type Condition } from './condition';
import type { ConditionMatch } from './find-matches';
import { onMatches, requireOne, whileItMeets } from './under-condition';

/**
 * Stores a new resource if no other matches the criteria (http.html#ccreate); else returns the match unchanged. Two
 * such writes with the same criteria make one resource, whatever processes run them. Unconditional writes count
 * from their commit on. Throws multipleMatches, and the errors of `parseCondition`, `onMatches` and `create`.
 * Cost: a search; without a match, a transaction of four statements.
 */
export async function createIfNoneExist(
  services: WriteServices,
  context: RequestContext,
  {
    type,
    input,
    criteria,
  }: { readonly type: string; readonly input: ResourceInput; readonly criteria: Criteria },
): Promise<WriteResult> {
  permissionsOf(services, context)?.requireOne(type, 'c');
  const condition = parseCondition(services, context, type, criteria);
  return onMatches(services, context, condition, async (matches) => {
    const match = requireOne(condition, matches);
    if (match !== undefined) return present(services, context, condition, match);
    return create(services, context, {
      type,
      input,
      condition: whileItMeets(services, context, condition, undefined),
    });
  });
}

/** The version that matched the condition. */
async function present(
  services: SearchServices,
  context: RequestContext,
  { type, typeNumber }: Condition,
  { keyText, version, isBase }: ConditionMatch,
): Promise<WriteResult> {
  const { space } = context;
  const address = { type: typeNumber, key: keyOfText(keyText) };
  const from = isBase ? RELEASES[space.release].baseSpace : space.number;
  const row = await services.reader.version(from, address, version);
  if (row === undefined) throw new Error('the version of a head is gone');
  await requireReadable(services, context, { type, space: from, row });
  return { version: toStoredVersion(services, type, row), created: false, warnings: [] };
}
