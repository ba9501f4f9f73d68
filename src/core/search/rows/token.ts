/**
 * Token rows. A code is hashed as given for code, boolean, id and uri elements, and case-folded for Coding,
 * CodeableConcept, Identifier, ContactPoint and string.
 * Source: https://hl7.org/fhir/R4/search.html#token
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { ROW_SCHEME } from './index-rows';
import type { RowCollector, RowSettings } from './collector';

/**
 * Visits one code of a value; `system` is undefined when it has none. `code` is folded, except where `isExact`.
 * `source`: the object that has the code as `code` or `value`, where there is one.
 */
export type VisitCode = (
  system: string | undefined,
  code: string,
  isExact: boolean,
  source?: JsonObject,
) => void;

/**
 * Marks a code that is compared as given, where rows of the same parameter hold codes that are compared without regard
 * to case. No code of FHIR has such a character.
 */
export function markExact(code: string): string {
  return `\0${code}`;
}

/** True where one parameter can have both kinds of codes (Group.characteristic.value). */
export function areMixed(valueTypes: readonly string[]): boolean {
  return valueTypes.some(isCaseInsensitive) && !valueTypes.every(isCaseInsensitive);
}

/** Folds a code whose case makes no difference; codes in rows and in searches are folded the same way. */
export function foldCode(code: string): string {
  return code.toLowerCase();
}

/** True for the types whose codes are compared without regard to case. */
export function isCaseInsensitive(type: string): boolean {
  return !EXACT_TYPES.has(type);
}

const EXACT_TYPES: ReadonlySet<string> = new Set([
  'code',
  'boolean',
  'id',
  'uri',
  'url',
  'canonical',
  'oid',
  'uuid',
  'date',
  'dateTime',
  'instant',
  'time',
  'integer',
  'positiveInt',
  'unsignedInt',
]);

const INTEGER_TYPES: ReadonlySet<string> = new Set(['integer', 'positiveInt', 'unsignedInt']);

/** Adds the rows of one value of a token parameter; `isMixed`: its values are of both kinds. */
export function addTokenRows(
  { value, type, system }: PathValue,
  {
    parameter,
    isMixed,
    settings,
    rows,
  }: {
    readonly parameter: number;
    readonly isMixed: boolean;
    readonly settings: RowSettings;
    readonly rows: RowCollector;
  },
): void {
  const { hasher } = settings;
  visitCodes(value, type, system, (codeSystem, code, isExact) => {
    const high = hasher.text(isMixed && isExact ? markExact(code) : code);
    const low = hasher.low;
    rows.token(parameter, high, low, codeSystem === undefined ? 0 : hasher.cachedShort(codeSystem));
  });
  if (type === 'Identifier' && isJsonObject(value)) addOfTypeRows(value, parameter, settings, rows);
}

/** Visits the codes of a value of a token parameter or composite part; values of a wrong shape have none. */
export function visitCodes(
  value: JsonValue,
  type: string,
  bindingSystem: string | undefined,
  visit: VisitCode,
): void {
  if (typeof value === 'string') {
    // A marked decimal is not a text; numbers are searched by their value, not as tokens.
    if (value.length === 0 || value.charCodeAt(0) === 1 || type === 'boolean') return;
    const folds = isCaseInsensitive(type);
    visit(bindingSystem, folds ? foldCode(value) : value, !folds);
  } else if (typeof value === 'boolean') {
    if (type === 'boolean') visit(undefined, String(value), true);
  } else if (typeof value === 'number') {
    if (INTEGER_TYPES.has(type)) visit(undefined, String(value), true);
  } else if (isJsonObject(value)) {
    if (type === 'CodeableConcept') visitConcept(value, visit);
    else if (type === 'Coding') visitPair(value['system'], value['code'], value, visit);
    else if (type === 'Identifier') visitPair(value['system'], value['value'], value, visit);
    else if (type === 'ContactPoint') visitPair(value['system'], value['value'], value, visit);
    else if (type === 'CodeableReference' && isJsonObject(value['concept']))
      visitConcept(value['concept'], visit);
  }
}

function visitConcept(concept: JsonObject, visit: VisitCode): void {
  const codings = concept['coding'];
  if (!Array.isArray(codings)) return;
  for (const coding of codings) {
    if (isJsonObject(coding)) visitPair(coding['system'], coding['code'], coding, visit);
  }
}

function visitPair(
  system: JsonValue | undefined,
  code: JsonValue | undefined,
  source: JsonObject,
  visit: VisitCode,
): void {
  if (typeof code !== 'string' || code.length === 0) return;
  visit(typeof system === 'string' && system.length > 0 ? system : undefined, foldCode(code), false, source);
}

/** Adds the rows for `:of-type=system|code|value`. Source: https://hl7.org/fhir/R4/search.html#token */
function addOfTypeRows(
  identifier: JsonObject,
  parameter: number,
  { hasher }: RowSettings,
  rows: RowCollector,
): void {
  const value = identifier['value'];
  const type = identifier['type'];
  if (typeof value !== 'string' || value.length === 0 || !isJsonObject(type)) return;
  visitConcept(type, (system, code) => {
    const high = hasher.parts(system ?? '', code, foldCode(value));
    rows.token(parameter + ROW_SCHEME.ofType, high, hasher.low, 0);
  });
}
