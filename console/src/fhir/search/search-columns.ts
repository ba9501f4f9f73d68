/** The columns of a table of records, chosen by the definition and the search parameters of their type. */
import type { JsonObject, JsonValue } from '../../api/json';
import { observedText } from '../observed-text';
import type { ElementInfo, TypeDefinition } from '../definitions';
import { humanize } from '../humanize';
import type { SearchParameter } from './search-parameters';
import { choiceName } from '../../../../packages/fhir-values/choice-name';

export interface Column {
  /** Name of the element; of a choice of types without the type. */
  readonly name: string;
  readonly label: string;
  readonly short: string;
  readonly types: readonly string[];
  readonly isChoice: boolean;
  /** The parameter that sorts by it; undefined: none. */
  readonly sortedBy: string | undefined;
}

/** When the record last changed; the only column that is not an element of the record itself. */
export const LAST_UPDATED = 'meta.lastUpdated';

const DEFAULT_COLUMNS = 5;
const DATE_TYPES = new Set(['date', 'dateTime', 'instant', 'Period', 'Timing', 'Age', 'Range', 'string']);
const HIDDEN = new Set([
  'id',
  'meta',
  'implicitRules',
  'text',
  'contained',
  'extension',
  'modifierExtension',
]);
const LONG_TYPES = new Set(['BackboneElement', 'Element', 'Narrative', 'Resource', 'Extension']);

function isShown({ name, types }: ElementInfo): boolean {
  return !HIDDEN.has(name) && !types.some((type) => LONG_TYPES.has(type));
}

/** The parameters whose values are exactly those of a top-level element. */
function parametersOf(
  { name }: ElementInfo,
  type: string,
  parameters: readonly SearchParameter[],
): readonly SearchParameter[] {
  return parameters.filter(
    (each) => each.paths.includes(`${type}.${name}`) && each.type !== 'composite' && each.type !== 'special',
  );
}

/** All columns that a table of this type can have, in the order of the definition. */
export function columnsOf(
  { type, elements }: TypeDefinition,
  parameters: readonly SearchParameter[],
): readonly Column[] {
  const columns = elements.filter(isShown).map((element) => ({
    name: element.name,
    label: element.label,
    short: element.short,
    types: element.types,
    isChoice: element.isChoice,
    sortedBy: parametersOf(element, type, parameters)[0]?.code,
  }));
  const updated = {
    name: LAST_UPDATED,
    label: humanize('lastUpdated'),
    short: '',
    types: ['instant'],
    isChoice: false,
    sortedBy: '_lastUpdated',
  };
  return [...columns, updated];
}

/** Where there is no definition: the elements that the records have. */
export function columnsOfRecords(records: readonly JsonObject[]): readonly Column[] {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return [...names]
    .filter((name) => name !== 'resourceType' && !name.startsWith('_') && !HIDDEN.has(name))
    .map((name) => ({
      name,
      label: humanize(name),
      short: '',
      types: [],
      isChoice: false,
      sortedBy: undefined,
    }));
}

/**
 * What an element tells a reader of a list, best first: what it is called, what it is, its value, when, whose, in which
 * state, by which number. Undefined: nothing that a list needs.
 */
function rankOf(
  { name, types, isSummary, isChoice }: ElementInfo,
  found: readonly SearchParameter[],
): number | undefined {
  const [type = ''] = types;
  if (!isSummary) return undefined;
  if (type === 'HumanName' || name === 'name' || name === 'title') return 0;
  if (found.length === 0) return undefined;
  if (type === 'CodeableConcept' && found.some(({ code }) => code === 'code' || code === 'type')) return 1;
  if (isChoice && name === 'value') return 2;
  if (type !== 'string' && types.every((each) => DATE_TYPES.has(each))) return 3;
  if (type === 'Reference') return found.some(({ code }) => code === 'patient' || code === 'subject') ? 4 : 7;
  if (type === 'code') return 5;
  if (type === 'Identifier') return 6;
  if (type === 'CodeableConcept' || type === 'Coding') return 8;
  return type === 'uri' || type === 'boolean' ? undefined : 9;
}

/** The elements that a list shows first, each kind of them once. */
function leadingElements(
  { type, elements }: TypeDefinition,
  parameters: readonly SearchParameter[],
): readonly ElementInfo[] {
  const ranked = elements
    .filter(isShown)
    .map((element) => ({ element, rank: rankOf(element, parametersOf(element, type, parameters)) }))
    .filter((each): each is { element: ElementInfo; rank: number } => each.rank !== undefined)
    .toSorted((one, other) => one.rank - other.rank);
  const first = ranked.filter(({ rank }, index) => ranked.findIndex((each) => each.rank === rank) === index);
  const others = ranked.filter((each) => !first.includes(each));
  return [...first, ...others].map(({ element }) => element);
}

/** The names of the columns that a person sees who has chosen none. */
export function defaultColumns(
  definition: TypeDefinition,
  parameters: readonly SearchParameter[],
): readonly string[] {
  return leadingElements(definition, parameters)
    .slice(0, DEFAULT_COLUMNS)
    .map(({ name }) => name);
}

/** The parameters that most people search a type by: those of its first columns. */
export function mainParameters(
  definition: TypeDefinition | undefined,
  parameters: readonly SearchParameter[],
  limit: number,
): readonly SearchParameter[] {
  const main =
    definition === undefined
      ? []
      : leadingElements(definition, parameters).flatMap((element) => {
          // Each type of a value has a parameter of its own, none of which finds the others.
          if (element.isChoice && element.name === 'value') return [];
          const found = parametersOf(element, definition.type, parameters);
          // Of several parameters of one element the one that is called like it, or that people can type.
          const named = found.find(({ code }) => code === element.name.toLowerCase());
          return named ?? found.find(({ type }) => type === 'string') ?? found.slice(0, 1);
        });
  const chosen = main.length > 0 ? main : parameters.filter(({ code }) => code === '_id');
  return chosen.slice(0, limit);
}

/** The value of a column in a record, and its type if it is known; of an observation with components, their values. */
export function cellOf(
  record: JsonObject,
  column: Pick<Column, 'name' | 'types' | 'isChoice'>,
): { readonly value: JsonValue | undefined; readonly type: string | undefined } {
  if (column.name === LAST_UPDATED) {
    const meta = record['meta'] as JsonObject | undefined;
    return { value: meta?.['lastUpdated'], type: 'instant' };
  }
  if (!column.isChoice) return { value: record[column.name], type: column.types[0] };
  if (column.name === 'value' && record['component'] !== undefined)
    return { value: observedText(record), type: 'string' };
  for (const type of column.types) {
    const value = record[choiceName(column.name, type)];
    if (value !== undefined) return { value, type };
  }
  return { value: undefined, type: undefined };
}
