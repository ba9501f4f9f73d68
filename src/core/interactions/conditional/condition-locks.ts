/**
 * Which conditional writes must wait for each other, told by their criteria alone.
 *
 * Two conditions that one resource may meet share a lock, however they are spelt, when both name a value that it has: a
 * code, an identifier, a url, a reference, an id. Criteria that name none in so many words (a name, a date, a chain, a
 * value set) lock all of the type, against all others there. What identifies (an identifier, a url, an id) is locked
 * alone; values that many resources have, beside it, are shared, so that imports of different things do not wait for
 * each other because all of them say `status=final`.
 */
import { storedParameters } from '../../search/parameter';
import { isCanonicalUrl } from '../../search/canonical-targets';
import type { Definitions } from '../../fhir/definitions';
import type { IndexRows } from '../../search/index-rows';
import type { Criterion, Predicate } from '../../search/predicate';
import type { ConditionLock } from '../../storage/condition-lock';

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
 * The locks of what a conditional write is about to store: it waits for those who ask whether something with one of
 * these identifiers is there, and they for it.
 */
export function locksOfRows(
  definitions: Definitions,
  type: string,
  typeNumber: number,
  rows: Pick<IndexRows, 'tokens' | 'uris'>,
): readonly ConditionLock[] {
  const parameters = new Set<number>();
  for (const [code, { rowsOf }] of storedParameters(definitions, type)) {
    if (isIdentifying(definitions, type, code)) for (const { number } of rowsOf) parameters.add(number);
  }
  const values = [
    ...rows.tokens
      .filter(({ parameter }) => parameters.has(parameter))
      .map(({ parameter, valueHigh, valueLow }) => tokenName(parameter, valueHigh, valueLow)),
    ...rows.uris
      .filter(({ parameter }) => parameters.has(parameter))
      .map(({ parameter, value }) => uriName(parameter, value)),
  ];
  return [...new Set(values)].map((value) => ({ type: typeNumber, value, isShared: true }));
}

/** `_id`, a parameter of identifiers, or the url of a canonical resource; never with a modifier, which asks for more. */
function isIdentifying(definitions: Definitions, type: string, name: string): boolean {
  if (name === '_id') return true;
  const stored = storedParameters(definitions, type).get(name);
  if (stored === undefined) return false;
  return stored.valueTypes.includes('Identifier') || isCanonicalUrl(definitions, stored.parameter);
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
      // Whatever its system: `a|b` and `b` may mean the same resource.
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

function tokenName(parameter: number, high: number, low: number): string {
  return `token ${parameter} ${high} ${low}`;
}

function uriName(parameter: number, value: string): string {
  return `uri ${parameter} ${value}`;
}
