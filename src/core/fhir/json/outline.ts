import type { JsonPath } from './fault';
import { stringifyJson, type JsonDocument, type JsonLimits, type JsonObject, type JsonValue } from '../json';

/** A part of a JSON value that stays text: an object, an array, or a long string of a resource. */
export interface JsonPart {
  /** Member names and indexes from the root; the value has null at this path. */
  readonly path: JsonPath;
  readonly text: string;
}

/** A JSON value with few enough nested values that one thread can send it to another at low cost; the rest is text. */
export interface JsonOutline {
  readonly value: JsonValue;
  readonly parts: readonly JsonPart[];
}

export interface OutlineLimits extends JsonLimits {
  /** Objects at most so many levels below the root stay values, with any members; an array is not a level. */
  readonly levels: number;
}

/**
 * Maximum number of members and elements that stay values; 100 characters of text count as one. Cloning and writing
 * them takes some 3 ms. A patch of 1,000 operations has fewer, apart from the content it adds.
 */
const LARGEST_OUTLINE = 10_000;
const CHARACTERS_PER_MEMBER = 100;

/** A longer string of a resource, such as the data of a Binary, stays text. */
const LONGEST_STRING = 10_000;

/**
 * Returns the outline of a document, which it takes apart. A container deeper than `levels` becomes text as a whole if
 * it does not fit into `largest`. So does one nearer to the root that has too many members or elements of its own, and
 * each long string of an object with a resourceType. Cost: linear in the document.
 */
export function outlineOf(
  { value, marked }: JsonDocument,
  levels: number,
  largest = LARGEST_OUTLINE,
): JsonOutline {
  const parts: JsonPart[] = [];
  const open: {
    readonly container: JsonValue[] | JsonObject;
    readonly path: JsonPath;
    readonly level: number;
  }[] = [];
  let left = largest;
  const toPart = (found: JsonValue, path: JsonPath): null => {
    parts.push({ path, text: stringifyJson(found, marked) });
    return null;
  };
  const take = (found: JsonValue, path: JsonPath, level: number): JsonValue => {
    if (typeof found !== 'object' || found === null) return found;
    const isOpen = level <= levels;
    const weight = isOpen ? sizeOf(found) : weightOf(found, left);
    if (weight > left) return toPart(found, path);
    left -= weight;
    if (isOpen) open.push({ container: found, path, level });
    return found;
  };
  const root = take(value, [], 0);
  // The list grows during the loop, so that containers nearer to the root come first.
  for (const { container, path, level } of open) {
    if (Array.isArray(container)) {
      container.forEach((element, index) => (container[index] = take(element, [...path, index], level)));
    } else {
      const isResource = 'resourceType' in container;
      for (const [name, member] of Object.entries(container)) {
        const place = [...path, name];
        const isLong = isResource && typeof member === 'string' && member.length > LONGEST_STRING;
        container[name] = isLong ? toPart(member, place) : take(member, place, level + 1);
      }
    }
  }
  return { value: root, parts };
}

function sizeOf(container: JsonValue[] | JsonObject): number {
  return Array.isArray(container) ? container.length : Object.keys(container).length;
}

/** Returns the weight of a value; stops with a weight above `most` once it is certain. */
function weightOf(value: JsonValue, most: number): number {
  if (typeof value === 'string') return value.length / CHARACTERS_PER_MEMBER;
  if (typeof value !== 'object' || value === null) return 0;
  let weight = sizeOf(value);
  for (const below of Object.values(value)) {
    if (weight > most) break;
    weight += weightOf(below, most - weight);
  }
  return weight;
}
