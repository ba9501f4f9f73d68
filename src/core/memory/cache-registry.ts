/**
 * The list of all caches with tenant data in this process or thread, so that data erased from the database is evicted here
 * too (erasure-watch.ts). Every entry of these caches may be evicted at any time.
 */

/** `evictSpaces`: evicts only these spaces, where the cache can tell them apart. */
type Cache = { clear(): void } | { evictSpaces(spaces: ReadonlySet<number>): void };

/**
 * Milliseconds for which nothing of a space is cached after an erasure, because a request that read the data before may
 * still run. Longer than any request, and than any statement of an asynchronous job.
 */
const HUSH_MS = 120_000;

const caches = new Set<WeakRef<Cache>>();
/** Spaces that are not cached, and until when (performance.now()). */
const hushed = new Map<number, number>();

/** Registers a cache for eviction of erased data, and returns it. */
export function registerCache<M extends Cache>(cache: M): M {
  caches.add(new WeakRef(cache));
  return cache;
}

/** False: nothing of the space may be cached now. Cost: none, except after an erasure. */
export function isCacheable(space: number): boolean {
  if (hushed.size === 0) return true;
  const until = hushed.get(space);
  if (until === undefined) return true;
  if (performance.now() < until) return false;
  hushed.delete(space);
  return true;
}

/** Ends that for spaces of a database that this process leaves. */
export function endHush(spaces: Iterable<number>): void {
  for (const space of spaces) hushed.delete(space);
}

/** Evicts these spaces from all registered caches, and disables caching of them for `HUSH_MS`. */
export function evictSpaces(spaces: readonly number[]): void {
  const until = performance.now() + HUSH_MS;
  for (const space of spaces) hushed.set(space, until);
  const some = new Set(spaces);
  for (const held of caches) {
    const cache = held.deref();
    if (cache === undefined) caches.delete(held);
    else if ('evictSpaces' in cache) cache.evictSpaces(some);
    else cache.clear();
  }
}
