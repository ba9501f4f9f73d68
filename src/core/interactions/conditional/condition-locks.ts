/**
 * Decides by criteria alone which conditional writes must wait for each other.
 *
 * Two conditions that one resource may match share a lock, however they are spelled, if both name a value of it: a
 * code, an identifier, a url, a reference, an id. Criteria without such a value (a name, a date, a chain, a
 * value set) lock the whole type exclusively. Identifying values (an identifier, a url, an id) are locked
 * exclusively. Values that many resources share are locked in shared mode beside them, so that imports of different
 * resources do not wait for each other because all of them have `status=final`.
 */
import type { Definitions } from '../../fhir/definitions';
import { isIdentifying, tokenName, uriName } from '../../search/requests/identifying-values';
import type { Criterion, Predicate } from '../../search/predicate';
import type { ConditionLock } from '../../storage/write/condition-lock';

/** The locks of a write with these criteria. */
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
 * The locks for a resource that a conditional write stores (`identifyingValues`). They exclude concurrent conditional
 * writes whose criteria have one of these identifiers.
 */
export function locksOfStored(typeNumber: number, values: readonly string[]): readonly ConditionLock[] {
  return values.map((value) => ({ type: typeNumber, value, isShared: true }));
}

/** Values of which a match has at least one; undefined if a resource can match without any. */
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
      // Independent of the parameter, because `subject` and `patient` may be the same reference.
      return [`reference ${predicate.target.high} ${predicate.target.low}`];
    case 'uri':
      return predicate.to === undefined ? [uriName(predicate.parameter, predicate.value)] : undefined;
    case 'key':
      return predicate.keys.map(({ high, low }) => `key ${high} ${low}`);
    default:
      return undefined;
  }
}
