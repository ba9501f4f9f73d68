/** When something happened, by the date elements that search parameters and definitions name. */
import { isArray, isObject, objectsOf, textOf, type JsonObject } from '../api/json';
import type { ElementInfo } from './definitions';

/** A search parameter for an element of the type itself. */
export interface DateElement {
  /** Code of the search parameter. */
  readonly code: string;
  readonly element: string;
}

const OF_PERSON = /^(?:birth|death|deceased)/;

/** The date elements of each type, from its SearchParameter resources of type date. */
export function dateElementsOf(bundle: JsonObject): ReadonlyMap<string, readonly DateElement[]> {
  const elements = new Map<string, DateElement[]>();
  for (const { resource } of objectsOf(bundle['entry'])) {
    if (!isObject(resource) || !isArray(resource['base'])) continue;
    const code = textOf(resource['code']) ?? '';
    for (const base of resource['base'].flatMap((each) => textOf(each) ?? [])) {
      const element = elementIn(textOf(resource['expression']) ?? '', base);
      // The dates of a person are no event.
      if (element === undefined || OF_PERSON.test(element)) continue;
      elements.set(base, [...(elements.get(base) ?? []), { code, element }]);
    }
  }
  return elements;
}

/** The element of the type itself that an expression selects; undefined: it selects one further inside. */
function elementIn(expression: string, type: string): string | undefined {
  for (const part of expression.split('|')) {
    const path = part
      .replaceAll(/[()]/g, ' ')
      .replace(/\s+as\s+\w+/, '')
      .replace(/\.as\s+\w+/, '')
      .trim();
    const [root, element, ...inner] = path.split('.');
    if (root === type && element !== undefined && inner.length === 0) return element;
  }
  return undefined;
}

/** The elements in the order in which they say when something happened: `date` first, then that of the definition. */
export function inOrder(
  dates: readonly DateElement[],
  elements: readonly ElementInfo[],
): readonly DateElement[] {
  const rank = ({ code, element }: DateElement): number => {
    if (code === 'date') return -1;
    const place = elements.findIndex(({ name }) => name === element);
    return place === -1 ? elements.length : place;
  };
  return dates.toSorted((one, other) => rank(one) - rank(other));
}

/** The first date that a record has in one of these elements, as it is written. */
export function dateOf(record: JsonObject, dates: readonly DateElement[]): string | undefined {
  for (const { element } of dates) {
    for (const [name, value] of Object.entries(record)) {
      if (name !== element && !new RegExp(`^${element}[A-Z]`).test(name)) continue;
      const date = typeof value === 'string' ? value : isObject(value) ? dateIn(value) : undefined;
      if (date !== undefined && /^\d{4}/.test(date)) return date;
    }
  }
  return undefined;
}

/** The beginning of a period, or else its end; the first event of a timing. */
function dateIn(value: JsonObject): string | undefined {
  const event = isArray(value['event']) ? textOf(value['event'][0]) : undefined;
  return textOf(value['start']) ?? textOf(value['end']) ?? event;
}
