/**
 * Makes schemas from the definitions of a release, and the search parameters and named queries of one space. The
 * sources are plain values.
 */
import type { GraphQLSchema } from 'graphql';
import {
  type NamedQueryInfo,
  type Release,
  releaseDefinitions,
  type Space,
  spaceDefinitions,
} from '../core/index';
import { createSchema, extendSchema, finish, schemaSteps, type Steps } from '../resolvers/index';
import type { OwnDefinitions } from '../schema/fhir/definitions';
import { PAGING_NAMES } from '../schema/fhir/search-arguments';
import { finishInTurns } from './finish-in-turns';
import { toArgumentName } from '../../packages/fhir-values/argument-name';

type OwnParameters = NonNullable<Space['searchParameters']>;

/** The source of a schema, from which a worker thread can make it again. */
export interface SchemaSource {
  readonly release: Release;
  /** Number of the space with a schema of its own; undefined: the schema of the release. */
  readonly space?: number;
  /** Search parameters of that space. */
  readonly searchParameters?: OwnParameters | undefined;
  readonly queries?: readonly NamedQueryInfo[];
  /** Identifies the schema; schemas of different spaces have different keys. */
  readonly key: string;
}

/** Names of arguments and of members of `where` that are not search parameters. */
const RESERVED = [...PAGING_NAMES, 'where', 'asOf', 'and', 'or', 'not'];

/** Returns the schema of a release. Cost: that of the definitions of the release; half a second, once. */
export function schemaOfRelease(release: Release): GraphQLSchema {
  return createSchema(releaseDefinitions(release), { assumeValid: true });
}

/** Schemas of releases in this process: a schema has no data and no settings, so that all servers of a process share it. */
const made = new Map<string, Promise<GraphQLSchema>>();

/**
 * Returns the same, made once in a process, in turns with other requests. `isSubgraph`: with fields for routers, which
 * introspection does not show.
 */
export function makeSchemaOfRelease(release: Release, isSubgraph: boolean): Promise<GraphQLSchema> {
  const key = isSubgraph ? `${release} as a subgraph` : release;
  let schema = made.get(key);
  if (schema === undefined) {
    schema = finishInTurns(schemaSteps(releaseDefinitions(release), { assumeValid: true, isSubgraph }));
    made.set(key, schema);
  }
  return schema;
}

/**
 * Returns the schema of `source`, made from that of its release. Cost: some milliseconds for each type that has search
 * parameters of the space.
 */
export function schemaOf(source: SchemaSource, ofRelease: GraphQLSchema): GraphQLSchema {
  return finish(ownSchemaSteps(source, ofRelease));
}

/** Returns the same, in turns with other requests. */
export function makeSchemaOf(source: SchemaSource, ofRelease: GraphQLSchema): Promise<GraphQLSchema> {
  return finishInTurns(ownSchemaSteps(source, ofRelease));
}

function* ownSchemaSteps(source: SchemaSource, ofRelease: GraphQLSchema): Steps<GraphQLSchema> {
  return source.space === undefined ? ofRelease : extendSchema(ofRelease, yield* ownDefinitions(source));
}

/**
 * Returns the definitions of a space. A search parameter whose name is taken by another argument is left out; only
 * `search` has it.
 */
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
  const own = new Map<string, ReturnType<OwnDefinitions['searchParameters']>>();
  for (const type of changed) {
    own.set(type, parametersOf(type));
    yield;
  }
  return {
    ...definitions,
    changed,
    queries,
    searchParameters: (type) => own.get(type) ?? ofRelease.searchParameters(type),
  };
}

/** Returns the source for spaces without search parameters and named queries of their own. */
export function sourceOfRelease(release: Release): SchemaSource {
  return { release, key: release };
}

/**
 * Returns the source for the current state of a space, with its cached named queries. Cost: one visit of its search
 * parameters.
 */
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
