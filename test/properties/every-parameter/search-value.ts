/** From a value that a resource has to a search that finds it. */
import type { SearchParameterKind } from '../../../src/core/fhir/definitions';
import { decimalText, isJsonObject, type JsonObject, type JsonValue } from '../../../src/core/fhir/json';
import type { PathValue } from '../../../src/core/fhir/path';

export interface SearchValue {
  /** With the colon, '' for none. */
  readonly modifier: string;
  readonly text: string;
}

const plain = (text: string): SearchValue => ({ modifier: '', text });
const escaped = (text: string): string => text.replace(/[\\,$|]/g, '\\$&');

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function first(value: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Undefined where the value says nothing that can be searched for, as a concept of text alone. */
export function searchValueOf(kind: SearchParameterKind, found: PathValue): SearchValue | undefined {
  switch (kind) {
    case 'token':
      return tokenValue(found);
    case 'string':
      return stringValue(found);
    case 'reference':
      return referenceValue(found);
    case 'date':
      return dateValue(found);
    case 'number':
    case 'quantity':
      return numberValue(found);
    case 'uri':
      return typeof found.value === 'string' ? canonicalValue(found.value) : undefined;
    case 'special':
      return positionValue(found.value);
    case 'composite':
      return undefined;
  }
}

function tokenValue({ value, type, system }: PathValue): SearchValue | undefined {
  if (typeof value === 'boolean' || typeof value === 'number') return plain(String(value));
  const coded = (from: JsonValue | undefined, name: string): SearchValue | undefined => {
    const code = isJsonObject(from) ? textOf(from[name]) : undefined;
    if (code === undefined || !isJsonObject(from)) return undefined;
    const of = textOf(from['system']);
    return plain(of === undefined ? escaped(code) : `${escaped(of)}|${escaped(code)}`);
  };
  if (typeof value === 'string')
    return plain(system === undefined ? escaped(value) : `${escaped(system)}|${escaped(value)}`);
  if (!isJsonObject(value)) return undefined;
  if (type === 'CodeableReference')
    return tokenValue({
      value: value['concept'] ?? null,
      type: 'CodeableConcept',
      system: undefined,
      element: undefined,
    });
  if (type !== 'CodeableConcept') return coded(value, type === 'Coding' ? 'code' : 'value');
  const codings = Array.isArray(value['coding']) ? value['coding'] : [];
  return codings.map((coding) => coded(coding, 'code')).find((one) => one !== undefined);
}

function stringValue({ value }: PathValue): SearchValue | undefined {
  const parts = isJsonObject(value)
    ? [
        'family',
        'given',
        'text',
        'city',
        'line',
        'postalCode',
        'country',
        'state',
        'district',
        'prefix',
        'suffix',
      ].map((name) => first(value[name]))
    : [value];
  const text = parts
    .map((part) => textOf(part ?? undefined))
    .find((part) => part !== undefined && /[\p{L}\p{N}]/u.test(part));
  return text === undefined ? undefined : plain(escaped(text.slice(0, 100)));
}

function referenceValue({ value, type }: PathValue): SearchValue | undefined {
  if (typeof value === 'string') return canonicalValue(value);
  if (!isJsonObject(value)) return undefined;
  const reference = type === 'CodeableReference' ? value['reference'] : value;
  if (!isJsonObject(reference)) return undefined;
  const literal = textOf(reference['reference']);
  if (literal !== undefined && !literal.startsWith('#')) return plain(escaped(literal));
  const identifier = reference['identifier'];
  const number = isJsonObject(identifier) ? textOf(identifier['value']) : undefined;
  return number === undefined ? undefined : { modifier: ':identifier', text: escaped(number) };
}

/** `|version` stays; a fragment goes, and may be all there is. */
function canonicalValue(text: string): SearchValue | undefined {
  const whole = text.replace(/#.*$/, '');
  return whole === '' ? undefined : plain(whole.replace(/[\\,$]/g, '\\$&'));
}

/** A choice may also be a text, such as "every second day". */
const DATES: readonly string[] = ['date', 'dateTime', 'instant'];

function dateValue({ value, type }: PathValue): SearchValue | undefined {
  if (typeof value === 'string') return DATES.includes(type) ? plain(value) : undefined;
  if (!isJsonObject(value)) return undefined;
  if (type === 'Timing') {
    const repeat = value['repeat'];
    const bounds = isJsonObject(repeat) ? repeat['boundsPeriod'] : undefined;
    const event = textOf(first(value['event']));
    if (event !== undefined) return plain(`ap${event}`);
    return isJsonObject(bounds) ? periodValue(bounds) : undefined;
  }
  return periodValue(value);
}

function periodValue(period: JsonObject): SearchValue | undefined {
  const start = textOf(period['start']);
  const end = textOf(period['end']);
  if (start !== undefined) return plain(`ge${start}`);
  return end === undefined ? undefined : plain(`le${end}`);
}

const PREFIXES: Readonly<Record<string, string>> = { '<': 'lt', '<=': 'lt', '>': 'gt', '>=': 'gt' };

function numberValue({ value, type }: PathValue): SearchValue | undefined {
  const alone = decimalText(value);
  if (alone !== undefined) return plain(alone);
  if (!isJsonObject(value)) return undefined;
  if (type === 'Range') {
    const low = value['low'];
    const high = value['high'];
    const from = isJsonObject(low) ? decimalText(low['value']) : undefined;
    const to = isJsonObject(high) ? decimalText(high['value']) : undefined;
    if (from !== undefined) return plain(`ge${from}`);
    return to === undefined ? undefined : plain(`le${to}`);
  }
  if (type === 'SampledData') return plain('lt1000000000');
  const number = decimalText(value['value']);
  if (number === undefined) return undefined;
  const prefix = PREFIXES[textOf(value['comparator']) ?? ''] ?? '';
  const currency = textOf(value['currency']);
  const system = currency === undefined ? textOf(value['system']) : 'urn:iso:std:iso:4217';
  const code = currency ?? textOf(value['code']);
  if (code !== undefined && system !== undefined)
    return plain(`${prefix}${number}|${escaped(system)}|${escaped(code)}`);
  const unit = code ?? textOf(value['unit']);
  return plain(unit === undefined ? `${prefix}${number}` : `${prefix}${number}||${escaped(unit)}`);
}

function positionValue(value: JsonValue): SearchValue | undefined {
  if (!isJsonObject(value)) return undefined;
  const latitude = decimalText(value['latitude']);
  const longitude = decimalText(value['longitude']);
  return latitude === undefined || longitude === undefined
    ? undefined
    : plain(`${latitude}|${longitude}|1|km`);
}
