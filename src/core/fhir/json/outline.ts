import { stringifyJson, type JsonDocument, type JsonLimits, type JsonObject, type JsonValue } from '../json';

type Path = readonly (string | number)[];

/** A part of a JSON value that stays text: an object, an array, or a long string of a resource. */
export interface JsonPart {
  /** Member names and indexes from the root; null stands there in the value. */
  readonly path: Path;
  readonly text: string;
}

/** A JSON value of which no more are values than it is cheap to hand from one thread to another. */
export interface JsonOutline {
  readonly value: JsonValue;
  readonly parts: readonly JsonPart[];
}

export interface OutlineLimits extends JsonLimits {
  /** Objects so many levels below the root stay values, whatever their members are; an array is no level of its own. */
  readonly levels: number;
}

/**
 * Members and elements that stay values, and 100 characters of text count as one: some 3 ms to be cloned and written,
 * more than a patch of 1,000 operations has without what it adds.
 */
const LARGEST_OUTLINE = 10_000;
const CHARACTERS_PER_MEMBER = 100;

/** A string of a resource that is longer, such as the data of a Binary, is not written once more. */
const LONGEST_STRING = 10_000;

/**
 * The outline of a document, which it takes apart. What lies deeper than `levels` stays text as a whole where it does
 * not fit into `largest`; so does what is nearer to the root and has too many members or elements of its own, and each
 * long string of an object that has a resourceType. Cost: linear in the document.
 */
export function outlineOf(
  { value, marked }: JsonDocument,
  levels: number,
  largest = LARGEST_OUTLINE,
): JsonOutline {
  const parts: JsonPart[] = [];
  const open: {
    readonly container: JsonValue[] | JsonObject;
    readonly path: Path;
    readonly level: number;
  }[] = [];
  let left = largest;
  const keep = (found: JsonValue, path: Path): null => {
    parts.push({ path, text: stringifyJson(found, marked) });
    return null;
  };
  const take = (found: JsonValue, path: Path, level: number): JsonValue => {
    if (typeof found !== 'object' || found === null) return found;
    const isOpen = level <= levels;
    const weight = isOpen ? sizeOf(found) : weigh(found, left);
    if (weight > left) return keep(found, path);
    left -= weight;
    if (isOpen) open.push({ container: found, path, level });
    return found;
  };
  const root = take(value, [], 0);
  // Grows meanwhile: what is nearer to the root comes first.
  for (const { container, path, level } of open) {
    if (Array.isArray(container)) {
      container.forEach((element, index) => (container[index] = take(element, [...path, index], level)));
    } else {
      const isResource = 'resourceType' in container;
      for (const [name, member] of Object.entries(container)) {
        const place = [...path, name];
        const isLong = isResource && typeof member === 'string' && member.length > LONGEST_STRING;
        container[name] = isLong ? keep(member, place) : take(member, place, level + 1);
      }
    }
  }
  return { value: root, parts };
}

function sizeOf(container: JsonValue[] | JsonObject): number {
  return Array.isArray(container) ? container.length : Object.keys(container).length;
}

/** What a value counts for; anything over `most` once that is certain. */
function weigh(value: JsonValue, most: number): number {
  if (typeof value === 'string') return value.length / CHARACTERS_PER_MEMBER;
  if (typeof value !== 'object' || value === null) return 0;
  let weight = sizeOf(value);
  for (const below of Object.values(value)) {
    if (weight > most) break;
    weight += weigh(below, most - weight);
  }
  return weight;
}
