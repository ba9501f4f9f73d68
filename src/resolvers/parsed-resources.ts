import {
  type HeldBytes,
  type JsonObject,
  isCacheable,
  parseStoredObject,
  type StoredVersion,
  createCache,
  type BoundedCache,
} from '../core/index';
import { noteInner } from './inner-resources';

/** Bytes per character of a JSON text for its parsed form (objects and strings of a Patient) and the text, measured. */
const BYTES_PER_CHARACTER = 6;
/** Default size of the cache. */
const MOST_BYTES = 48 * 1024 * 1024;
/** Longer texts are seldom read twice, and would evict hundreds of others. */
const LONGEST = 256 * 1024;

/** The cached objects of the versions of one space. A version never changes; callers must not change an object. */
export interface ParsedResources {
  /**
   * @param isPast true if it was read by its version or as of a moment; it then has an object of its own, because the
   *   resources inside of it have other keys
   */
  of(version: StoredVersion, isPast: boolean): JsonObject;
}

interface Parsed {
  /** One version can have several texts, because the elements that are hidden from a client are missing in its text. */
  readonly text: string;
  readonly object: JsonObject;
}

/** A bounded LRU cache of parsed versions of all spaces. */
export class ParsedCache {
  private readonly cache: BoundedCache<string, Parsed>;

  /** @param bytes limit on the size of all entries together */
  constructor(bytes = MOST_BYTES) {
    this.cache = createCache<string, Parsed>({
      name: 'parsed-resources',
      scope: 'data',
      maxSize: Math.floor(bytes),
    });
  }

  /**
   * Returns the cache for one space. `bytes` counts the texts that are parsed.
   * Cost: parsing on a miss; on a hit one lookup and a comparison of texts.
   */
  within(space: number, bytes?: HeldBytes): ParsedResources {
    return { of: (version, isPast) => this.parse(space, { version, isPast }, bytes) };
  }

  private parse(
    space: number,
    { version, isPast }: { readonly version: StoredVersion; readonly isPast: boolean },
    bytes: HeldBytes | undefined,
  ): JsonObject {
    const { lastUpdated, sequence, text } = version;
    const resourceKey = keyOfVersion(version, isPast);
    if (text.length > LONGEST) {
      bytes?.addParsed(text.length);
      return parseResource(text, () => resourceKey);
    }
    // Time and sequence distinguish a resource of the tenant from the base resource that it hides, and from a version
    // before a restore.
    const key = `${space} ${resourceKey} ${version.versionId} ${lastUpdated} ${sequence} ${text.length}`;
    const cached = this.cache.get(key);
    if (cached?.text === text) return cached.object;
    bytes?.addParsed(text.length);
    const object = parseResource(text, () => resourceKey);
    if (isCacheable(space))
      this.cache.set(key, { text, object }, { size: key.length + text.length * BYTES_PER_CHARACTER });
    return object;
  }
}

/** Parses the text of a resource from core. `key` returns its `_key`. Callers must not change the object. */
export function parseResource(text: string, key: () => string): JsonObject {
  const resource = parseStoredObject(text);
  noteInner(resource, text, key);
  return resource;
}

/** Returns the `_key` of a stored version: that of the resource, or of the version if it was read as a past one. */
export function keyOfVersion({ type, id, versionId }: StoredVersion, isPast: boolean): string {
  return isPast ? `${type}/${id}/_history/${versionId}` : `${type}/${id}`;
}
