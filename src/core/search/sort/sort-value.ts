import {
  exactOf,
  nextAbove,
  toDoubleWithRest,
  sortText,
  sortTextOfDouble,
  type Exact,
} from '../../fhir/exact-number';
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import type { ReferenceResolver } from '../../fhir/reference';
import type { Zone } from '../../../../packages/fhir-values/date';
import type { PathValue } from '../../fhir/path';
import { compareTexts } from './compare-texts';
import { extensionValue } from '../parameters/extension-value';
import { foldForIndex } from '../rows/fold';
import type { Hasher } from '../rows/hash';
import { compileParameterPath } from '../parameters/parameter-path';
import { sortedReference } from '../values/reference-values';
import type { SortKey } from '../requests/parse-search';
import { dateValueRange } from '../rows/range';
import { sampleLimits } from '../rows/sampled-data';
import { visitTexts } from '../rows/string';
import { visitCodes } from '../rows/token';
import { indexedUri } from '../rows/uri';

/** The sort value of a resource: a text (numbers become texts in their order), or a time; null: no value. */
export type SortValue = string | number | null;

/** The settings of a space that sort values depend on. */
export interface SortSpace {
  readonly references: ReferenceResolver;
  readonly zone: Zone;
  readonly hasher: Hasher;
}

/** Returns the sort values of all keys for one resource. */
export type SortValueReader = (
  content: () => JsonObject,
  lastUpdated: number,
  id: () => string,
) => SortValue[];

/**
 * Creates a reader for the keys of a search: the least value of each ascending key, the greatest of each descending one
 * (docs/use/search-reference.md, Sorting). Values come from the resource's text.
 */
export function createSortValueReader(
  definitions: Definitions,
  type: string,
  keys: readonly SortKey[],
  of: SortSpace,
): SortValueReader {
  const readers = keys.map(
    ({ code, parameter, descending }): ((...of: Parameters<SortValueReader>) => SortValue) => {
      if (code === '_lastUpdated') return (_content, lastUpdated) => lastUpdated;
      if (code === '_id' || parameter === undefined) return (_content, _lastUpdated, id) => id();
      const values = compileValues(definitions, { type, parameter, of, isOnlyKey: keys.length === 1 });
      return (content) => extreme(values(content()), descending);
    },
  );
  return (content, lastUpdated, id) => {
    let parsed: JsonObject | undefined;
    const once = (): JsonObject => (parsed ??= content());
    return readers.map((read) => read(once, lastUpdated, id));
  };
}

/** Compares two values; resources without a value come last in both directions. */
export function compareSortValues(a: SortValue, b: SortValue, descending: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return isLess(a, b) === descending ? 1 : -1;
}

function isLess(a: string | number, b: string | number): boolean {
  return typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) < 0 : a < b;
}

function extreme(values: readonly SortValue[], descending: boolean): SortValue {
  let best: SortValue = null;
  for (const value of values) {
    if (value !== null && (best === null || compareSortValues(value, best, descending) < 0)) best = value;
  }
  return best;
}

function compileValues(
  definitions: Definitions,
  {
    type,
    parameter,
    of,
    isOnlyKey,
  }: {
    readonly type: string;
    readonly parameter: SearchParameterDefinition;
    readonly of: SortSpace;
    readonly isOnlyKey: boolean;
  },
): (content: JsonObject) => SortValue[] {
  if (parameter.expression === undefined) return () => [];
  const path = compileParameterPath(definitions, parameter, parameter.expression, { rootType: type });
  return (content) =>
    path(content).flatMap((found) => {
      const inner = found.type === 'Extension' ? extensionValue(definitions, found) : found;
      return inner === undefined ? [] : sortValues(inner, parameter.kind, of, isOnlyKey);
    });
}

function sortValues(
  found: PathValue,
  kind: SearchParameterDefinition['kind'],
  of: SortSpace,
  isOnlyKey: boolean,
): SortValue[] {
  switch (kind) {
    case 'date':
      return [dateLow(found, of.zone)];
    case 'number':
    case 'quantity':
      return numberLow(found, isOnlyKey);
    case 'token': {
      const codes: string[] = [];
      visitCodes(found.value, found.type, found.system, (_system, code) => codes.push(code));
      return codes;
    }
    case 'reference':
      return present(sortedReference(found, of.references));
    case 'uri':
      return texts(found.value).map((uri) => (found.type === 'canonical' ? uri : indexedUri(of.hasher, uri)));
    case 'string':
      return foldedTexts(found);
    case 'composite':
    case 'special':
      return [];
  }
}

/** Returns the texts folded as in index rows. */
function foldedTexts(found: PathValue): string[] {
  const folded: string[] = [];
  visitTexts(found.value, found.type, false, (text) => folded.push(foldForIndex(text)));
  return folded;
}

function dateLow({ value, type }: PathValue, zone: Zone): SortValue {
  const range = dateValueRange(value, type, zone);
  return range === undefined || range.low === -Infinity ? null : range.low;
}

/**
 * Returns the beginning of a number or range as a text; none where it is open. Ranges are those of the index rows.
 * `isOnlyKey`: `>5` comes after 5, as in the rows; with several keys the two are equal, and the other keys decide.
 */
function numberLow({ value, type }: PathValue, isOnlyKey: boolean): string[] {
  if (!isJsonObject(value)) return present(exactOf(value)).map(sortText);
  if (type === 'Range') return rangeLow(value['low'], value['high']);
  if (type === 'SampledData') {
    const limits = sampleLimits(value);
    return limits === undefined ? [] : boundedLow(limits.low, limits.high);
  }
  const { comparator } = value;
  if (comparator === '<' || comparator === '<=') return [];
  const exact = exactOf(value['value']);
  if (exact === undefined) return [];
  if (comparator !== '>' || !isOnlyKey) return [sortText(exact)];
  const { at, rest } = toDoubleWithRest(exact);
  return [rest === undefined ? sortTextOfDouble(nextAbove(at)) : sortText(exact)];
}

function rangeLow(lowLimit: JsonValue | undefined, highLimit: JsonValue | undefined): string[] {
  if (!isJsonObject(lowLimit)) return [];
  const [low, high] = [lowLimit, highLimit].map((limit) =>
    isJsonObject(limit) ? exactOf(limit['value']) : undefined,
  );
  if (high !== undefined && isJsonObject(highLimit)) {
    // A value without a row is no sort value.
    if (lowLimit['code'] !== highLimit['code'] || lowLimit['system'] !== highLimit['system']) return [];
  }
  return boundedLow(low, high);
}

/** Ends of ranges are compared as doubles. */
function boundedLow(low: Exact | undefined, high: Exact | undefined): string[] {
  if (low === undefined) return [];
  const at = toDoubleWithRest(low).at;
  return high !== undefined && toDoubleWithRest(high).at < at ? [] : [sortTextOfDouble(at)];
}

function present<Value>(value: Value | undefined): Value[] {
  return value === undefined ? [] : [value];
}

function texts(value: JsonValue | undefined): string[] {
  return typeof value === 'string' ? [value] : [];
}
