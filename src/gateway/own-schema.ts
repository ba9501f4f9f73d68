/** What a schema is made of: the definitions of its release, and the search parameters and named queries of one space. Plain values. */
import type { GraphQLSchema } from 'graphql';
import {
  type NamedQueryInfo,
  type Release,
  releaseDefinitions,
  type Space,
  spaceDefinitions,
} from '../core/index';
import {
  createSchema,
  extendSchema,
  finish,
  finishInSlices,
  schemaSteps,
  type Steps,
} from '../resolvers/index';
import type { OwnDefinitions } from '../schema/fhir/definitions';
import { PAGING_NAMES, toArgumentName } from '../schema/fhir/search-arguments';

type OwnParameters = NonNullable<Space['searchParameters']>;

/** From which a thread can make the same schema again. */
export interface SchemaSource {
  readonly release: Release;
  /** Number of the space whose own it is; undefined: the schema is that of the release. */
  readonly space?: number;
  /** Of that space. */
  readonly searchParameters?: OwnParameters | undefined;
  readonly queries?: readonly NamedQueryInfo[];
  /** The same for the same schema, and of one space. */
  readonly key: string;
}

/** Names of arguments and of members of `where` that are no search parameters. */
const RESERVED = [...PAGING_NAMES, 'where', 'asOf', 'and', 'or', 'not'];

/** Cost: that of the definitions of the release; half a second, once. */
export function schemaOfRelease(release: Release): GraphQLSchema {
  return createSchema(releaseDefinitions(release), true);
}

/** The same, without keeping others waiting. */
export function makeSchemaOfRelease(release: Release): Promise<GraphQLSchema> {
  return finishInSlices(schemaSteps(releaseDefinitions(release), true));
}

/** Of `source`, from that of its release. Cost: some milliseconds for each type that has search parameters of the space. */
export function schemaOf(source: SchemaSource, ofRelease: GraphQLSchema): GraphQLSchema {
  return finish(ownSchemaSteps(source, ofRelease));
}

/** The same, without keeping others waiting. */
export function makeSchemaOf(source: SchemaSource, ofRelease: GraphQLSchema): Promise<GraphQLSchema> {
  return finishInSlices(ownSchemaSteps(source, ofRelease));
}

function* ownSchemaSteps(source: SchemaSource, ofRelease: GraphQLSchema): Steps<GraphQLSchema> {
  return source.space === undefined ? ofRelease : extendSchema(ofRelease, yield* ownDefinitions(source));
}

/** A parameter of the space that would have the name of another argument is for `search` alone. */
function* ownDefinitions({ release, searchParameters, queries = [] }: SchemaSource): Steps<OwnDefinitions> {
  const ofRelease = releaseDefinitions(release);
  const definitions = spaceDefinitions({ release, searchParameters });
  const changed = new Set(searchParameters?.list.map(({ type }) => type));
  const parametersOf = (type: string): ReturnType<OwnDefinitions['searchParameters']> => {
    const builtIn = new Set(ofRelease.searchParameters(type).map(({ code }) => code));
    const taken = new Set([...RESERVED, ...[...builtIn].map(toArgumentName)]);
    return definitions.searchParameters(type).filter(({ code }) => {
      if (builtIn.has(code)) return true;
      const name = toArgumentName(code);
      const isFree = !taken.has(name);
      taken.add(name);
      return isFree;
    });
  };
  const known = new Map<string, ReturnType<OwnDefinitions['searchParameters']>>();
  for (const type of changed) {
    known.set(type, parametersOf(type));
    yield;
  }
  return {
    ...definitions,
    changed,
    queries,
    searchParameters: (type) => known.get(type) ?? ofRelease.searchParameters(type),
  };
}

/** That of spaces without search parameters and named queries of their own. */
export function sourceOfRelease(release: Release): SchemaSource {
  return { release, key: release };
}

/** Of a space as it is now, with the named queries that are known of it. Cost: a look at its search parameters. */
export function sourceOf(
  { number, release, searchParameters }: Space,
  queries: readonly NamedQueryInfo[],
): SchemaSource {
  const active = (searchParameters?.list ?? []).filter(({ state }) => state === 'active');
  if (active.length === 0 && queries.length === 0) return sourceOfRelease(release);
  const names = active
    .map(({ type, code, definition: { kind, targets } }) => [type, code, kind, ...targets].join(' '))
    .sort();
  return {
    release,
    space: number,
    searchParameters: searchParameters && { ...searchParameters, list: active },
    queries,
    key: JSON.stringify([release, number, names, queries]),
  };
}
