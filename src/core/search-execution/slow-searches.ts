import type { SearchPage } from '../api/search';
import type { SlowSearch } from '../api/server';
import type { Space } from '../context';
import { FhirError } from '../errors';
import type { SearchRequest } from '../search/requests/search-request';

/** Shapes that a process keeps; beyond them the one with the shortest time is dropped. */
const MOST_SHAPES = 200;
const LONGEST_SHAPE = 200;
const REPORTED = 20;

interface SearchingContext {
  readonly space: Pick<Space, 'tenant' | 'release'>;
}

interface Entry extends Pick<SlowSearch, 'tenant' | 'release' | 'shape'> {
  count: number;
  totalMs: number;
  slowestMs: number;
  last: number;
}

/**
 * The slowest searches of this process by their shape. Only names that the server has understood are kept: neither values
 * nor a parameter that it has ignored, which may be a client's text about a patient. Cost: two readings of a clock for a
 * search; for a slow one, a lookup, or a look at all shapes once there are 200.
 */
export class SlowSearches {
  readonly #entries = new Map<string, Entry>();

  /** Faster searches are not kept. */
  constructor(private readonly slowMs = 100) {}

  /** Runs searches of one request, and notes them if they were slow. */
  async observe<Pages>(
    context: SearchingContext,
    requests: readonly SearchRequest[],
    run: () => Promise<Pages>,
    pagesOf: (pages: Pages) => readonly (SearchPage | Error)[],
  ): Promise<Pages> {
    const began = performance.now();
    try {
      const pages = await run();
      const took = performance.now() - began;
      if (took >= this.slowMs)
        pagesOf(pages).forEach((page, index) => this.#note(context, requests[index], page, took));
      return pages;
    } catch (error) {
      const took = performance.now() - began;
      if (took >= this.slowMs && error instanceof FhirError)
        for (const request of requests) this.#note(context, request, error, took);
      throw error;
    }
  }

  /** The slowest ones, at most 20. */
  list(): readonly SlowSearch[] {
    return [...this.#entries.values()]
      .toSorted((one, other) => other.slowestMs - one.slowestMs)
      .slice(0, REPORTED)
      .map(({ totalMs, ...entry }) => ({ ...entry, averageMs: totalMs / entry.count }));
  }

  #note(
    { space: { tenant, release } }: SearchingContext,
    request: SearchRequest | undefined,
    page: SearchPage | Error,
    took: number,
  ): void {
    if (request === undefined) return;
    const shape = shapeOf(request, page);
    const key = `${tenant} ${release} ${shape}`;
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#makeRoom();
      const last = Date.now();
      this.#entries.set(key, { tenant, release, shape, count: 1, totalMs: took, slowestMs: took, last });
      return;
    }
    entry.count++;
    entry.totalMs += took;
    entry.slowestMs = Math.max(entry.slowestMs, took);
    entry.last = Date.now();
  }

  #makeRoom(): void {
    if (this.#entries.size < MOST_SHAPES) return;
    let least: readonly [key: string, ms: number] | undefined;
    for (const [key, { slowestMs }] of this.#entries)
      if (least === undefined || slowestMs < least[1]) least = [key, slowestMs];
    if (least !== undefined) this.#entries.delete(least[0]);
  }
}

/** `Patient?birthdate&name:exact (searchTimeout)`. A failed search has understood nothing for certain. */
function shapeOf({ type = '', compartment, where }: SearchRequest, page: SearchPage | Error): string {
  const root = compartment === undefined ? type : `${compartment.type}/…/${type === '' ? '*' : type}`;
  if (page instanceof Error) return `${root}? (${page instanceof FhirError ? page.key : 'failed'})`;
  const names = [...new Set(page.used.map(([name]) => name).filter((name) => name !== '_cursor'))].sort();
  const parts = [...names, ...(where === undefined ? [] : ['where'])];
  return `${root}?${parts.join('&')}`.slice(0, LONGEST_SHAPE);
}
