/** Whether a value is exactly, or follows, the one that a profile gives. */
import { decimalText, isJsonObject, stringifyJson, type JsonObject, type JsonValue } from '../../json';
import { areEqualDecimals } from '../../json/decimal';
import { areEqualJson } from '../../json/equality';
import { shorten } from '../../json/fault';
import type { GivenValue } from './element';

/**
 * fixed[x]: the very value, and what it lacks is lacking too; decimals by value (1.0 is 1.00).
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.fixed_x_
 */
export function isFixed(
  fixed: GivenValue,
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
): boolean {
  return isSame(fixed.value, value) && isSame(fixed.companion, companion);
}

function isSame(fixed: JsonValue | undefined, value: JsonValue | undefined): boolean {
  const isAbsent = value === undefined || value === null;
  return fixed === undefined ? isAbsent : !isAbsent && areEqualJson(fixed, value);
}

/** Work that is left: values may be made to be compared with each other, each with each. */
export interface Meter {
  left: number;
}

/** Characters of a value that cost as much as one step. */
const CHARACTERS_OF_STEP = 64;

/** Steps that it takes to compare a value with one that is given. */
export function weightOf({ value, companion }: Omit<GivenValue, 'suffix'>): number {
  const length = JSON.stringify([value ?? null, companion ?? null]).length;
  return 1 + Math.floor(length / CHARACTERS_OF_STEP);
}

/** pattern[x] of a value with its companion. */
export function followsPattern(
  pattern: GivenValue,
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
 * Whether all of the pattern is found in the value, or false when the meter has run out: primitives exactly, each member of an object, each element of an
 * array in some element of the other.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.pattern_x_
 */
export function contains(pattern: JsonValue, value: JsonValue | undefined, meter: Meter): boolean {
  if (value === undefined || --meter.left < 0) return false;
  if (Array.isArray(pattern)) {
    // null only keeps a place free for a companion.
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

/** A value as a sentence shows it. */
export function show(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'nothing';
  return shorten(stringifyJson(value, true));
}
