/**
 * What this process, or this thread, remembers of tenants: one list of all such memories, so that what was erased from the
 * database can be forgotten here too (erasure-watch.ts). Whatever is remembered may be forgotten at any time.
 */

/** `forgetSpaces`: of those alone, where the memory can tell them apart. */
type Memory = { clear(): void } | { forgetSpaces(spaces: ReadonlySet<number>): void };

/**
 * Milliseconds for which nothing of a space is remembered after something of it was erased: a request that read it before may
 * still be under way. Longer than a request takes, or a statement of what is answered later.
 */
const HUSH_MS = 120_000;

const memories = new Set<WeakRef<Memory>>();
/** Spaces of which nothing is remembered, and until when (performance.now()). */
const hushed = new Map<number, number>();

/** Makes a memory one of those that forget what is erased; returns it. */
export function forgettable<M extends Memory>(memory: M): M {
  memories.add(new WeakRef(memory));
  return memory;
}

/**
 * A memory for each database that this process works with, found by the connections to it: what one of them has in a space is
 * not what another has in the space of that number.
 */
export function forEachDatabase<M extends Memory>(
  make: () => M,
): (services: { readonly connections: object }) => M {
  const made = new WeakMap<object, M>();
  return ({ connections }) => {
    let memory = made.get(connections);
    if (memory === undefined) made.set(connections, (memory = forgettable(make())));
    return memory;
  };
}

/** False: nothing of the space may be remembered now. Cost: nothing, unless something was erased lately. */
export function mayRemember(space: number): boolean {
  if (hushed.size === 0) return true;
  const until = hushed.get(space);
  if (until === undefined) return true;
  if (performance.now() < until) return false;
  hushed.delete(space);
  return true;
}

/** Forgets what is remembered of these spaces, and remembers nothing of them for a while. */
export function forgetSpaces(spaces: readonly number[]): void {
  const until = performance.now() + HUSH_MS;
  for (const space of spaces) hushed.set(space, until);
  const some = new Set(spaces);
  for (const held of memories) {
    const memory = held.deref();
    if (memory === undefined) memories.delete(held);
    else if ('forgetSpaces' in memory) memory.forgetSpaces(some);
    else memory.clear();
  }
}
