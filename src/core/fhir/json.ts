/**
 * JSON whose decimals keep their digits. `parseJson` returns ordinary objects. A number literal that JavaScript would
 * change (`1.00`, 1e400, 20 digits) becomes a string of U+0001 and the literal ("marked"); `stringifyJson` writes the
 * literal back. FHIR strings cannot contain U+0001, and `parseJson` refuses it in input, so a marked decimal cannot be
 * confused with a string.
 */
import { fhirError } from '../errors';
import { findFault, isForbiddenName, toRoot, type JsonFault } from './json/fault';
import { markNumbers, MAX_CONTAINERS, MAX_INEXACT, MAX_NAMES, scanJson } from './json/scan';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

export interface JsonDocument {
  readonly value: JsonValue;
  /** True if at least one decimal is marked; false lets `stringifyJson` skip its second pass. */
  readonly marked: boolean;
}

export interface JsonLimits {
  /** Maximum nesting of objects and arrays. */
  readonly maxDepth: number;
}

export const DECIMAL_MARK = '\u0001';
export const DEFAULT_MAX_DEPTH = 64;

/**
 * Parses JSON text; ignores a leading byte order mark. Members keep their order, except that names which are integers
 * come first (no FHIR element has one).
 *
 * Throws `invalidJson` with line and column of a syntax error; `invalidResource` with the expression of a member that
 * occurs twice in its object, of one called `__proto__` or `constructor`, and of one nested over the limit, and for
 * more different member names than FHIR has; `tooCostly` for more values than fit into memory; `invalidValue` for
 * U+0001 and half surrogate pairs in a string. Cost: about 15 µs for a Patient of 2 kB.
 */
export function parseJson(text: string, limits: JsonLimits = { maxDepth: DEFAULT_MAX_DEPTH }): JsonDocument {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const scan = scanJson(body);
  if (scan.depth > limits.maxDepth) throw refusal(body, '', limits);
  if (scan.hasTooManyNames) {
    const reason = `The body has more than ${MAX_NAMES} different member names, which is more than FHIR has`;
    throw fhirError('invalidResource', { reason });
  }
  if (scan.hasTooManyValues) {
    const reason = `The body has more than ${MAX_CONTAINERS} objects and arrays, or more than ${MAX_INEXACT} numbers such as 1.0`;
    throw fhirError('tooCostly', { reason });
  }
  const marked = scan.inexact.length > 0;
  let value: JsonValue;
  try {
    value = JSON.parse(marked ? markNumbers(body, scan.inexact) : body) as JsonValue;
  } catch {
    throw refusal(body, '', limits);
  }
  // The two counts differ only if an object has a member twice.
  if (scan.hasForbiddenCharacter || countMembers(value) !== scan.members) {
    const fault = findFault(body, rootOf(value), limits.maxDepth);
    if (fault !== undefined) throw toError(fault);
  }
  return { value, marked };
}

/**
 * Parses the text of a stored resource, without a depth limit. Returns an empty object for a deletion, which has no
 * text.
 */
export function parseStoredObject(text: string): JsonObject {
  const { value } = text === '' ? EMPTY_DOCUMENT : parseJson(text, STORED_LIMITS);
  return isJsonObject(value) ? value : {};
}

const EMPTY_DOCUMENT: JsonDocument = { value: {}, marked: false };
const STORED_LIMITS: JsonLimits = { maxDepth: Number.MAX_SAFE_INTEGER };

/**
 * Returns the JSON text of a value. `marked` is the one of `parseJson`; true is always correct and costs a second pass.
 */
export function stringifyJson(value: JsonValue, marked: boolean): string {
  const text = JSON.stringify(value);
  return marked ? text.replace(MARKED_LITERAL, '$1') : text;
}

/** True for a decimal that is a marked string. */
export function isMarkedDecimal(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.charCodeAt(0) === 1;
}

/** Returns the literal of a number, marked or not; undefined for anything else. */
export function decimalText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return isMarkedDecimal(value) ? value.slice(1) : undefined;
}

/** True for an object, false for null and arrays. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MARKED_LITERAL = /"\\u0001(-?[0-9][0-9.eE+-]*)"/g;

/** Counts the members of all objects in the value. Returns NaN, which equals no count, for a forbidden name. */
function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) {
      if (typeof element === 'object') count += countMembers(element);
    }
    return count;
  }
  for (const name in value) {
    count++;
    if (isForbiddenName(name)) return NaN;
    const member = value[name];
    if (typeof member === 'object') count += countMembers(member);
  }
  return count;
}

function rootOf(value: JsonValue): string {
  return isJsonObject(value) ? toRoot(value['resourceType']) : '';
}

/** Returns the error for a text that certainly has a fault. */
function refusal(body: string, root: string, limits: JsonLimits): Error {
  const fault = findFault(body, root, limits.maxDepth);
  return fault === undefined ? fhirError('invalidJson', { reason: 'it cannot be read' }) : toError(fault);
}

function toError(fault: JsonFault): Error {
  if (fault.kind === 'syntax') return fhirError('invalidJson', { reason: fault.reason });
  const key = fault.kind === 'character' ? 'invalidValue' : 'invalidResource';
  return fhirError(key, { reason: fault.reason }, fault.expression);
}
