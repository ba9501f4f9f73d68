/**
 * Caches the named queries of spaces. It refreshes them before introspection, and before refusing a document with
 * unknown names, so that other requests do not pay for them.
 */
import {
  type Core,
  isCacheable,
  type NamedQueries,
  type NamedQueryInfo,
  type RequestContext,
  createCache,
} from '../core/index';

/** Limit on the spaces in the cache; each takes about a kilobyte for each query. */
const MAX_SPACES = 1_000;
/** Minimum milliseconds between two refreshes, so that invalid requests do not query the database each time. */
const LEAST_BETWEEN_MS = 250;

interface CachedQueries extends NamedQueries {
  readonly readAt: number;
}

const NONE: readonly NamedQueryInfo[] = [];

export class NamedQueryCache {
  readonly #cache = createCache<number, CachedQueries>({
    name: 'named-queries',
    scope: 'data',
    max: MAX_SPACES,
  });

  constructor(private readonly core: Pick<Core, 'interactions'>) {}

  /** Returns the cached queries, which may be out of date. */
  of({ number }: RequestContext['space']): readonly NamedQueryInfo[] {
    return this.#cache.get(number)?.queries ?? NONE;
  }

  /**
   * Reads the queries of the space; returns true when they have changed. Cost: one statement, two more after a change.
   */
  async refresh({ space, actor, deadline, requestId, log }: RequestContext): Promise<boolean> {
    const cached = this.#cache.get(space.number);
    if (cached !== undefined && Date.now() - cached.readAt < LEAST_BETWEEN_MS) return false;
    // Without the caller's access: the schema is the same for all clients of the tenant.
    const found = await this.core.interactions.namedQueries(
      { space, actor, deadline, requestId, log },
      cached?.version,
    );
    const { version, queries } = found ?? cached ?? { version: '', queries: NONE };
    if (isCacheable(space.number)) this.#cache.set(space.number, { version, queries, readAt: Date.now() });
    return JSON.stringify(queries) !== JSON.stringify(cached?.queries ?? NONE);
  }
}
