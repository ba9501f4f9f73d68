import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import type { SearchServices, WriteServices } from '../../ports';
import { lockConditions } from '../../storage/write/condition-lock';
import { ConditionLost, type WriteCondition } from '../../storage/write/write-queues';
import { withinTransaction } from '../../search-execution/read-scope';
import type { Condition } from './condition';
import { identifyingValues } from '../../search/requests/identifying-values';
import { locksOfStored } from './condition-locks';
import { findMatches, type ConditionMatch } from './find-matches';

/** Enough matches to distinguish none, one and several. */
const TELLING = 2;

/**
 * Finds the matches of the condition, two at most, and passes them to `act`. Retries when another writer was
 * faster (ConditionLost). Conditional writes with one condition wait for each other inside the process, so
 * that only one of them waits in the database for other processes.
 * Throws timeout after the request's deadline, and the errors of `findMatches` and `act`.
 */
export async function onMatches<T>(
  services: WriteServices,
  context: RequestContext,
  condition: Condition,
  act: (matches: readonly ConditionMatch[]) => Promise<T>,
): Promise<T> {
  const { type, value } = condition.locks.find(({ isShared }) => !isShared) ?? {
    type: condition.typeNumber,
    value: '',
  };
  return services.turns.run(`condition ${context.space.number} ${type} ${value}`, async () => {
    for (;;) {
      if (Date.now() > context.deadline) throw fhirError('timeout');
      const matches = await services.scope.inSnapshot(services, context, (reading) =>
        findMatches(reading, context, condition, TELLING),
      );
      try {
        return await act(matches);
      } catch (error) {
        if (!(error instanceof ConditionLost)) throw error;
      }
    }
  });
}

/**
 * A condition of a write: that `found` is still the only match, or that there is still none. It is checked in the
 * transaction of the write, under the locks of the condition. So the check sees everything that was committed
 * before, conditional or not, and no other conditional write commits meanwhile.
 */
export function whileItMeets(
  services: SearchServices,
  context: RequestContext,
  condition: Condition,
  found: ConditionMatch | undefined,
): WriteCondition {
  const { type, typeNumber } = condition;
  const { number: space } = context.space;
  return {
    async lock(run, rows) {
      const definitions = services.definitionsOf(context.space);
      const stored = { locks: locksOfStored(typeNumber, identifyingValues(definitions, type, rows)) };
      await lockConditions(run, space, [condition, stored]);
    },
    async holds(database, expected) {
      const within = withinTransaction(services, database);
      const [match, other] = await findMatches(within, context, condition, TELLING);
      if (match === undefined || found === undefined || other !== undefined) return match === found;
      if (match.keyText !== found.keyText || match.isBase !== found.isBase) return false;
      return match.isBase || match.version === expected;
    },
  };
}

/** The only match, or undefined. Throws multipleMatches. */
export function requireOne(
  { type }: Condition,
  [match, other]: readonly ConditionMatch[],
): ConditionMatch | undefined {
  if (other === undefined) return match;
  throw fhirError('multipleMatches', {
    reason: `More than one ${type} meets the criteria; nothing was changed`,
  });
}
