import { LRUCache } from 'lru-cache';
import { registerCache } from './cache-registry';

/** Hits and misses of a cache, in all its instances of this process. */
export interface CacheLookups {
  hits: number;
  misses: number;
}

const lookups = new Map<string, CacheLookups>();

/** The lookups of all caches of this process, by name, for its metrics. */
export const cacheLookups: ReadonlyMap<string, Readonly<CacheLookups>> = lookups;

/** Anything but null and undefined. */
type Entry = NonNullable<unknown>;

/** A cache with limits, as `createCache` makes it. */
export type BoundedCache<Key extends Entry, Value extends Entry> = LRUCache<Key, Value>;

interface CacheOptions<Key extends Entry, Value extends Entry> {
  /** Its name in the metrics; several caches of one kind share it. */
  readonly name: string;
  /**
   * data: its entries come from what tenants store, so that an erasure empties it. program: they come from definitions,
   * texts of requests and the program alone.
   */
  readonly scope: 'data' | 'program';
  /** Limit on the entries. */
  readonly max?: number;
  /** Limit on the sum of the weights; without `weigh`, each `set` names that of its entry. */
  readonly maxSize?: number;
  weigh?(value: Value, key: Key): number;
  /** Milliseconds that an entry is kept. */
  readonly ttl?: number;
  onEvict?(value: Value): void;
}

/** Makes a cache that evicts its least recently used entries. At least one limit is given. */
export function createCache<Key extends Entry, Value extends Entry>({
  name,
  scope,
  max = 0,
  maxSize = 0,
  weigh,
  ttl = 0,
  onEvict,
}: CacheOptions<Key, Value>): BoundedCache<Key, Value> {
  let counted = lookups.get(name);
  if (counted === undefined) lookups.set(name, (counted = { hits: 0, misses: 0 }));
  const cache = new CountingCache<Key, Value>(
    {
      ...{ max, maxSize, ttl },
      ...(weigh === undefined ? {} : { sizeCalculation: weigh }),
      ...(onEvict === undefined ? {} : { dispose: onEvict }),
    },
    counted,
  );
  return scope === 'data' ? registerCache(cache) : cache;
}

/**
 * A cache for each database of this process, found by its connections: spaces with the same number in different databases
 * are unrelated.
 */
export function forEachDatabase<M extends object>(
  make: () => M,
): (services: { readonly connections: object }) => M {
  const made = new WeakMap<object, M>();
  return ({ connections }) => {
    let cache = made.get(connections);
    if (cache === undefined) made.set(connections, (cache = make()));
    return cache;
  };
}

class CountingCache<Key extends Entry, Value extends Entry> extends LRUCache<Key, Value> {
  constructor(
    options: LRUCache.Options<Key, Value, unknown>,
    private readonly counted: CacheLookups,
  ) {
    super(options);
  }

  override get(...of: Parameters<LRUCache<Key, Value>['get']>): Value | undefined {
    const value = super.get(...of);
    if (value === undefined) this.counted.misses++;
    else this.counted.hits++;
    return value;
  }
}
