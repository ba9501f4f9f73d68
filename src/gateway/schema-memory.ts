/** The schemas that are served: one for each release, and one for each space with search parameters of its own. */
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { fhirError, forgettable, type Release, type TenantSpace } from '../core/index';
import { createSchema } from '../resolvers/index';
import { definitionsOf, type SchemaSource, sourceOf, sourceOfRelease } from './own-schema';

export interface ServedSchema {
  readonly schema: GraphQLSchema;
  readonly source: SchemaSource;
}

interface Own extends ServedSchema {
  readonly madeAt: number;
}

/** Some 40 MB each. */
const MAX_OWN = 5;
/** Milliseconds for which the schema of a space may be older than its search parameters. */
const MIN_AGE_MS = 10_000;
/** Milliseconds between two schemas that are made for spaces: making one holds up all others for half a second. */
const PAUSE_MS = 1_000;
const MAX_WAITING = 10;

export class SchemaMemory {
  readonly #releases = new Map<Release, ServedSchema>();
  readonly #own: LRUCache<number, Own>;
  readonly #pending = new Map<number, Promise<ServedSchema>>();
  #turn: Promise<void> = Promise.resolve();

  /** @param forget told of a schema that is no longer served; requests by it may be under way */
  constructor(forget: (schema: GraphQLSchema) => void) {
    this.#own = new LRUCache<number, Own>({ max: MAX_OWN, dispose: ({ schema }) => forget(schema) });
    forgettable(this);
  }

  forgetSpaces(spaces: ReadonlySet<number>): void {
    for (const space of spaces) this.#own.delete(space);
  }

  /** Cost: two look-ups; half a second the first time. Throws `overloaded`. */
  async of(space: TenantSpace): Promise<ServedSchema> {
    const source = sourceOf(space);
    if (source.space === undefined) return this.ofRelease(space.release);
    const known = this.#own.get(space.number);
    if (known !== undefined && (known.source.key === source.key || Date.now() - known.madeAt < MIN_AGE_MS))
      return known;
    let pending = this.#pending.get(space.number);
    if (pending === undefined) {
      if (this.#pending.size >= MAX_WAITING) throw fhirError('overloaded');
      pending = this.#make(space, source).finally(() => this.#pending.delete(space.number));
      this.#pending.set(space.number, pending);
    }
    return pending;
  }

  /** That of spaces without search parameters of their own. Cost: as of `of`. */
  ofRelease(release: Release): ServedSchema {
    let served = this.#releases.get(release);
    if (served === undefined) {
      const source = sourceOfRelease(release);
      this.#releases.set(release, (served = { schema: createSchema(definitionsOf(source), true), source }));
    }
    return served;
  }

  async #make(space: TenantSpace, source: SchemaSource): Promise<ServedSchema> {
    const before = this.#turn;
    let done = (): void => undefined;
    this.#turn = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    try {
      const own = { schema: createSchema(definitionsOf(source), true), source, madeAt: Date.now() };
      this.#own.set(space.number, own);
      return own;
    } finally {
      setTimeout(done, PAUSE_MS).unref();
    }
  }
}
