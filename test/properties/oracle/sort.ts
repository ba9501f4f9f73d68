/** `_sort`: ascending by the least value, descending by the greatest, without a value last in both directions. */
import { rangesOfElement } from './date';
import { type Resource } from './json';
import { intervalsOf } from './number';
import { findParameter, type Parameter } from './parameters';
import { quantitiesOf } from './quantity';
import { compare, type Rational } from './rational';
import { referenceText, targetOf } from './reference';
import { BadSearch, Unclear } from './refusal';
import { folded, textsOfElement } from './string';
import { tokensOf } from './token';
import { elementsOf, type Element } from './values';
import { textOf } from './json';

type Value = string | number | Rational;

/** "Texts are folded and sort by their first 200 characters" (search-reference.md, Sorting). */
const SORTED_LENGTH = 200;

interface Key {
  /** Each type has a parameter of this name, its own. */
  readonly code: string;
  readonly isDescending: boolean;
}

const isSortable = (parameter: Parameter | undefined): boolean =>
  parameter !== undefined && parameter.kind !== 'composite' && parameter.kind !== 'special';

/** @param text such as `-date,_id` @throws BadSearch where one of the types cannot be sorted so */
export function readSort(types: readonly string[], text: string): Key[] {
  return text.split(',').map((name) => {
    const code = name.replace(/^-/, '');
    if (!types.every((type) => isSortable(findParameter(type, code)))) throw new BadSearch(`_sort=${name}`);
    return { code, isDescending: name.startsWith('-') };
  });
}

/** Code points, not the rules of a language. */
function compareValues(one: Value, other: Value): number {
  if (typeof one === 'object' && typeof other === 'object') return compare(one, other);
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A reference to a resource of the space in its short form, an address elsewhere unchanged; no other is a value. */
function referenceValues({ type, value }: Element, root: string): string[] {
  const text = referenceText(value);
  if (text === undefined) return [];
  const target = targetOf(text, root);
  if (target !== undefined) return [`${target.type}/${target.id}`];
  return type === 'canonical' || /^[a-z][a-z0-9+.-]*:/i.test(text) ? [text] : [];
}

function valuesOf({ kind }: Parameter, element: Element, root: string): Value[] {
  const { type, value } = element;
  switch (kind) {
    case 'date':
      return rangesOfElement(type, value).flatMap(([low]) => (low === -Infinity ? [] : [low]));
    case 'string':
      return textsOfElement(type, value, false).map(({ text }) => folded(text).slice(0, SORTED_LENGTH));
    case 'token':
      return tokensOf(element).flatMap(({ code, isExact }) =>
        code === undefined ? [] : [isExact ? code : code.toLowerCase()],
      );
    case 'uri':
      return [textOf(value) ?? []].flat();
    case 'reference':
      return referenceValues(element, root);
    case 'number':
      return intervalsOf(element).flatMap(({ low }) => low.at ?? []);
    case 'quantity':
      return quantitiesOf(element).flatMap(({ interval }) => interval.low.at ?? []);
    default:
      return [];
  }
}

/** The value that a resource is sorted by; undefined where it has none. */
function sortValue({ code, isDescending }: Key, resource: Resource, root: string): Value | undefined {
  const parameter = findParameter(resource.resourceType, code);
  if (parameter === undefined) return undefined;
  const elements = elementsOf(resource, parameter).map((element) => valuesOf(parameter, element, root));
  const values = elements.flat().sort(compareValues);
  const isRanged = ['date', 'number', 'quantity'].includes(parameter.kind);
  if (isRanged && values.length > 0 && elements.some((found) => found.length === 0)) {
    throw new Unclear('a range without a start beside another value');
  }
  return values.at(isDescending ? -1 : 0);
}

/** Below 0 where `one` comes before `other`, 0 where either may. */
export function compareBy(keys: readonly Key[], one: Resource, other: Resource, root: string): number {
  for (const key of keys) {
    const mine = sortValue(key, one, root);
    const others = sortValue(key, other, root);
    if (mine === undefined || others === undefined) {
      if (mine !== others) return mine === undefined ? 1 : -1;
      continue;
    }
    const order = compareValues(mine, others);
    if (order !== 0) return key.isDescending ? -order : order;
  }
  return 0;
}

/** The sort values of a resource, for messages. */
export const describeKeys = (keys: readonly Key[], resource: Resource, root: string): string =>
  keys
    .map((key) => {
      const value = sortValue(key, resource, root);
      return typeof value === 'object' ? `${value.top}/${value.bottom}` : String(value);
    })
    .join(', ');
