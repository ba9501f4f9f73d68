import { LRUCache } from 'lru-cache';
import { registerCache } from '../erasure/cache-registry';
import { type CodeSystem } from '../fhir/terminology/code-system';

/** Code systems that were parsed before, by the key of their stored version. One for all spaces of a process. */
export interface CodeSystemCache {
  /** The code system of this key, made with `make` when it is not remembered. */
  get(key: string, size: number, make: () => CodeSystem): CodeSystem;
}

/** Keeps code systems of at most `maxCharacters` of JSON text together (a parsed one takes about five times that). */
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
