/**
 * The named queries of spaces, as they were when they were last looked at. They are looked at when the schema is asked for,
 * and before a document is refused that names what the schema has not: so other requests pay nothing for them.
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

/** Spaces that are known; each has a kilobyte or so for each query. */
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

  /** Those that are known; they need not be the present ones. */
  of({ number }: RequestContext['space']): readonly NamedQueryInfo[] {
    return this.#known.get(number)?.queries ?? NONE;
  }

  /** Looks at them; true: they are others than before. Cost: one statement, two more where they are others. */
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
