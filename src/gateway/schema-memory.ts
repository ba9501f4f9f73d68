/** The schemas that are served: one for each release, and one for each space with search parameters of its own. */
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import {
  fhirError,
  forgettable,
  type Release,
  type ReleaseDefinitions,
  releaseDefinitions,
  spaceDefinitions,
  type TenantSpace,
} from '../core/index';
import { createSchema } from '../resolvers/index';
import { toArgumentName } from '../schema/fhir/search-arguments';

export interface ServedSchema {
  readonly schema: GraphQLSchema;
  /** Set for that of a release. */
  readonly release?: Release;
}

interface Own {
  /** What of the search parameters of the space is in it. */
  readonly parameters: string;
  readonly schema: GraphQLSchema;
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
  readonly #releases = new Map<Release, GraphQLSchema>();
  readonly #own: LRUCache<number, Own>;
  readonly #pending = new Map<number, Promise<GraphQLSchema>>();
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
    const parameters = namesOf(space);
    if (parameters === '') return this.ofRelease(space.release);
    const known = this.#own.get(space.number);
    if (known !== undefined && (known.parameters === parameters || Date.now() - known.madeAt < MIN_AGE_MS))
      return { schema: known.schema };
    let pending = this.#pending.get(space.number);
    if (pending === undefined) {
      if (this.#pending.size >= MAX_WAITING) throw fhirError('overloaded');
      pending = this.#make(space, parameters).finally(() => this.#pending.delete(space.number));
      this.#pending.set(space.number, pending);
    }
    return { schema: await pending };
  }

  /** That of spaces without search parameters of their own. Cost: as of `of`. */
  ofRelease(release: Release): ServedSchema {
    let schema = this.#releases.get(release);
    if (schema === undefined)
      this.#releases.set(release, (schema = createSchema(releaseDefinitions(release), true)));
    return { schema, release };
  }

  async #make(space: TenantSpace, parameters: string): Promise<GraphQLSchema> {
    const before = this.#turn;
    let done = (): void => undefined;
    this.#turn = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    try {
      const schema = createSchema(ownDefinitions(space), true);
      this.#own.set(space.number, { parameters, schema, madeAt: Date.now() });
      return schema;
    } finally {
      setTimeout(done, PAUSE_MS).unref();
    }
  }
}

/** Names of arguments and of members of `where` that are no search parameters. */
const RESERVED = ['where', 'asOf', 'and', 'or', 'not'];

/** A parameter of the space that would have the name of another argument is for `search` alone. */
function ownDefinitions(space: TenantSpace): ReleaseDefinitions {
  const definitions = spaceDefinitions(space);
  const ofRelease = releaseDefinitions(space.release);
  return {
    ...definitions,
    searchParameters(type) {
      const builtIn = new Set(ofRelease.searchParameters(type).map(({ code }) => code));
      const taken = new Set([...RESERVED, ...[...builtIn].map(toArgumentName)]);
      return definitions.searchParameters(type).filter(({ code }) => {
        if (builtIn.has(code)) return true;
        const name = toArgumentName(code);
        const isFree = !taken.has(name);
        taken.add(name);
        return isFree;
      });
    },
  };
}

/** The search parameters of the space itself that can be searched by; '' where it has none. */
function namesOf({ searchParameters }: TenantSpace): string {
  return (searchParameters?.list ?? [])
    .filter(({ state }) => state === 'active')
    .map(({ type, code, definition: { kind, targets } }) => [type, code, kind, ...targets].join(' '))
    .sort()
    .join('\n');
}
