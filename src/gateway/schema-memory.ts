/** The schemas that are served: one for each release, and one for each space with search parameters or named queries of its own. */
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { forgettable, type NamedQueryInfo, type Release, type TenantSpace } from '../core/index';
import { schemaOf, schemaOfRelease, type SchemaSource, sourceOf, sourceOfRelease } from './own-schema';

export interface ServedSchema {
  readonly schema: GraphQLSchema;
  readonly source: SchemaSource;
}

interface Own extends ServedSchema {
  readonly madeAt: number;
}

/** Some MB each; the documents that were asked of them are remembered with them. */
const MAX_OWN = 10;
/** Milliseconds for which the schema of a space may be older than what it is made of. */
const MIN_AGE_MS = 1_000;

export class SchemaMemory {
  readonly #releases = new Map<Release, ServedSchema>();
  readonly #own: LRUCache<number, Own>;

  /**
   * @param queriesOf the named queries that are known of a space
   * @param forget told of a schema that is no longer served; requests by it may be under way
   */
  constructor(
    private readonly queriesOf: (space: TenantSpace) => readonly NamedQueryInfo[],
    forget: (schema: GraphQLSchema) => void,
  ) {
    this.#own = new LRUCache<number, Own>({ max: MAX_OWN, dispose: ({ schema }) => forget(schema) });
    forgettable(this);
  }

  forgetSpaces(spaces: ReadonlySet<number>): void {
    for (const space of spaces) this.#own.delete(space);
  }

  /** Cost: two look-ups; some milliseconds the first time, besides `ofRelease`. */
  of(space: TenantSpace): ServedSchema {
    const source = sourceOf(space, this.queriesOf(space));
    if (source.space === undefined) return this.ofRelease(space.release);
    const known = this.#own.get(space.number);
    if (known !== undefined && (known.source.key === source.key || Date.now() - known.madeAt < MIN_AGE_MS))
      return known;
    const { schema: ofRelease } = this.ofRelease(space.release);
    const own = { schema: schemaOf(source, ofRelease), source, madeAt: Date.now() };
    this.#own.set(space.number, own);
    return own;
  }

  /** That of spaces that have nothing of their own. Cost: a look-up; about a second the first time. */
  ofRelease(release: Release): ServedSchema {
    let served = this.#releases.get(release);
    if (served === undefined)
      this.#releases.set(
        release,
        (served = { schema: schemaOfRelease(release), source: sourceOfRelease(release) }),
      );
    return served;
  }
}
