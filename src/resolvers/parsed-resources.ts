import { LRUCache } from 'lru-cache';
import {
  registerCache,
  type HeldBytes,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  isCacheable,
  parseStoredObject,
  type StoredVersion,
} from '../core/index';

/** Bytes that a character of JSON takes when it is parsed, measured (objects and strings of a Patient), and its text. */
const BYTES_PER_CHARACTER = 6;
/** What all of them may take, where nobody says otherwise. */
const MOST_BYTES = 48 * 1024 * 1024;
/** Longer texts are seldom asked for twice, and would drive out hundreds of others. */
const LONGEST = 256 * 1024;

/** The objects of the versions of one space that were asked for lately. A version never changes; nobody changes an object. */
export interface ParsedResources {
  of(version: StoredVersion): JsonObject;
}

interface Parsed {
  /** One version can have several texts: elements that are hidden from a client are missing in its text. */
  readonly text: string;
  readonly object: JsonObject;
}

/** Parsed versions of all spaces, those used last, within bounds of memory. */
export class ParsedCache {
  private readonly known: LRUCache<string, Parsed>;

  /** @param bytes that they may take together */
  constructor(bytes = MOST_BYTES) {
    this.known = registerCache(new LRUCache<string, Parsed>({ maxSize: Math.floor(bytes) }));
  }

  /** `bytes`: where what must be parsed is counted. Cost: parsing, once; then one lookup and a comparison of texts. */
  within(space: number, bytes?: HeldBytes): ParsedResources {
    return { of: (version) => this.parse(space, version, bytes) };
  }

  private parse(space: number, version: StoredVersion, bytes: HeldBytes | undefined): JsonObject {
    const { type, id, versionId, lastUpdated, sequence, text } = version;
    if (text.length > LONGEST) {
      bytes?.addParsed(text.length);
      return parseResource(text);
    }
    // Time and sequence tell a resource of the tenant from the base one that it hides, and from one before a restore.
    const key = `${space} ${type}/${id}/${versionId} ${lastUpdated} ${sequence} ${text.length}`;
    const known = this.known.get(key);
    if (known?.text === text) return known.object;
    bytes?.addParsed(text.length);
    const object = parseResource(text);
    if (isCacheable(space))
      this.known.set(key, { text, object }, { size: key.length + text.length * BYTES_PER_CHARACTER });
    return object;
  }
}

/** The object of a text that core gave out, to be changed by nobody. */
export function parseResource(text: string): JsonObject {
  const resource = parseStoredObject(text);
  if (INNER_REFERENCE.test(text)) noteReferences(resource, resource);
  return resource;
}

/** A text that begins with `#` (references.html#contained). */
const INNER_REFERENCE = /"(?:#|\\u0023)/;

/** The resource that the reference, an object inside of it, is relative to. */
const containers = new WeakMap<JsonObject, JsonObject>();

function noteReferences(value: JsonValue, container: JsonObject): void {
  if (Array.isArray(value)) {
    for (const element of value) noteReferences(element, container);
    return;
  }
  if (!isJsonObject(value)) return;
  if (typeof value.reference === 'string' && value.reference.startsWith('#'))
    containers.set(value, container);
  for (const [name, member] of Object.entries(value)) {
    // What is contained refers as its container does; any other resource inside, as the entry of a Bundle, by itself.
    if (name !== 'contained' && isJsonObject(member) && typeof member.resourceType === 'string')
      noteReferences(member, member);
    else noteReferences(member, container);
  }
}

/** What `#id` names, or `#`, the container itself; undefined when there is no such resource. */
export function findInner(reference: JsonObject): JsonObject | undefined {
  const container = containers.get(reference);
  if (container === undefined || typeof reference.reference !== 'string') return undefined;
  const id = reference.reference.slice(1);
  if (id === '') return container;
  const contained = Array.isArray(container.contained) ? container.contained : [];
  return contained.filter(isJsonObject).find((resource) => resource.id === id);
}
