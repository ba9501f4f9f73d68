import { decimalText, isJsonObject, type JsonValue } from '../json';
import { areEqualDecimals } from './decimal';

type AreSameNumbers = (first: string, second: string) => boolean;

/**
 * True if two values are equal by RFC 6902 section 4.6: numbers by value (1.0 equals 1.00), arrays in order, objects in
 * any order of their members.
 */
export function areEqualJson(first: JsonValue, second: JsonValue): boolean {
  return areEqual(first, second, areEqualDecimals);
}

/** As `areEqualJson`, but numbers must have the same literal: 1.0 and 1.00 differ. */
export function areIdenticalJson(first: JsonValue, second: JsonValue): boolean {
  return areEqual(first, second, Object.is);
}

function areEqual(
  first: JsonValue | undefined,
  second: JsonValue | undefined,
  areSame: AreSameNumbers,
): boolean {
  if (first === undefined || second === undefined) return false;
  if (first === second) return true;
  const literal = decimalText(first);
  if (literal !== undefined) {
    const other = decimalText(second);
    return other !== undefined && areSame(literal, other);
  }
  if (Array.isArray(first)) {
    if (!Array.isArray(second) || first.length !== second.length) return false;
    return first.every((element, index) => areEqual(element, second[index], areSame));
  }
  if (!isJsonObject(first) || !isJsonObject(second)) return false;
  const names = Object.keys(first);
  if (names.length !== Object.keys(second).length) return false;
  return names.every((name) => Object.hasOwn(second, name) && areEqual(first[name], second[name], areSame));
}
