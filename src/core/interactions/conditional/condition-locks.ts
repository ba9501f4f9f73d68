/**
 * Which conditional writes must wait for each other, told by their criteria alone.
 *
 * Two conditions that one resource may meet share a lock, however they are spelt, when both name a value that it has: a
 * code, an identifier, a url, a reference, an id. Criteria that name none in so many words (a name, a date, a chain, a
 * value set) lock all of the type, against all others there. What identifies (an identifier, a url, an id) is locked
 * alone; values that many resources have, beside it, are shared, so that imports of different things do not wait for
 * each other because all of them say `status=final`.
 */
import type { Definitions } from '../../fhir/definitions';
import { isIdentifying, tokenName, uriName } from '../../search/identifying-values';
import type { Criterion, Predicate } from '../../search/predicate';
import type { ConditionLock } from '../../storage/write/condition-lock';

/** The locks of a write on condition of these criteria. */
export function locksOfCriteria(
  definitions: Definitions,
  type: string,
  typeNumber: number,
  criteria: readonly Criterion[],
): readonly ConditionLock[] {
  const identifying: string[] = [];
  const others: string[] = [];
  for (const criterion of criteria) {
    const values = valuesOf(criterion) ?? [];
    (isIdentifying(definitions, type, criterion.name) ? identifying : others).push(...values);
  }
  const lock = (value: string, isShared: boolean): ConditionLock => ({ type: typeNumber, value, isShared });
  const isNamed = identifying.length + others.length > 0;
  return [
    lock('', isNamed),
    ...identifying.map((value) => lock(value, false)),
    ...others.map((value) => lock(value, identifying.length > 0)),
  ];
}

/**
 * The locks of what a conditional write is about to store (`identifyingValues`): it waits for those who ask whether
 * something with one of these identifiers is there, and they for it.
 */
export function locksOfStored(typeNumber: number, values: readonly string[]): readonly ConditionLock[] {
  return values.map((value) => ({ type: typeNumber, value, isShared: true }));
}

/** The values of which a resource must have one; undefined where the criterion can be met without any. */
function valuesOf({ anyOf, isNegated, name }: Criterion): readonly string[] | undefined {
  if (isNegated === true || name.includes(':')) return undefined;
  const values: string[] = [];
  for (const predicate of anyOf) {
    const named = namesOf(predicate);
    if (named === undefined) return undefined;
    values.push(...named);
  }
  return values;
}

function namesOf(predicate: Predicate): readonly string[] | undefined {
  switch (predicate.index) {
    case 'token':
      return predicate.value && [tokenName(predicate.parameter, predicate.value.high, predicate.value.low)];
    case 'reference':
      // Whatever the parameter: `subject` and `patient` may be the same reference.
      return [`reference ${predicate.target.high} ${predicate.target.low}`];
    case 'uri':
      return predicate.to === undefined ? [uriName(predicate.parameter, predicate.value)] : undefined;
    case 'key':
      return predicate.keys.map(({ high, low }) => `key ${high} ${low}`);
    default:
      return undefined;
  }
}
