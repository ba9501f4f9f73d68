/**
 * Caches the named queries of spaces. It refreshes them before introspection, and before refusing a document with
 * unknown names, so that other requests do not pay for them.
 */
import { LRUCache } from 'lru-cache';
import {
  type Core,
  registerCache,
  isCacheable,
  type NamedQueries,
  type NamedQueryInfo,
  type RequestContext,
} from '../core/index';

/** Limit on the spaces in the cache; each takes about a kilobyte for each query. */
const MAX_KNOWN = 1_000;
/** Minimum milliseconds between two refreshes, so that invalid requests do not query the database each time. */
const LEAST_BETWEEN_MS = 250;

interface Known extends NamedQueries {
  readonly lookedAt: number;
}

const NONE: readonly NamedQueryInfo[] = [];

export class NamedQueryCache {
  readonly #known = registerCache(new LRUCache<number, Known>({ max: MAX_KNOWN }));

  constructor(private readonly core: Pick<Core, 'namedQueries'>) {}

  /** Returns the cached queries, which may be out of date. */
  of({ number }: RequestContext['space']): readonly NamedQueryInfo[] {
    return this.#known.get(number)?.queries ?? NONE;
  }

  /**
   * Reads the queries of the space; returns true when they have changed. Cost: one statement, two more after a change.
   */
  async refresh({ space, actor, deadline, requestId, log }: RequestContext): Promise<boolean> {
    const known = this.#known.get(space.number);
    if (known !== undefined && Date.now() - known.lookedAt < LEAST_BETWEEN_MS) return false;
    // Without the caller's access: the schema is the same for all clients of the tenant.
    const found = await this.core.namedQueries({ space, actor, deadline, requestId, log }, known?.version);
    const { version, queries } = found ?? known ?? { version: '', queries: NONE };
    if (isCacheable(space.number)) this.#known.set(space.number, { version, queries, lookedAt: Date.now() });
    return JSON.stringify(queries) !== JSON.stringify(known?.queries ?? NONE);
  }
}
