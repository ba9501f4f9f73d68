/** The fields that lead to resources: read, list and connection at the root, references, and reverse references. */
import {
  type GraphQLFieldConfigArgumentMap,
  GraphQLBoolean,
  type GraphQLEnumType,
  GraphQLError,
  GraphQLID,
  type GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import { COST_OF_READ, costOfSearch, withCost } from '../cost';
import { isJsonObject } from '../json';
import { codeScalar, instantScalar, safeIntScalar } from '../scalars';
import { selects, selectsBelow } from '../selection';
import { AUTHOR_NAME } from '../types/history';
import { memberOf, ResourceSource } from '../types/resource';
import { AggregateFields } from './aggregates';
import type { SchemaDefinitions, SchemaParameter, SchemaQuery } from './definitions';
import type { ElementTypes, Field, Fields } from './elements';
import type { Handlers, ListRequest } from './handlers';
import { NamedEnum } from './named-enum';
import { NamedQueryArguments } from './named-query-arguments';
import { toFieldName } from './operations/field-name';
import { primitiveScalar } from './primitives';
import { pageInfoOf, pageInfoType, RELAY_ARGUMENTS, relayPageOf, type RequestedPage } from './relay-pages';
import type { FieldMakers, TypeMaker } from './own-types';
import { SearchArguments } from './search-arguments';
import { WhereTypes } from './where';
import { toArgumentName } from '../../../packages/fhir-values/argument-name';

/**
 * Limit on the target types of a parameter with reverse references. Parameters that may refer to nearly every type
 * would make a list on nearly every type; the lists of the root have the same matches.
 */
const MOST_TARGETS = 30;

interface Source {
  readonly type: string;
  readonly parameters: readonly SchemaParameter[];
  readonly args: SearchArguments;
  /** Its reference parameters with at most `MOST_TARGETS` target types. */
  readonly references: readonly SchemaParameter[];
}

/** The fields of a release, and the types whose search parameters differ here. */
interface Release<Context> {
  readonly fields: ResourceFields<Context>;
  readonly changed: ReadonlySet<string>;
}

/** Root fields can return an earlier state. */
const AS_OF: GraphQLFieldConfigArgumentMap = { asOf: { type: instantScalar } };

/** The default page size is that of REST. */
const COST_OF_LIST = costOfSearch(['_count'], 50);
const COST_OF_PAGE = costOfSearch(['_count', 'first', 'last'], 50);

/** Fields of a connection that need the resources of the page. */
const PAGE_FIELDS = ['edges', 'nodes', 'pageInfo', 'next', 'previous', 'last'];
/** Fields that need the cursor of the previous or last page. */
const BACKWARD_FIELDS = ['previous', 'last'];
/** Fields of edges and `pageInfo` that need a cursor for each match. */
const CURSOR_FIELDS = new Set(['cursor', 'startCursor', 'endCursor']);
const BEFORE_FIELDS = new Set(['hasPreviousPage']);

export class ResourceFields<Context> {
  private readonly sources: ReadonlyMap<string, Source>;
  private readonly connections = new Map<string, GraphQLObjectType>();
  private readonly enums = new Map<string, GraphQLEnumType>();
  private readonly edges = new Map<string, GraphQLObjectType>();
  private readonly wheres: WhereTypes;
  private readonly aggregates: AggregateFields<Context>;
  /** The type of `pageInfo`. */
  readonly pageInfo: GraphQLObjectType;
  /** Sources that refer to a type, by the type. */
  private readonly referring = new Map<string, Source[]>();

  /**
   * @param elements called when the fields of a type are made
   * @param release the fields of the release, from which unchanged fields are taken
   */
  constructor(
    definitions: SchemaDefinitions,
    private readonly handlers: Handlers<Context>,
    private readonly elements: () => ElementTypes<Context>,
    private readonly release?: Release<Context>,
  ) {
    this.wheres = new WhereTypes(
      definitions,
      release && { wheres: release.fields.wheres, changed: release.changed },
    );
    this.pageInfo = release?.fields.pageInfo ?? pageInfoType();
    this.aggregates = release?.fields.aggregates ?? new AggregateFields(handlers, () => elements().resource);
    this.sources = new Map(
      definitions.resourceTypes.map((type) => {
        const baseSources =
          release?.changed.has(type) === false ? release.fields.sources.get(type) : undefined;
        if (baseSources !== undefined) return [type, baseSources];
        const parameters = definitions.searchParameters(type);
        const references = parameters.filter(
          ({ kind, targets }) => kind === 'reference' && targets.length > 0 && targets.length <= MOST_TARGETS,
        );
        return [type, { type, parameters, args: new SearchArguments(parameters), references }];
      }),
    );
    for (const source of this.sources.values()) {
      for (const target of new Set(source.references.flatMap(({ targets }) => targets))) {
        const sources = this.referring.get(target);
        if (sources) sources.push(source);
        else this.referring.set(target, [source]);
      }
    }
  }

  /** The type of the argument `where` of `search`. */
  get searchWhere(): GraphQLInputObjectType {
    return this.wheres.any;
  }

  /** Returns the fields of Query by name; each is made on demand. */
  query(): FieldMakers<Context> {
    const makers = new Map<string, () => Field<Context>>();
    for (const source of this.sources.values()) {
      const { type } = source;
      makers.set(type, () => this.readField(type));
      makers.set(`${type}List`, () => ({
        ...this.listField(source, this.rootArguments(source), () => undefined),
        description: `Resources of the type ${type} that meet all arguments.`,
      }));
      makers.set(`${type}Connection`, () => ({
        ...this.connectionField(type, this.rootArguments(source), (_root, given) =>
          this.request(source, given, undefined),
        ),
        description: `A page of resources of the type ${type} that meet all arguments, with the cursors of other pages.`,
      }));
      makers.set(`${type}Aggregate`, () => {
        const criteria = { ...source.args.criteria(), ...this.where(type) };
        const toCriteria = (given: Arguments): ListRequest => this.request(source, given, undefined);
        return this.aggregates.field(type, source.parameters, criteria, toCriteria);
      });
    }
    return makers;
  }

  /** Returns a field of Query for each type of a named query, except for names that are taken. */
  queriesOf(queries: readonly SchemaQuery[], isTaken: (name: string) => boolean): FieldMakers<Context> {
    const makers = new Map<string, () => Field<Context>>();
    for (const query of queries) {
      const { code, definition, types } = query;
      const named = new NamedQueryArguments(query);
      if (!named.isWhole) continue;
      for (const type of types) {
        const name = `${type}${toFieldName(code)}`;
        if (makers.has(name) || isTaken(name) || !this.sources.has(type)) continue;
        makers.set(name, () => ({
          ...this.connectionField(type, { ...named.configuration(), ...this.where(type) }, (_root, given) =>
            this.within(type, { type, ...AS_A_LIST, ...named.request(given) }, given),
          ),
          description: `_query=${code}: ${definition}`,
        }));
      }
    }
    return makers;
  }

  /** Returns the types that depend on search parameters, by name. */
  *makers(): Iterable<TypeMaker> {
    yield* this.wheres.makers();
    for (const source of this.sources.values()) {
      const { type, parameters, references } = source;
      yield [`${type}Connection`, () => this.connectionType(type)];
      yield [`${type}Edge`, () => this.edgeType(type)];
      if (this.isShared(type)) continue;
      const { aggregate, groupings } = this.aggregates.typesOf(type, parameters);
      for (const made of [aggregate, ...groupings]) yield [made.name, () => made];
      const reached = references.some(({ targets }) => targets.length > 0);
      if (reached) yield [referenceEnumName(type), () => this.referenceEnum(source)];
    }
  }

  /** True when the search parameters of a type are those of the release. */
  private isShared(type: string): boolean {
    return this.release !== undefined && !this.release.changed.has(type);
  }

  private readField(type: string): Field<Context> {
    return {
      type: this.elements().ofType(type),
      ...withCost(COST_OF_READ),
      description: `The ${type} of this id as it is now, or was at a moment; null when it does not exist.`,
      args: { id: { type: new GraphQLNonNull(GraphQLID) }, ...AS_OF },
      resolve: (_root, { id, asOf }, context) =>
        this.handlers.read(type, String(id), typeof asOf === 'string' ? asOf : undefined, context),
    };
  }

  private rootArguments({ type, args }: Source): GraphQLFieldConfigArgumentMap {
    return { ...args.configuration(false), ...this.where(type), ...AS_OF };
  }

  /** Returns the fields of a type besides its elements. */
  further(typeName: string): Fields<Context> {
    if (typeName === 'Reference') return { resource: this.referenceField() };
    if (typeName === 'Meta') return this.metaFields();
    const fields: Fields<Context> = {};
    for (const source of this.referring.get(typeName) ?? []) {
      const args = {
        _reference: { type: new GraphQLNonNull(this.referenceEnum(source)) },
        ...source.args.configuration(true),
        ...this.where(source.type),
      };
      const scope: Scope = (to, parameter) => referringTo(source, typeName, to, parameter);
      fields[`${source.type}List`] = this.listField(source, args, scope);
      fields[`${source.type}Connection`] = this.connectionField(source.type, args, (from, given) =>
        this.request(source, given, scope(from, given._reference)),
      );
    }
    return fields;
  }

  /** Returns the fields for the server's extensions in `meta`. */
  private metaFields(): Fields<Context> {
    return {
      versionSequence: {
        type: safeIntScalar,
        description: 'The number of this change among all changes of the tenant, increasing.',
        resolve: (meta) => memberOf(meta, 'versionSequence'),
      },
      author: {
        type: this.elements().ofType('Reference'),
        description: 'The client application that made this version.',
        resolve: (meta) => memberOf(meta, 'author'),
      },
      authorName: {
        type: GraphQLString,
        ...withCost(COST_OF_READ),
        description: AUTHOR_NAME,
        resolve: (meta, _given, context) => this.handlers.authorName(meta, context),
      },
    };
  }

  private referenceField(): Field<Context> {
    return {
      type: this.elements().resource,
      ...withCost(COST_OF_READ),
      description: 'The referenced resource. A missing one is an error unless it is optional.',
      args: {
        optional: { type: GraphQLBoolean, description: 'True: a missing resource is null without an error.' },
        type: { type: codeScalar, description: 'Only a resource of this type; others are null.' },
      },
      resolve: (reference, { optional, type }, context) =>
        isJsonObject(reference)
          ? this.handlers.resolve(
              { reference, optional: optional === true, ...(typeof type === 'string' ? { type } : {}) },
              context,
            )
          : undefined,
    };
  }

  private listField(source: Source, args: GraphQLFieldConfigArgumentMap, scope: Scope): Field<Context> {
    return {
      type: new GraphQLList(this.elements().ofType(source.type)),
      ...withCost(COST_OF_LIST),
      args,
      resolve: async (from, given, context) => {
        const request = this.request(source, given, scope(from, given._reference));
        return (await this.handlers.list(request, context)).resources;
      },
    };
  }

  /** Returns the field for a page of a search of a type. */
  private connectionField(
    type: string,
    args: GraphQLFieldConfigArgumentMap,
    toRequest: (from: unknown, given: Arguments) => ListRequest,
  ): Field<Context> {
    return {
      type: this.connectionType(type),
      ...withCost(COST_OF_PAGE),
      args: { ...args, ...RELAY_ARGUMENTS },
      resolve: async (from, given, context, info): Promise<RequestedPage> => {
        const request = { ...toRequest(from, given), ...relayPageOf(given) };
        const { cursor, offset = 0, isBackward } = request;
        const counted = selects(info, 'count');
        const listed = !counted || PAGE_FIELDS.some((name) => selects(info, name));
        const bothWays =
          BACKWARD_FIELDS.some((name) => selects(info, name)) ||
          (isBackward && selectsBelow(info, BEFORE_FIELDS));
        const eachCursor = selectsBelow(info, CURSOR_FIELDS);
        const pageRequest = { ...request, counted, listed, isPage: true, bothWays, eachCursor };
        const page = await this.handlers.list(pageRequest, context);
        return {
          ...page,
          isBackward,
          isFurther: cursor !== undefined || offset > 0,
          offset: cursor === undefined && !isBackward ? offset : undefined,
        };
      },
    };
  }

  private where(type: string): GraphQLFieldConfigArgumentMap {
    return { where: { type: this.wheres.of(type) } };
  }

  private request(source: Source, given: Arguments, referring: ListRequest['referring']): ListRequest {
    return this.within(source.type, toRequest(source, given, referring), given);
  }

  /** Adds the conditions of the argument `where`. */
  private within(type: string, request: ListRequest, { where }: Arguments): ListRequest {
    if (where === undefined || where === null) return request;
    return { ...request, where: this.wheres.conditions(type, where) };
  }

  private connectionType(type: string): GraphQLObjectType {
    const existing = this.connections.get(type);
    if (existing !== undefined) return existing;
    const edge = this.edgeType(type);
    const connection = new GraphQLObjectType<RequestedPage, Context>({
      name: `${type}Connection`,
      fields: {
        count: {
          type: GraphQLInt,
          description: 'Number of all matches; counted only when it is selected.',
          resolve: ({ total }) => total,
        },
        offset: { type: GraphQLInt, description: 'Number of matches before this page; null after a cursor.' },
        pagesize: { type: GraphQLInt, resolve: ({ pageSize }) => pageSize },
        edges: {
          type: new GraphQLList(edge),
          resolve: ({ resources, cursors }) =>
            resources.map((resource, index) => ({ resource, cursor: cursors?.[index] })),
        },
        nodes: {
          type: new GraphQLList(this.elements().ofType(type)),
          description: 'The resources of the edges.',
          resolve: ({ resources }) => resources,
        },
        pageInfo: { type: new GraphQLNonNull(this.pageInfo), resolve: pageInfoOf },
        first: { type: GraphQLString, description: 'Cursor of the first page.' },
        previous: {
          type: GraphQLString,
          description: 'Cursor of the page that ends before this one; null on the first one.',
        },
        next: { type: GraphQLString, description: 'Cursor of the next page; null on the last one.' },
        last: { type: GraphQLString, description: 'Cursor of the page with the last matches.' },
      },
    });
    this.connections.set(type, connection);
    return connection;
  }

  private edgeType(type: string): GraphQLObjectType {
    const existing = this.edges.get(type);
    if (existing !== undefined) return existing;
    const resource = this.elements().ofType(type);
    const edge = new GraphQLObjectType<Edge, Context>({
      name: `${type}Edge`,
      fields: {
        mode: {
          type: codeScalar,
          description: 'The reason why it is in the page: `match`.',
          resolve: () => 'match',
        },
        score: {
          type: primitiveScalar('decimal'),
          description: 'Null: matches have no score.',
          resolve: () => undefined,
        },
        resource: { type: resource },
        node: {
          type: resource,
          description: 'The same as `resource`.',
          resolve: (source) => source.resource,
        },
        cursor: { type: GraphQLString, description: 'The `after` of a page that begins behind it.' },
      },
    });
    this.edges.set(type, edge);
    return edge;
  }

  private referenceEnum(source: Source): GraphQLEnumType {
    const { type, references } = source;
    if (this.release && this.isShared(type)) return this.release.fields.referenceEnum(source);
    const existing = this.enums.get(type);
    if (existing !== undefined) return existing;
    const values = Object.fromEntries(references.map(({ code }) => [toArgumentName(code), { value: code }]));
    const made = new NamedEnum({
      name: referenceEnumName(type),
      description: `The search parameters of ${type} that refer to resources of few types.`,
      values,
    });
    this.enums.set(type, made);
    return made;
  }
}

function referenceEnumName(type: string): string {
  return `${type}ReferenceParameter`;
}

/** Returns the resource that the matches must refer to; undefined for a list at the root. */
type Scope = (from: unknown, parameter: unknown) => ListRequest['referring'];

function referringTo(
  source: Source,
  typeName: string,
  to: unknown,
  parameter: unknown,
): ListRequest['referring'] {
  const found = source.references.find(({ code }) => code === parameter);
  if (found?.targets.includes(typeName) !== true || !(to instanceof ResourceSource))
    throw badInput(
      `The search parameter '${String(parameter)}' of ${source.type} never refers to ${typeName}`,
    );
  return { parameter: found.code, to };
}

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

/** A match of a page. */
interface Edge {
  readonly resource: ResourceSource;
  readonly cursor: string | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;
type ListShape = Pick<
  ListRequest,
  'counted' | 'listed' | 'isPage' | 'bothWays' | 'eachCursor' | 'isBackward'
>;

/** The request of a list; a page has its own. */
const AS_A_LIST: ListShape = {
  counted: false,
  listed: true,
  isPage: false,
  bothWays: false,
  eachCursor: false,
  isBackward: false,
};

function toRequest(
  { type, args }: Source,
  given: Arguments,
  referring: ListRequest['referring'],
): ListRequest {
  return {
    type,
    ...AS_A_LIST,
    ...args.request(given),
    ...(referring === undefined ? {} : { referring }),
    ...(typeof given.asOf === 'string' ? { asOf: given.asOf } : {}),
  };
}
