/** The parts of one value of a search parameter. */
import type { Prefixed } from '../../../../packages/fhir-values/search-prefix';
import { escapeValue, splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';

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
