/** Compares answers, for conditions, options and limits. Undefined: the values do not tell. */
import { dateRange } from '../../../../../packages/fhir-values/date';
import { decimalText, isJsonObject, type JsonObject, type JsonValue } from '../../json';
import { areEqualJson } from '../../json/equality';
import type { Condition, TypedAnswer } from './questionnaire';

/**
 * True for the same answer: a Coding by system and code, a Reference by its address, anything else by its value.
 * Undefined if it may be the same: a Coding without system, a Quantity in another unit, a less precise date.
 */
export function isSameAnswer(one: TypedAnswer, other: TypedAnswer): boolean | undefined {
  const [a, b] = [one.value, other.value];
  if (isJsonObject(a) && isJsonObject(b)) return one.type === other.type && areSameObjects(one.type, a, b);
  if (numberOf(a) !== undefined && numberOf(b) !== undefined) return numberOf(a) === numberOf(b);
  if (one.type !== other.type) return false;
  if (areEqualJson(a, b)) return true;
  if (!DATES.has(one.type)) return false;
  const order = compareValues(a, b);
  return order === undefined ? undefined : order === 0;
}

const DATES: ReadonlySet<string> = new Set(['Date', 'DateTime']);

function areSameObjects(type: string, a: JsonObject, b: JsonObject): boolean | undefined {
  if (type === 'Coding') {
    if (a['code'] !== b['code']) return false;
    if (a['system'] === b['system']) return true;
    return a['system'] === undefined || b['system'] === undefined ? undefined : false;
  }
  if (type === 'Reference') return a['reference'] === b['reference'];
  if (type !== 'Quantity') return areEqualJson(a, b);
  return hasSameUnit(a, b) ? compareValues(a['value'], b['value']) === 0 : undefined;
}

/** Returns a negative number, 0 or a positive one; undefined if the answers have no order. */
export function compareAnswers(one: TypedAnswer, other: TypedAnswer): number | undefined {
  const [a, b] = [one.value, other.value];
  if (!isJsonObject(a) || !isJsonObject(b)) return compareValues(a, b);
  return hasSameUnit(a, b) ? compareValues(a['value'], b['value']) : undefined;
}

function hasSameUnit(a: JsonObject, b: JsonObject): boolean {
  return (a['code'] ?? a['unit']) === (b['code'] ?? b['unit']);
}

function compareValues(a: JsonValue | undefined, b: JsonValue | undefined): number | undefined {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return x - y;
  if (typeof a !== 'string' || typeof b !== 'string') return undefined;
  if (a.includes('T') && b.includes('T')) return compareMoments(a, b);
  if (a.length === b.length) return compareTexts(a, b);
  // Dates of different precision have an order as far as both have the same parts.
  const length = Math.min(a.length, b.length);
  return compareTexts(a.slice(0, length), b.slice(0, length)) || undefined;
}

/** Two times may have different time zones. */
function compareMoments(a: string, b: string): number | undefined {
  const [one, other] = [dateRange(a), dateRange(b)];
  if (one === undefined || other === undefined) return undefined;
  if (one.high <= other.low) return -1;
  if (other.high <= one.low) return 1;
  return one.low === other.low && one.high === other.high ? 0 : undefined;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function numberOf(value: JsonValue | undefined): number | undefined {
  const text = decimalText(value);
  return text === undefined ? undefined : Number(text);
}

/**
 * True if a condition holds for the answers to its question (Questionnaire.item.enableWhen). Undefined where form fillers
 * differ, such as for `!=` without an answer.
 */
export function conditionHolds(
  { operator, answer }: Condition,
  answers: readonly TypedAnswer[],
): boolean | undefined {
  if (answer === undefined) return undefined;
  if (operator === 'exists') return answers.length > 0 === (answer.value === true);
  if (operator === '!=') {
    const same = answers.map((each) => isSameAnswer(each, answer));
    if (same.length === 0) return undefined;
    if (same.every((each) => each === false)) return true;
    return same.every((each) => each === true) ? false : undefined;
  }
  return isAnyTrue(answers.map((each) => testOne(operator, each, answer)));
}

function testOne(operator: string, one: TypedAnswer, answer: TypedAnswer): boolean | undefined {
  if (operator === '=') return isSameAnswer(one, answer);
  const order = compareAnswers(one, answer);
  if (order === undefined) return undefined;
  if (operator === '>') return order > 0;
  if (operator === '<') return order < 0;
  if (operator === '>=') return order >= 0;
  return operator === '<=' ? order <= 0 : undefined;
}

/** `or` of three values: undefined is unknown. */
export function isAnyTrue(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(true)) return true;
  return values.includes(undefined) ? undefined : false;
}

/** `and` of three values. */
export function areAllTrue(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(false)) return false;
  return values.includes(undefined) ? undefined : true;
}
