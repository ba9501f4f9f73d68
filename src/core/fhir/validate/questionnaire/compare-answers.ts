/** Compares answers of the same type, for conditions, options and limits. */
import { decimalText, isJsonObject, type JsonValue } from '../../json';
import { areEqualJson } from '../../json/equality';
import type { Condition, TypedAnswer } from './questionnaire';

/** True for the same answer: a Coding by system and code, a Reference by its address, anything else by its value. */
export function isSameAnswer(one: TypedAnswer, other: TypedAnswer): boolean {
  if (one.type !== other.type) return false;
  const [a, b] = [one.value, other.value];
  if (!isJsonObject(a) || !isJsonObject(b)) return areEqualJson(a, b);
  if (one.type === 'Coding') return a['code'] === b['code'] && (a['system'] ?? '') === (b['system'] ?? '');
  if (one.type === 'Reference') return a['reference'] === b['reference'];
  if (one.type === 'Quantity') {
    const isSameUnit = (a['code'] ?? a['unit']) === (b['code'] ?? b['unit']);
    return isSameUnit && compareValues(a['value'], b['value']) === 0;
  }
  return areEqualJson(a, b);
}

/** Returns a negative number, 0 or a positive one; undefined if the answers have no order. */
export function compareAnswers(one: TypedAnswer, other: TypedAnswer): number | undefined {
  const [a, b] = [one.value, other.value];
  if (isJsonObject(a) && isJsonObject(b)) {
    return (a['code'] ?? a['unit']) === (b['code'] ?? b['unit'])
      ? compareValues(a['value'], b['value'])
      : undefined;
  }
  return compareValues(a, b);
}

/** Dates and times of the same precision compare as text. */
function compareValues(a: JsonValue | undefined, b: JsonValue | undefined): number | undefined {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return x - y;
  if (typeof a !== 'string' || typeof b !== 'string' || a.length !== b.length) return undefined;
  return a < b ? -1 : a > b ? 1 : 0;
}

function numberOf(value: JsonValue | undefined): number | undefined {
  const text = decimalText(value);
  return text === undefined ? undefined : Number(text);
}

/** True if a condition holds for the answers to its question (Questionnaire.item.enableWhen). */
export function conditionHolds({ operator, answer }: Condition, answers: readonly TypedAnswer[]): boolean {
  if (answer === undefined) return true;
  if (operator === 'exists') return answers.length > 0 === (answer.value === true);
  if (operator === '!=') return !answers.some((each) => isSameAnswer(each, answer));
  if (operator === '=') return answers.some((each) => isSameAnswer(each, answer));
  return answers.some((each) => {
    const order = compareAnswers(each, answer);
    if (order === undefined) return false;
    if (operator === '>') return order > 0;
    if (operator === '<') return order < 0;
    return operator === '>=' ? order >= 0 : order <= 0;
  });
}
