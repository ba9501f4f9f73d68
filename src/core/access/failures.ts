import { LRUCache } from 'lru-cache';
import { fhirError } from '../errors';

/** Failures that cost nothing: somebody mistypes, or a rotation is under way. */
const FREE = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** After this long without a failure all is forgotten. */
const MEMORY_MS = 15 * 60_000;
const MAX_KNOWN = 50_000;

interface Known {
  readonly failures: number;
  /** By `performance.now()`. */
  readonly until: number;
}

/**
 * Who guesses is slowed down: after five failures each further one doubles a pause, from 1 s to 60 s, in which nothing of
 * the same key is even looked at. Each process counts for itself.
 */
export class Failures {
  readonly #known = new LRUCache<string, Known>({ max: MAX_KNOWN, ttl: MEMORY_MS });

  /** Throws `tooManyRequests` during a pause. */
  require(key: string): void {
    const now = performance.now();
    const until = this.#known.get(key)?.until ?? 0;
    if (until <= now) return;
    const seconds = Math.ceil((until - now) / 1000);
    const reason = `Too many wrong credentials came from here; try again in ${seconds} s`;
    throw fhirError('tooManyRequests', { reason });
  }

  add(key: string): void {
    const failures = (this.#known.get(key)?.failures ?? 0) + 1;
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(20, failures - FREE - 1));
    const until = failures <= FREE ? 0 : performance.now() + pause;
    this.#known.set(key, { failures, until });
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
