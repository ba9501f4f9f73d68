/** The fields that lead to resources: read, list and connection at the root, references, and what refers to a resource. */
import {
  type GraphQLFieldConfigArgumentMap,
  GraphQLBoolean,
  type GraphQLEnumType,
  GraphQLError,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import { COST_OF_READ, costOfSearch, withCost } from '../cost';
import { isJsonObject } from '../json';
import { codeScalar, instantScalar } from '../scalars';
import { selects } from '../selection';
import { memberOf, ResourceSource } from '../types/resource';
import { AggregateFields } from './aggregates';
import type { SchemaDefinitions, SchemaParameter } from './definitions';
import type { ElementTypes, Field, Fields } from './elements';
import type { Handlers, ListPage, ListRequest } from './handlers';
import { NamedEnum } from './named-enum';
import { primitiveScalar } from './primitives';
import { SearchArguments, toArgumentName } from './search-arguments';
import { WhereTypes } from './where';

/**
 * Parameters that may refer to nearly every type would make a list on nearly every type; what they find is found by
 * the lists of the root.
 */
const MOST_TARGETS = 30;

interface Source {
  readonly type: string;
  readonly parameters: readonly SchemaParameter[];
  readonly args: SearchArguments;
  /** Its reference parameters that refer to few types. */
  readonly references: readonly SchemaParameter[];
}

/** What is at the root can be asked for as it was. */
const AS_OF: GraphQLFieldConfigArgumentMap = { asOf: { type: instantScalar } };

/** As many as REST gives unless it is told. */
const COST_OF_LIST = costOfSearch(['_count'], 50);

/** Fields of a connection that the resources of the page are needed for. */
const PAGE_FIELDS = ['edges', 'next', 'previous', 'last'];
/** Those that go the other way. */
const BACKWARD_FIELDS = ['previous', 'last'];

export class ResourceFields<Context> {
  private readonly sources: ReadonlyMap<string, Source>;
  private readonly connections = new Map<string, GraphQLObjectType>();
  private readonly enums = new Map<string, GraphQLEnumType>();
  private readonly wheres: WhereTypes;
  private readonly aggregates: AggregateFields<Context>;
  /** By type, those that refer to it. */
  private readonly referring = new Map<string, Source[]>();

  /** @param elements asked for when the fields of a type are made */
  constructor(
    definitions: SchemaDefinitions,
    private readonly handlers: Handlers<Context>,
    private readonly elements: () => ElementTypes<Context>,
  ) {
    this.wheres = new WhereTypes(definitions);
    this.aggregates = new AggregateFields(handlers, () => elements().resource);
    this.sources = new Map(
      definitions.resourceTypes.map((type) => {
        const parameters = definitions.searchParameters(type);
        const references = parameters.filter(
          ({ kind, targets }) => kind === 'reference' && targets.length > 0 && targets.length <= MOST_TARGETS,
        );
        return [type, { type, parameters, args: new SearchArguments(parameters), references }];
      }),
    );
    for (const source of this.sources.values()) {
      for (const target of new Set(source.references.flatMap(({ targets }) => targets))) {
        const known = this.referring.get(target);
        if (known) known.push(source);
        else this.referring.set(target, [source]);
      }
    }
  }

  /** The fields of Query. */
  query(): Fields<Context> {
    const fields: Fields<Context> = {};
    for (const source of this.sources.values()) {
      const { type } = source;
      fields[type] = {
        type: this.elements().ofType(type),
        ...withCost(COST_OF_READ),
        description: `The ${type} of this id as it is now, or was at a moment; null when there is none.`,
        args: { id: { type: new GraphQLNonNull(GraphQLID) }, ...AS_OF },
        resolve: (_root, { id, asOf }, context) =>
          this.handlers.read(type, String(id), typeof asOf === 'string' ? asOf : undefined, context),
      };
      const args = { ...source.args.configuration(false), ...this.where(type), ...AS_OF };
      fields[`${type}List`] = {
        ...this.listField(source, args, () => undefined),
        description: `Resources of the type ${type} that meet all arguments.`,
      };
      fields[`${type}Connection`] = {
        ...this.connectionField(source, args, () => undefined),
        description: `A page of resources of the type ${type} that meet all arguments, with what leads to others.`,
      };
      const criteria = { ...source.args.criteria(), ...this.where(type) };
      fields[`${type}Aggregate`] = this.aggregates.field(type, source.parameters, criteria, (given) =>
        this.request(source, given, undefined),
      );
    }
    return fields;
  }

  /** What a type has besides its elements. */
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
      fields[`${source.type}Connection`] = this.connectionField(source, args, scope);
    }
    return fields;
  }

  /** What the server's extensions of a stored version say. */
  private metaFields(): Fields<Context> {
    return {
      versionSequence: {
        type: GraphQLInt,
        description: 'The number of this change among all changes of the tenant, increasing.',
        resolve: (meta) => memberOf(meta, 'versionSequence'),
      },
      author: {
        type: this.elements().ofType('Reference'),
        description: 'The client application that made this version.',
        resolve: (meta) => memberOf(meta, 'author'),
      },
    };
  }

  private referenceField(): Field<Context> {
    return {
      type: this.elements().resource,
      ...withCost(COST_OF_READ),
      description: 'What is referred to. What is not there is an error unless it is optional.',
      args: {
        optional: { type: GraphQLBoolean, description: 'True: what is not there is null without an error.' },
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
        const asked = { ...request, counted: false, listed: true, isPage: false, bothWays: false };
        return (await this.handlers.list(asked, context)).resources;
      },
    };
  }

  private connectionField(source: Source, args: GraphQLFieldConfigArgumentMap, scope: Scope): Field<Context> {
    return {
      type: this.connectionType(source.type),
      ...withCost(COST_OF_LIST),
      args,
      resolve: async (from, given, context, info) => {
        const request = this.request(source, given, scope(from, given._reference));
        const counted = selects(info, 'count');
        const listed = !counted || PAGE_FIELDS.some((name) => selects(info, name));
        const bothWays = BACKWARD_FIELDS.some((name) => selects(info, name));
        const asked = { ...request, counted, listed, isPage: true, bothWays };
        const page = await this.handlers.list(asked, context);
        return { ...page, offset: request.cursor === undefined ? (request.offset ?? 0) : undefined };
      },
    };
  }

  private where(type: string): GraphQLFieldConfigArgumentMap {
    return { where: { type: this.wheres.of(type) } };
  }

  private request(source: Source, given: Arguments, referring: ListRequest['referring']): PageRequest {
    const { where } = given;
    const request = toRequest(source, given, referring);
    if (where === undefined || where === null) return request;
    return { ...request, where: this.wheres.conditions(source.type, where) };
  }

  private connectionType(type: string): GraphQLObjectType {
    const known = this.connections.get(type);
    if (known !== undefined) return known;
    const resource = this.elements().ofType(type);
    const edge = new GraphQLObjectType<ResourceSource, Context>({
      name: `${type}Edge`,
      fields: {
        mode: { type: codeScalar, description: 'Why it is in the page: `match`.', resolve: () => 'match' },
        score: { type: primitiveScalar('decimal'), description: 'Null: what a search finds is not weighed.', resolve: () => undefined },
        resource: { type: resource, resolve: (source) => source },
      },
    });
    const connection = new GraphQLObjectType<ListPage & { readonly offset?: number }, Context>({
      name: `${type}Connection`,
      fields: {
        count: { type: GraphQLInt, description: 'How many match; counted only when it is selected.', resolve: ({ total }) => total },
        offset: { type: GraphQLInt, description: 'Matches before this page; null behind a cursor.' },
        pagesize: { type: GraphQLInt, resolve: ({ pageSize }) => pageSize },
        edges: { type: new GraphQLList(edge), resolve: ({ resources }) => resources },
        first: { type: GraphQLString, description: 'Cursor of the first page.' },
        previous: { type: GraphQLString, description: 'Cursor of the page that ends before this one; null on the first one.' },
        next: { type: GraphQLString, description: 'Cursor of the next page; null on the last one.' },
        last: { type: GraphQLString, description: 'Cursor of the page with the last matches.' },
      },
    });
    this.connections.set(type, connection);
    return connection;
  }

  private referenceEnum({ type, references }: Source): GraphQLEnumType {
    const known = this.enums.get(type);
    if (known !== undefined) return known;
    const values = Object.fromEntries(references.map(({ code }) => [toArgumentName(code), { value: code }]));
    const made = new NamedEnum({
      name: `${type}ReferenceParameter`,
      description: `The search parameters of ${type} that refer to resources of few types.`,
      values,
    });
    this.enums.set(type, made);
    return made;
  }
}

/** The resource that a list stands on, where it does. */
type Scope = (from: unknown, parameter: unknown) => ListRequest['referring'];

function referringTo(source: Source, typeName: string, to: unknown, parameter: unknown): ListRequest['referring'] {
  const found = source.references.find(({ code }) => code === parameter);
  if (found?.targets.includes(typeName) !== true || !(to instanceof ResourceSource))
    throw badInput(`The search parameter '${String(parameter)}' of ${source.type} never refers to ${typeName}`);
  return { parameter: found.code, to };
}

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

type Arguments = Readonly<Record<string, unknown>>;
type PageRequest = Omit<ListRequest, 'counted' | 'listed' | 'isPage' | 'bothWays'>;

function toRequest(
  { type, args }: Source,
  given: Arguments,
  referring: ListRequest['referring'],
): PageRequest {
  return {
    type,
    ...args.request(given),
    ...(referring === undefined ? {} : { referring }),
    ...(typeof given.asOf === 'string' ? { asOf: given.asOf } : {}),
  };
}
