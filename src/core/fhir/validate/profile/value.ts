/** Compares a value with a fixed value or pattern of a profile. */
import { decimalText, isJsonObject, stringifyJson, type JsonObject, type JsonValue } from '../../json';
import { areEqualDecimals } from '../../json/decimal';
import { areEqualJson } from '../../json/equality';
import { shorten } from '../../json/fault';
import type { DefinedValue } from './element';

/**
 * True for exactly the value of fixed[x]: members that it lacks must be absent too. Decimals compare by value (1.0 is
 * 1.00). Source: https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.fixed_x_
 */
export function isFixed(
  fixed: DefinedValue,
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
): boolean {
  return isSame(fixed.value, value) && isSame(fixed.companion, companion);
}

function isSame(fixed: JsonValue | undefined, value: JsonValue | undefined): boolean {
  const isAbsent = value === undefined || value === null;
  return fixed === undefined ? isAbsent : !isAbsent && areEqualJson(fixed, value);
}

/** The remaining work. It is limited because a crafted value can require comparing each element with each. */
export interface Meter {
  left: number;
}

/** The number of characters of a value that cost as much as one step. */
const CHARACTERS_OF_STEP = 64;

/** The number of steps of a comparison with a given value. */
export function weightOf({ value, companion }: Omit<DefinedValue, 'suffix'>): number {
  const length = JSON.stringify([value ?? null, companion ?? null]).length;
  return 1 + Math.floor(length / CHARACTERS_OF_STEP);
}

/** True if a value with its companion matches pattern[x]. */
export function followsPattern(
  pattern: DefinedValue,
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
  meter: Meter,
): boolean {
  return (
    (pattern.value === undefined || contains(pattern.value, value, meter)) &&
    (pattern.companion === undefined || contains(pattern.companion, companion, meter))
  );
}

/**
 * True if the value contains all of the pattern; false when the meter has run out. Primitives must be equal, each
 * member of an object must match, and each element of an array must match some element of the other.
 * Source: https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.pattern_x_
 */
export function contains(pattern: JsonValue, value: JsonValue | undefined, meter: Meter): boolean {
  if (value === undefined || --meter.left < 0) return false;
  if (Array.isArray(pattern)) {
    // null only holds the place of a companion.
    return (
      Array.isArray(value) &&
      pattern.every((wanted) => wanted === null || value.some((found) => contains(wanted, found, meter)))
    );
  }
  if (isJsonObject(pattern)) {
    if (!isJsonObject(value)) return false;
    for (const name in pattern) {
      const wanted = pattern[name];
      if (wanted !== undefined && !(Object.hasOwn(value, name) && contains(wanted, value[name], meter)))
        return false;
    }
    return true;
  }
  if (pattern === value) return true;
  const wanted = decimalText(pattern);
  const found = decimalText(value);
  return wanted !== undefined && found !== undefined && areEqualDecimals(wanted, found);
}

/** Shows a value in a sentence. */
export function show(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'nothing';
  return shorten(stringifyJson(value, true));
}
