/** The parts of one value of a search parameter. */
import { escapeValue, splitUnescaped, unescapeValue } from '../../../packages/fhir-values/search-value';

/** Whether a value is more or less than another: these codes stand before dates, numbers and quantities. */
export const PREFIXES = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'sa', 'eb', 'ap'] as const;
export type Prefix = (typeof PREFIXES)[number];

export function isPrefix(text: string): text is Prefix {
  return PREFIXES.some((prefix) => prefix === text);
}

export interface Prefixed {
  readonly prefix: Prefix;
  readonly rest: string;
}

/** The prefix of a value, `eq` where it has none. */
export function parsePrefixed(value: string): Prefixed {
  const prefix = PREFIXES.find((each) => value.startsWith(each));
  return prefix === undefined ? { prefix: 'eq', rest: value } : { prefix, rest: value.slice(2) };
}

/** A value with its prefix; `eq` is not written. */
export function formatPrefixed({ prefix, rest }: Prefixed): string {
  return prefix === 'eq' || rest === '' ? rest : `${prefix}${rest}`;
}

/** `5.4|http://unitsofmeasure.org|mg`, without its prefix. */
export interface QuantityValue {
  readonly number: string;
  readonly system: string;
  readonly unit: string;
}

export function parseQuantity(value: string): QuantityValue {
  const [number = '', system = '', unit = ''] = splitUnescaped(value, '|').map(unescapeValue);
  return { number, system, unit };
}

export function formatQuantityValue({ number, system, unit }: QuantityValue): string {
  if (system === '' && unit === '') return number;
  return `${number}|${escapeValue(system)}|${escapeValue(unit)}`;
}

/** What a person types for a value that has parts: only the comma, which would begin another value, is escaped. */
export function fromTyped(text: string): string {
  return text.replace(/\\?,/g, '\\,');
}

export function toTyped(value: string): string {
  return value.replaceAll('\\,', ',');
}
