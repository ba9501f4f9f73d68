/** Equality of objects: member by member, whatever their order; decimals by value. */
import { decimalText, type JsonValue } from '../json';
import { compareExact, parseExact } from './number';
import { isObject } from './value';

type AreSameText = (first: string, second: string) => boolean;
const areIdentical: AreSameText = (first, second) => first === second;

export function areEqualJson(
  first: JsonValue,
  second: JsonValue,
  areSameText: AreSameText = areIdentical,
): boolean {
  if (first === second) return true;
  const number = decimalText(first);
  if (number !== undefined) return areSameNumbers(number, decimalText(second));
  if (typeof first === 'string') return typeof second === 'string' && areSameText(first, second);
  if (Array.isArray(first)) {
    if (!Array.isArray(second) || first.length !== second.length) return false;
    return first.every((value, index) => areEqualJson(value, second[index] ?? null, areSameText));
  }
  if (!isObject(first) || !isObject(second)) return false;
  const names = Object.keys(first);
  if (names.length !== Object.keys(second).length) return false;
  return names.every((name) => {
    const other = second[name];
    return other !== undefined && areEqualJson(first[name] ?? null, other, areSameText);
  });
}

function areSameNumbers(first: string, second: string | undefined): boolean {
  if (second === undefined) return false;
  const one = parseExact(first);
  const other = parseExact(second);
  return one !== undefined && other !== undefined && compareExact(one, other) === 0;
}

/** Without regard to case and to the kind and amount of white space. */
export function areEquivalentText(first: string, second: string): boolean {
  return normalize(first) === normalize(second);
}

function normalize(text: string): string {
  return text.toLowerCase().trim().replace(/\s+/g, ' ');
}
