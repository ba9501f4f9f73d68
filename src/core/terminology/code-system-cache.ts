import { LRUCache } from 'lru-cache';
import { registerCache } from '../erasure/cache-registry';
import { type CodeSystem } from '../fhir/terminology/code-system';

/** A cache of parsed code systems by the key of their stored version, shared by all spaces of a process. */
export interface CodeSystemCache {
  /** Returns the code system of this key, made with `make` on a miss. */
  get(key: string, size: number, make: () => CodeSystem): CodeSystem;
}

/** Creates a cache with at most `maxCharacters` of JSON text (a parsed code system takes about five times that). */
export function createCodeSystemCache(maxCharacters = 16_000_000): CodeSystemCache {
  const remembered = registerCache(new LRUCache<string, CodeSystem>({ maxSize: maxCharacters }));
  return {
    get(key, size, make) {
      let codeSystem = remembered.get(key);
      if (codeSystem === undefined) {
        codeSystem = make();
        remembered.set(key, codeSystem, { size: Math.max(1, size) });
      }
      return codeSystem;
    },
  };
}
