import { presentFor } from '../../authorization/write-guard';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import type { WriteServices } from '../../ports';
import { lockConditions } from '../../storage/write/condition-lock';
import { LOCK_HEADS } from '../../storage/write/head-locks';
import { keyOfText } from '../../storage/read/version-row';
import type { VersionWrite } from '../../storage/write/version-write';
import { ConditionLost } from '../../storage/write/write-queues';
import { writeAll } from '../../storage/write/write-statements';
import { withinTransaction } from '../../search-execution/read-scope';
import { deletionOf, toVersion } from '../replace-version';
import { checkDeleted } from '../write-aspects';
import type { Condition } from './condition';
import { findMatches, type ConditionMatch } from './find-matches';

/** Maximum number of resources that one request deletes. */
const MAX_DELETED = 1000;
/** Maximum number of their index rows, which are in memory at once. */
const MAX_ROWS = 200_000;
/** Resources that are read at once. */
const CHUNK = 100;

/**
 * Deletes all of the tenant's resources that match the condition, in one transaction: all of them, or none if it
 * fails. Throws ConditionLost if one of them was changed meanwhile; tooCostly over 1,000; baseResourceReadOnly if only
 * base conformance resources match; referredTo if the tenant enforces references on deletes. Cost: some ten
 * statements, and the extraction of the index rows of all of them.
 */
export async function deleteAll(
  services: WriteServices,
  context: RequestContext,
  condition: Condition,
): Promise<readonly StoredVersion[]> {
  const { type, typeNumber } = condition;
  const space = context.space.number;
  return services.writes.transaction(space, async (run, database) => {
    await lockConditions(run, space, [condition]);
    const within = withinTransaction(services, database);
    const matches = requireFew(type, await findMatches(within, context, condition, MAX_DELETED + 1));
    const keys = matches.map(({ keyText }) => keyText);
    // In the order of keys, like everything that locks several heads.
    const locked = await run(LOCK_HEADS, { space, type: typeNumber, keys, limit: keys.length });
    if (matches.some(({ version }, index) => locked[index]?.[0] !== version)) throw new ConditionLost();
    const writes: VersionWrite[] = [];
    let rows = 0;
    for (let start = 0; start < matches.length; start += CHUNK) {
      for (const write of await deletionsOf(
        within,
        context,
        condition,
        matches.slice(start, start + CHUNK),
      )) {
        writes.push(write);
        rows += countRows(write);
        if (rows > MAX_ROWS) throw tooMuch(type);
      }
    }
    const written = await writeAll(run, space, writes);
    // References between the deleted resources are deleted with them.
    const deleted = writes.map((write, index) => ({ ...write, name: type, id: matches[index]?.id ?? '' }));
    await checkDeleted(services, context, run, deleted);
    return writes.map((write, index) => {
      const outcome = written[index];
      if (outcome === undefined) throw new ConditionLost();
      return toVersion(services, type, write, outcome);
    });
  });
}

/** The tenant's own matches. Throws tooCostly, baseResourceReadOnly. */
function requireFew(type: string, matches: readonly ConditionMatch[]): readonly ConditionMatch[] {
  const own = matches.filter(({ isBase }) => !isBase);
  if (own.length > MAX_DELETED) throw tooMuch(type);
  const [base] = matches;
  if (own.length === 0 && base !== undefined) throw fhirError('baseResourceReadOnly', { type, id: base.id });
  return own;
}

function tooMuch(type: string): Error {
  const reason = `Too many ${type} meet the criteria: one request deletes at most ${MAX_DELETED} resources, and fewer large ones. Narrow the criteria; nothing was changed`;
  return fhirError('tooCostly', { reason });
}

async function deletionsOf(
  services: WriteServices,
  context: RequestContext,
  { type, typeNumber }: Condition,
  matches: readonly ConditionMatch[],
): Promise<VersionWrite[]> {
  const space = context.space.number;
  const rows = await services.reader.readCurrent(
    space,
    matches.map(({ keyText }) => ({ type: typeNumber, key: keyOfText(keyText) })),
  );
  const writes: VersionWrite[] = [];
  for (const [index, { id }] of matches.entries()) {
    const row = rows[index];
    if (row === undefined) throw new Error('a locked head has no version');
    const current = await services.reader.complete(space, row);
    if (
      (await presentFor(services, context, { intent: 'delete', type, mustExist: false }, current)) ===
      undefined
    )
      throw fhirError('forbidden', {
        reason: `The grants of this client do not reach all ${type} that meet the criteria`,
      });
    writes.push(await deletionOf(services, context, { type, id, current }));
  }
  return writes;
}

function countRows({ replaced }: VersionWrite): number {
  if (replaced === undefined) return 0;
  const { tokens, references, ranges, strings, uris } = replaced;
  return tokens.length + references.length + ranges.length + strings.length + uris.length;
}
