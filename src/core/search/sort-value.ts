import { dateRange, periodRange, timingRange } from '../fhir/date';
import { toNumber } from '../fhir/decimal';
import type { Definitions, SearchParameterDefinition } from '../fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';
import { compilePath, type PathValue } from '../fhir/path';
import { foldForIndex } from './fold';
import type { SortKey } from './parse-search';
import { visitTexts } from './rows/string';
import { visitCodes } from './rows/token';

/** What a resource is sorted by: a folded text or a number; null: it has no value. */
export type SortValue = string | number | null;

/** Reads the values of all keys of one resource. */
export type SortValueReader = (
  content: () => JsonObject,
  lastUpdated: number,
  id: () => string,
) => SortValue[];

/**
 * A reader for the keys of a search: the least value of each for an ascending key, the greatest for a descending one
 * (search-rules.md, _sort). Values come from the resource's text.
 */
export function createSortValueReader(
  definitions: Definitions,
  type: string,
  keys: readonly SortKey[],
): SortValueReader {
  const readers = keys.map(
    ({ code, parameter, descending }): ((...of: Parameters<SortValueReader>) => SortValue) => {
      if (code === '_lastUpdated') return (_content, lastUpdated) => lastUpdated;
      if (code === '_id' || parameter === undefined) return (_content, _lastUpdated, id) => id();
      const values = compileValues(definitions, type, parameter);
      return (content) => extreme(values(content()), descending);
    },
  );
  return (content, lastUpdated, id) => {
    let parsed: JsonObject | undefined;
    const once = (): JsonObject => (parsed ??= content());
    return readers.map((read) => read(once, lastUpdated, id));
  };
}

/** Orders two values; those without one come last in both directions. */
export function compareSortValues(a: SortValue, b: SortValue, descending: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b === descending ? 1 : -1;
}

function extreme(values: readonly SortValue[], descending: boolean): SortValue {
  let best: SortValue = null;
  for (const value of values) {
    if (value !== null && (best === null || (descending ? value > best : value < best))) best = value;
  }
  return best;
}

function compileValues(
  definitions: Definitions,
  type: string,
  parameter: SearchParameterDefinition,
): (content: JsonObject) => SortValue[] {
  if (parameter.expression === undefined) return () => [];
  const path = compilePath(parameter.expression, { definitions, rootType: type });
  return (content) => path(content).flatMap((found) => sortValues(found, parameter.kind));
}

function sortValues(found: PathValue, kind: SearchParameterDefinition['kind']): SortValue[] {
  switch (kind) {
    case 'date':
      return [dateLow(found.value)];
    case 'number':
    case 'quantity':
      return [toNumber(isJsonObject(found.value) ? found.value['value'] : found.value) ?? null];
    case 'token': {
      const codes: string[] = [];
      visitCodes(found.value, found.type, found.system, (_system, code) => codes.push(code));
      return codes;
    }
    case 'reference':
      return texts(isJsonObject(found.value) ? found.value['reference'] : found.value);
    case 'uri':
      return texts(found.value);
    case 'string':
      return foldedTexts(found);
    case 'composite':
    case 'special':
      return [];
  }
}

function foldedTexts(found: PathValue): string[] {
  const folded: string[] = [];
  visitTexts(found.value, found.type, false, (text) => folded.push(foldForIndex(text)));
  return folded;
}

function dateLow(value: JsonValue): SortValue {
  let range;
  if (typeof value === 'string') range = dateRange(value);
  else if (isJsonObject(value)) {
    range =
      'event' in value || 'repeat' in value ? timingRange(value) : periodRange(value['start'], value['end']);
  }
  return range === undefined || range.low === -Infinity ? null : range.low;
}

function texts(value: JsonValue | undefined): SortValue[] {
  return typeof value === 'string' ? [value] : [];
}
