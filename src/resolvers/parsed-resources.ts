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

/** Bytes per character of a JSON text for its parsed form (objects and strings of a Patient) and the text, measured. */
const BYTES_PER_CHARACTER = 6;
/** Default size of the cache. */
const MOST_BYTES = 48 * 1024 * 1024;
/** Longer texts are seldom read twice, and would evict hundreds of others. */
const LONGEST = 256 * 1024;

/** The cached objects of the versions of one space. A version never changes; callers must not change an object. */
export interface ParsedResources {
  of(version: StoredVersion): JsonObject;
}

interface Parsed {
  /** One version can have several texts, because the elements that are hidden from a client are missing in its text. */
  readonly text: string;
  readonly object: JsonObject;
}

/** A bounded LRU cache of parsed versions of all spaces. */
export class ParsedCache {
  private readonly cache: LRUCache<string, Parsed>;

  /** @param bytes limit on the size of all entries together */
  constructor(bytes = MOST_BYTES) {
    this.cache = registerCache(new LRUCache<string, Parsed>({ maxSize: Math.floor(bytes) }));
  }

  /**
   * Returns the cache for one space. `bytes` counts the texts that are parsed.
   * Cost: parsing on a miss; on a hit one lookup and a comparison of texts.
   */
  within(space: number, bytes?: HeldBytes): ParsedResources {
    return { of: (version) => this.parse(space, version, bytes) };
  }

  private parse(space: number, version: StoredVersion, bytes: HeldBytes | undefined): JsonObject {
    const { type, id, versionId, lastUpdated, sequence, text } = version;
    if (text.length > LONGEST) {
      bytes?.addParsed(text.length);
      return parseResource(text);
    }
    // Time and sequence distinguish a resource of the tenant from the base resource that it hides, and from a version
    // before a restore.
    const key = `${space} ${type}/${id}/${versionId} ${lastUpdated} ${sequence} ${text.length}`;
    const cached = this.cache.get(key);
    if (cached?.text === text) return cached.object;
    bytes?.addParsed(text.length);
    const object = parseResource(text);
    if (isCacheable(space))
      this.cache.set(key, { text, object }, { size: key.length + text.length * BYTES_PER_CHARACTER });
    return object;
  }
}

/** Parses the text of a resource from core. Callers must not change the object. */
export function parseResource(text: string): JsonObject {
  const resource = parseStoredObject(text);
  if (INNER_REFERENCE.test(text)) noteReferences(resource, resource);
  return resource;
}

/** Matches a text that begins with `#` (references.html#contained). */
const INNER_REFERENCE = /"(?:#|\\u0023)/;

/** The resource that contains a reference, by the reference object. */
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
    // A contained resource resolves references in its container; any other inner resource, such as a Bundle entry, in
    // itself.
    if (name !== 'contained' && isJsonObject(member) && typeof member.resourceType === 'string')
      noteReferences(member, member);
    else noteReferences(member, container);
  }
}

/** Returns the resource of `#id`, or the container itself for `#`. Undefined when it does not exist. */
export function findInner(reference: JsonObject): JsonObject | undefined {
  const container = containers.get(reference);
  if (container === undefined || typeof reference.reference !== 'string') return undefined;
  const id = reference.reference.slice(1);
  if (id === '') return container;
  const contained = Array.isArray(container.contained) ? container.contained : [];
  return contained.filter(isJsonObject).find((resource) => resource.id === id);
}
