/** What finds the records of people, and how they are shown in a choice. */
import { isValidId } from '../../../packages/fhir-values/id';
import { escapeValue } from '../../../packages/fhir-values/search-value';
import { textOf, type JsonObject } from '../api/json';
import { formatDateTime } from './format-date';
import { formatTitle, formatValue } from './format';
import { fromTyped } from './search/search-value';

export interface FoundRecord {
  readonly id: string;
  readonly title: string;
  /** What tells it from others of the same name. */
  readonly details: string;
}

/** Types whose records name a person only through another one. */
const NAME_PARAMETERS: Readonly<Record<string, string>> = { PractitionerRole: 'practitioner.name' };

/** Queries that together find what a person means by some words: parts of a name, an id or an identifier. */
export function toQueries(type: string, words: string): readonly string[] {
  const parts = words.split(/\s+/).filter((part) => part !== '');
  if (parts.length === 0) return ['_sort=-_lastUpdated'];
  const name = NAME_PARAMETERS[type] ?? 'name';
  const [only = ''] = parts;
  return [
    parts.map((part) => `${name}=${encodeURIComponent(escapeValue(part))}`).join('&'),
    ...(parts.length === 1 && isValidId(only) ? [`_id=${only}`] : []),
    ...(parts.length === 1 ? [`identifier=${encodeURIComponent(identifierOf(only))}`] : []),
  ];
}

/** `system|value` is typed as searches have it; in a value alone nothing has a meaning. */
function identifierOf(word: string): string {
  return word.includes('|') ? fromTyped(word) : escapeValue(word);
}

export function toFound(record: JsonObject): FoundRecord {
  const id = textOf(record['id']) ?? '';
  const born = textOf(record['birthDate']);
  const details = [
    textOf(record['gender']) ?? '',
    born === undefined ? '' : formatDateTime(born),
    formatValue(record['practitioner']),
    formatValue(record['patient']),
    id,
  ];
  return { id, title: formatTitle(record), details: details.filter((text) => text !== '').join(' · ') };
}
