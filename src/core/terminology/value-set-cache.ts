import type { ComposedValueSet, Selection } from '../fhir/terminology/compose';
import { createCache } from '../memory/create-cache';

/** The reason why codes cannot be looked up, and the rule that reports it. */
export interface UnavailableValueSet {
  readonly unknown: string;
  readonly rule: 'unresolved' | 'tooCostly';
}

/** A value set for code lookups, or the reason why there is none. */
export type FoundValueSet = ComposedValueSet | UnavailableValueSet;

/** A cache of composed value sets, shared by all spaces of a process. */
export interface ValueSetCache {
  get(key: string): FoundValueSet | undefined;
  put(key: string, found: FoundValueSet): void;
}

/** Creates a cache of value sets with at most `maxConcepts` in total (each takes about 1 kB). */
export function createValueSetCache(maxConcepts = 50_000): ValueSetCache {
  const remembered = createCache<string, FoundValueSet>({
    name: 'value-sets',
    scope: 'data',
    maxSize: maxConcepts,
  });
  return {
    get: (key) => remembered.get(key),
    put(key, found) {
      const size = 'unknown' in found ? 1 : 1 + countConcepts(found);
      if (size <= maxConcepts) remembered.set(key, found, { size });
    },
  };
}

function countConcepts({ includes, excludes }: ComposedValueSet): number {
  let count = 0;
  for (const selection of [...includes, ...excludes]) count += countSelected(selection);
  return count;
}

function countSelected({ listed, codeSystem, imports }: Selection): number {
  let count = 1 + (listed?.size ?? 0) + (codeSystem?.conceptCount ?? 0);
  for (const composed of imports) count += countConcepts(composed);
  return count;
}
