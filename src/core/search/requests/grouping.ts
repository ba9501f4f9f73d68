/**
 * Grouping of resources for counts, by the values of a token, reference or date parameter. The group of a value holds
 * the matches of a search for that value, so grouping and search treat the same values as equal.
 */
import { fhirError } from '../../errors';
import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import type { Definitions } from '../../fhir/definitions';
import { isJsonObject, type JsonObject } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { parseReference } from '../../fhir/reference';
import { bucketOfRange, DATE_BUCKETS, type DateBucket } from '../values/date-bucket';
import { storedParameters, type RowSource, type StoredParameter } from '../parameters/parameter';
import { compileValues } from '../parameters/parameter-values';
import { escapeValue } from '../../../../packages/fhir-values/search-value';
import { keyOf } from '../rows/resource-key';
import type { RowSettings } from '../rows/collector';
import { dateValueRange } from '../rows/range';
import { isOutside, referenceText } from '../rows/reference';
import { areMixed, visitCodes } from '../rows/token';
import { indexedUri, isStorable, splitCanonical } from '../rows/uri';
import { searchTypeOf } from '../types';
import { isWithoutSystem } from '../types/token-codes';

export type GroupKind = 'token' | 'reference' | 'date';

/** The parameter that resources are grouped by, and where its values are stored. */
export interface Grouping {
  /** `canonical`: references by url; `updated`: the time of the last change, which is in the head and has no row. */
  readonly kind: 'token' | 'reference' | 'canonical' | 'date' | 'updated';
  readonly code: string;
  readonly stored: StoredParameter;
  /** Undefined unless the values are dates. */
  readonly bucket: DateBucket | undefined;
}

/** One value that a resource is counted by. */
export interface GroupValue {
  /** The value as a search parameter; equal for all members of the group except for the case of letters. */
  readonly value: string;
  /** Equal exactly for the members of one group. */
  readonly key: string;
  /** For a token: the coding as the resource has it. */
  readonly coding?: GroupCoding;
  /** Identifies the group in its index rows. */
  readonly row?: GroupRow;
}

export interface GroupCoding {
  readonly system?: string;
  readonly code: string;
  readonly display?: string;
}

/** A token's hash with that of its system, a target's key with its type, or a uri as in the rows. */
export type GroupRow =
  | {
      readonly place: 'token' | 'reference';
      readonly high: number;
      readonly low: number;
      readonly number: number;
    }
  | { readonly place: 'uri'; readonly uri: string };

const LAST_UPDATED = '_lastUpdated';
const OF_REFERENCES: ReadonlySet<string> = new Set(['Reference', 'CodeableReference']);
const OF_CANONICALS: ReadonlySet<string> = new Set(['canonical', 'uri', 'url']);

/** Returns how resources are grouped by a parameter; undefined: grouping by it is not supported. */
function kindOf(stored: StoredParameter): Grouping['kind'] | undefined {
  const { parameter, valueTypes } = stored;
  if (parameter.code === LAST_UPDATED) return 'updated';
  if (searchTypeOf(stored) === undefined) return undefined;
  switch (parameter.kind) {
    case 'token':
      return areMixed(valueTypes) ? undefined : 'token';
    case 'date':
      return 'date';
    case 'reference':
      if (valueTypes.length === 0) return undefined;
      if (valueTypes.every((type) => OF_REFERENCES.has(type))) return 'reference';
      return valueTypes.every((type) => OF_CANONICALS.has(type)) ? 'canonical' : undefined;
    default:
      return undefined;
  }
}

/** Returns the kind of values that a parameter can be grouped by; undefined: grouping by it is not supported. */
export function groupKindOf(stored: StoredParameter): GroupKind | undefined {
  const kind = kindOf(stored);
  if (kind === 'canonical') return 'reference';
  return kind === 'updated' ? 'date' : kind;
}

/** Returns the grouping by a parameter. Throws unknownParameter, invalidValue. */
export function groupingOf(
  definitions: Definitions,
  type: string,
  { parameter: code, bucket }: { readonly parameter: string; readonly bucket?: string },
): Grouping {
  const all = storedParameters(definitions, type);
  const stored = all.get(code);
  if (stored === undefined) {
    const explanation = didYouMean(code, all.keys());
    throw fhirError('unknownParameter', { parameter: code.slice(0, 80), type, explanation });
  }
  const kind = kindOf(stored);
  const shown = code.slice(0, 80);
  if (kind === undefined)
    throw fhirError('invalidValue', {
      reason: `${type} resources are not counted by the values of '${shown}'`,
    });
  const isDate = kind === 'date' || kind === 'updated';
  const dateBucket = DATE_BUCKETS.find((one) => one === bucket);
  if (isDate ? dateBucket === undefined : bucket !== undefined) {
    const reason = isDate
      ? `the dates of '${shown}' are counted by ${DATE_BUCKETS.join(', ')}`
      : `the values of '${shown}' are no dates`;
    throw fhirError('invalidValue', { reason });
  }
  return { kind, code, stored, bucket: dateBucket };
}

/** Returns the groups of a resource, each once. `lastUpdated`: milliseconds since 1970. */
export type GroupsOf = (resource: JsonObject, lastUpdated: number) => readonly GroupValue[];

/** Compiles a grouping. Cost: some 100 µs for the expressions; then some microseconds for each resource. */
export function compileGroups(
  { kind, stored, bucket = 'day' }: Grouping,
  definitions: Definitions,
  settings: RowSettings,
): GroupsOf {
  if (kind === 'updated')
    return (_resource, at) => ofName(bucketOfRange({ low: at, high: at + 1 }, bucket, settings.zone));
  const visitors = stored.rowsOf.map((source) => {
    const parameter =
      source.number === stored.parameter.number
        ? stored.parameter
        : definitions.searchParameter(source.number);
    if (parameter === undefined) throw new Error('the rows of a parameter are those of no parameter');
    return { source, valuesOf: compileValues(definitions, parameter) };
  });
  return (resource) => {
    const groups = new Map<string, GroupValue>();
    for (const { source, valuesOf } of visitors) {
      for (const found of valuesOf(resource)) {
        for (const group of groupsOfValue(found, source))
          if (!groups.has(group.key)) groups.set(group.key, group);
      }
    }
    return [...groups.values()];
  };

  function groupsOfValue(found: PathValue, source: RowSource): readonly GroupValue[] {
    switch (kind) {
      case 'token':
        return ofToken(found, stored, settings);
      case 'reference':
        return ofReference(found, source, settings);
      case 'canonical':
        return ofCanonical(found, settings);
      default: {
        const range = dateValueRange(found.value, found.type, settings.zone);
        return ofName(range && bucketOfRange(range, bucket, settings.zone));
      }
    }
  }
}

function ofName(name: string | undefined): readonly GroupValue[] {
  return name === undefined ? [] : [{ value: name, key: name }];
}

function ofToken(
  { value, type, system: bindingSystem }: PathValue,
  stored: StoredParameter,
  { hasher }: RowSettings,
): readonly GroupValue[] {
  const groups: GroupValue[] = [];
  const hasSystem = !isWithoutSystem(stored);
  visitCodes(value, type, bindingSystem, (system, folded, _isExact, source) => {
    const written = source?.['code'] ?? source?.['value'] ?? value;
    const code = typeof written === 'string' ? written : folded;
    const display = source?.['display'];
    const high = hasher.text(folded);
    const { low } = hasher;
    groups.push({
      value: hasSystem ? `${escapeValue(system ?? '')}|${escapeValue(code)}` : escapeValue(code),
      key: JSON.stringify([system ?? null, folded]),
      coding: {
        ...(system === undefined ? {} : { system }),
        code,
        ...(typeof display === 'string' ? { display } : {}),
      },
      row: { place: 'token', high, low, number: system === undefined ? 0 : hasher.cachedShort(system) },
    });
  });
  return groups;
}

/** Returns the group of a reference; none for one with only an identifier, or to a contained resource. */
function ofReference(
  found: PathValue,
  { targetType }: RowSource,
  settings: RowSettings,
): readonly GroupValue[] {
  const text = isJsonObject(found.value) ? referenceText(found, settings) : undefined;
  if (text === undefined) return [];
  const { hasher, localReference, typeNumber } = settings;
  const local = localReference(text);
  if (targetType !== undefined && (local?.type ?? parseReference(text).type) !== targetType) return [];
  if (local !== undefined) {
    const number = typeNumber(local.type);
    if (number === undefined) return [];
    const { high, low } = keyOf(hasher, local.type, local.id);
    return [{ value: text, key: text, row: { place: 'reference', high, low, number } }];
  }
  if (!isOutside(text)) return [];
  const high = hasher.text(text);
  return [{ value: text, key: text, row: { place: 'token', high, low: hasher.low, number: 0 } }];
}

/** Groups by url without version, as a search for the url matches. */
function ofCanonical({ value, type }: PathValue, { hasher }: RowSettings): readonly GroupValue[] {
  if (!isStorable(value)) return [];
  const url = type === 'canonical' ? splitCanonical(value).url : value;
  if (url === '') return [];
  const uri = indexedUri(hasher, url);
  return [{ value: url, key: uri, row: { place: 'uri', uri } }];
}
