/** Caches schemas: one for each release, and one for each space with search parameters or named queries of its own. */
import type { GraphQLSchema } from 'graphql';
import {
  registerCache,
  type NamedQueryInfo,
  type Release,
  type TenantSpace,
  createCache,
  type BoundedCache,
} from '../core/index';
import {
  makeSchemaOf,
  makeSchemaOfRelease,
  type SchemaSource,
  sourceOf,
  sourceOfRelease,
} from './own-schema';

export interface ServedSchema {
  readonly schema: GraphQLSchema;
  readonly source: SchemaSource;
}

interface SpaceSchema extends ServedSchema {
  readonly madeAt: number;
}

interface PendingSchema {
  readonly key: string;
  readonly served: Promise<ServedSchema>;
}

/** Limit on cached schemas of spaces; each takes some MB, with its documents. */
const MAX_OWN = 10;
/** Milliseconds for which the schema of a space may be out of date. */
const MIN_AGE_MS = 1_000;

export class SchemaCache {
  readonly #releases = new Map<Release, Promise<ServedSchema>>();
  readonly #own: BoundedCache<number, SpaceSchema>;
  /** Schemas of spaces that are being made. */
  readonly #making = new Map<number, PendingSchema>();

  /**
   * @param queriesOf returns the cached named queries of a space
   * @param isSubgraph as that of `makeSchemaOfRelease`
   * @param onEvict called for an evicted schema; requests may still use it
   */
  constructor(
    private readonly queriesOf: (space: TenantSpace) => readonly NamedQueryInfo[],
    private readonly isSubgraph: boolean,
    onEvict: (schema: GraphQLSchema) => void,
  ) {
    this.#own = createCache<number, SpaceSchema>({
      name: 'schemas',
      scope: 'program',
      max: MAX_OWN,
      onEvict: ({ schema }) => onEvict(schema),
    });
    registerCache(this);
  }

  evictSpaces(spaces: ReadonlySet<number>): void {
    for (const space of spaces) {
      this.#own.delete(space);
      this.#making.delete(space);
    }
  }

  /**
   * Returns the schema of a space.
   * Cost: two look-ups; the first time that of `ofRelease`, and some milliseconds for each type with search parameters
   * of the space.
   */
  async of(space: TenantSpace): Promise<ServedSchema> {
    const source = sourceOf(space, this.queriesOf(space));
    if (source.space === undefined) return this.ofRelease(space.release);
    const cached = this.#own.get(space.number);
    if (cached !== undefined && (cached.source.key === source.key || Date.now() - cached.madeAt < MIN_AGE_MS))
      return cached;
    const making = this.#making.get(space.number);
    if (making?.key === source.key) return making.served;
    if (making !== undefined) {
      await making.served;
      return this.of(space);
    }
    const served = this.#make(source, space);
    this.#making.set(space.number, { key: source.key, served });
    return served;
  }

  async #make(source: SchemaSource, { number, release }: TenantSpace): Promise<ServedSchema> {
    const madeAt = Date.now();
    try {
      const { schema: ofRelease } = await this.ofRelease(release);
      const own = { schema: await makeSchemaOf(source, ofRelease), source, madeAt };
      // A schema of a space that was erased meanwhile is not cached.
      if (this.#making.has(number)) this.#own.set(number, own);
      return own;
    } finally {
      this.#making.delete(number);
    }
  }

  /**
   * Returns the schema for spaces without search parameters and queries of their own. Cost: a look-up; about a second
   * the first time, in slices.
   */
  ofRelease(release: Release): Promise<ServedSchema> {
    let served = this.#releases.get(release);
    if (served === undefined) {
      served = makeSchemaOfRelease(release, this.isSubgraph).then((schema) => ({
        schema,
        source: sourceOfRelease(release),
      }));
      this.#releases.set(release, served);
    }
    return served;
  }
}
