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

/** pattern[x] of a value with its companion. */
export function followsPattern(
  pattern: GivenValue,
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
): boolean {
  return (
    (pattern.value === undefined || contains(pattern.value, value)) &&
    (pattern.companion === undefined || contains(pattern.companion, companion))
  );
}

/**
 * Whether all of the pattern is found in the value: primitives exactly, each member of an object, each element of an
 * array in some element of the other.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.pattern_x_
 */
export function contains(pattern: JsonValue, value: JsonValue | undefined): boolean {
  if (value === undefined) return false;
  if (Array.isArray(pattern)) {
    // null only keeps a place free for a companion.
    return (
      Array.isArray(value) &&
      pattern.every((wanted) => wanted === null || value.some((found) => contains(wanted, found)))
    );
  }
  if (isJsonObject(pattern)) {
    if (!isJsonObject(value)) return false;
    for (const name in pattern) {
      const wanted = pattern[name];
      if (wanted !== undefined && !(Object.hasOwn(value, name) && contains(wanted, value[name])))
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
