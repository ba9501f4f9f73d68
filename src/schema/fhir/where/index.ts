/**
 * The argument `where` of lists: for each resource type an input type with its search parameters, chains and reverse
 * chains. Types refer to each other and are made on demand.
 */
import {
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';
import type { SchemaDefinitions, SchemaParameter } from '../definitions';
import type { TypeMaker } from '../own-types';
import { SEARCH_WHERE, type TypeConditions } from './any-type';
import type { Condition } from './condition';
import { filterConditions, filterFields, filterOf } from './filters';
import { EXPRESSION_PARAMETERS } from '../../../../packages/fhir-values/search-name';
import { toArgumentName } from '../../../../packages/fhir-values/argument-name';

/** A parameter with more target types counts as one that may refer to any type. */
const MOST_TARGETS = 30;
/** The name of a filter lists up to this many target types. */
const MOST_NAMED = 2;

/** Parameters whose value is not split at commas; several values must all be met. */

interface ReferenceFilter {
  readonly name: string;
  /** Resource types that chains may lead to. */
  readonly reached: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

function listOf(type: GraphQLInputType): GraphQLInputType {
  return new GraphQLList(new GraphQLNonNull(type));
}

export class WhereTypes {
  private readonly wheres = new Map<string, GraphQLInputObjectType>();
  private readonly referrers = new Map<string, GraphQLInputObjectType>();
  private readonly references = new Map<string, GraphQLInputObjectType>();
  private readonly parameters = new Map<string, readonly SchemaParameter[]>();
  private readonly has: GraphQLInputObjectType;
  /** A `where` of each type, of which one is given. */
  readonly any: GraphQLInputObjectType;
  /** Filters by the keys of `references`. */
  private readonly named = new Map<string, ReferenceFilter>();

  /**
   * @param release the filters of the release, which are all named already; filters that exist there keep their names
   */
  constructor(
    private readonly definitions: SchemaDefinitions,
    private readonly release?: { readonly wheres: WhereTypes; readonly changed: ReadonlySet<string> },
  ) {
    for (const [key, filter] of release?.wheres.named ?? []) this.named.set(key, filter);
    // All filters are named here, so that no name depends on the order of use.
    for (const type of [...(release?.changed ?? [])].sort())
      for (const parameter of this.referenceParameters(type)) this.nameReference(type, parameter);
    this.any = this.anyType();
    this.has = new GraphQLInputObjectType({
      name: 'HasFilter',
      description:
        'Conditions on referring resources, by type and search parameter: one such resource must meet all of them.',
      fields: () =>
        Object.fromEntries(
          definitions.resourceTypes
            .filter((type) => this.referenceParameters(type).length > 0)
            .map((type) => [type, { type: this.referrersOf(type) }]),
        ),
    });
  }

  private anyType(): GraphQLInputObjectType {
    return new GraphQLInputObjectType({
      name: SEARCH_WHERE,
      isOneOf: true,
      description: 'Conditions on resources of one type.',
      fields: () =>
        Object.fromEntries(this.definitions.resourceTypes.map((type) => [type, { type: this.of(type) }])),
      extensions: {
        conditions: (given: unknown): TypeConditions | undefined => {
          const [entry] = isObject(given) ? Object.entries(given) : [];
          return entry && { type: entry[0], where: this.conditions(...entry) };
        },
      },
    });
  }

  /** Returns the input type of a resource type, such as `PatientWhere`. */
  of(type: string): GraphQLInputObjectType {
    let where = this.wheres.get(type);
    if (where === undefined) {
      where = new GraphQLInputObjectType({
        name: `${type}Where`,
        description: `Conditions on a ${type}; all must be met.`,
        fields: () => this.fieldsOf(type),
      });
      this.wheres.set(type, where);
    }
    return where;
  }

  /** Returns all types by name. */
  *makers(): Iterable<TypeMaker> {
    yield [this.has.name, () => this.has];
    yield [this.any.name, () => this.any];
    for (const type of this.definitions.resourceTypes) {
      yield [`${type}Where`, () => this.of(type)];
      if (this.referenceParameters(type).length > 0) yield [`${type}Has`, () => this.referrersOf(type)];
    }
    for (const [key, { name }] of this.named) yield [name, () => this.referenceFilter(key)];
  }

  /** Returns the conditions of a value of `of(type)`. */
  conditions(type: string, where: unknown): Condition[] {
    if (!isObject(where)) return [];
    const conditions: Condition[] = [];
    for (const parameter of this.parametersOf(type)) {
      const name = toArgumentName(parameter.code);
      for (const filter of toList(where[name]))
        conditions.push(...this.parameterConditions(parameter, filter));
    }
    for (const inner of toList(where['and'])) conditions.push(...this.conditions(type, inner));
    const { or } = where;
    if (Array.isArray(or))
      conditions.push({ kind: 'any', of: or.map((inner) => this.conditions(type, inner)) });
    for (const inner of toList(where['not']))
      conditions.push({ kind: 'not', of: this.conditions(type, inner) });
    for (const has of toList(where['_has'])) conditions.push(...this.hasConditions(has));
    return conditions;
  }

  private parameterConditions(parameter: SchemaParameter, filter: unknown): Condition[] {
    const { code } = parameter;
    const kind = kindOf(parameter);
    if (EXPRESSION_PARAMETERS.has(code)) return [{ kind: 'parameter', name: code, value: String(filter) }];
    if (!isObject(filter)) return [];
    const conditions = filterConditions(kind, code, filter);
    if (kind !== 'reference') return conditions;
    for (const [target, where] of Object.entries(filter)) {
      if (!isObject(where)) continue;
      conditions.push({ kind: 'chain', parameter: code, target, of: this.conditions(target, where) });
    }
    return conditions;
  }

  private hasConditions(has: unknown): Condition[] {
    if (!isObject(has)) return [];
    return Object.entries(has).flatMap(([source, by]) =>
      this.referenceParameters(source).flatMap(({ code }) =>
        toList(isObject(by) ? by[toArgumentName(code)] : undefined).map((where): Condition => ({
          kind: 'has',
          source,
          parameter: code,
          of: this.conditions(source, where),
        })),
      ),
    );
  }

  private fieldsOf(type: string): GraphQLInputFieldConfigMap {
    const fields: Record<string, GraphQLInputFieldConfig> = {};
    for (const parameter of this.parametersOf(type))
      fields[toArgumentName(parameter.code)] = {
        type: listOf(this.filterOf(type, parameter)),
        description: parameter.description,
      };
    const own = this.of(type);
    return {
      ...fields,
      and: { type: listOf(own), description: 'All of these must be met.' },
      or: { type: listOf(own), description: 'One of these must be met.' },
      not: { type: listOf(own), description: 'None of these may be met.' },
      _has: { type: listOf(this.has), description: 'Conditions on resources that refer to it.' },
    };
  }

  private filterOf(type: string, parameter: SchemaParameter): GraphQLInputType {
    if (EXPRESSION_PARAMETERS.has(parameter.code)) return GraphQLString;
    const kind = kindOf(parameter);
    if (kind !== 'reference') return filterOf(kind);
    return this.referenceFilter(this.nameReference(type, parameter));
  }

  /** Returns the key of the filter for the target types of a parameter. There is one filter for each set of types. */
  private nameReference(type: string, { code, targets }: SchemaParameter): string {
    const existing = targets.filter((target) => this.definitions.resourceTypes.includes(target)).sort();
    const isAny = existing.length === 0 || existing.length > MOST_TARGETS;
    const key = isAny ? '*' : existing.join();
    if (this.named.has(key)) return key;
    const named =
      existing.length <= MOST_NAMED
        ? `${existing.join('Or')}Reference`
        : `${type}${toTypeName(code)}Reference`;
    const reached = isAny ? this.definitions.resourceTypes : existing;
    this.named.set(key, { name: isAny ? 'AnyReferenceFilter' : this.free(named), reached });
    return key;
  }

  /** Returns an unused name: `one-way` and `OneWay` of a tenant would have the same name. */
  private free(named: string): string {
    const taken = new Set([...this.named.values()].map(({ name }) => name));
    let name = `${named}Filter`;
    for (let other = 2; taken.has(name); other++) name = `${named}${other}Filter`;
    return name;
  }

  private referenceFilter(key: string): GraphQLInputObjectType {
    let filter = this.references.get(key);
    if (filter === undefined) {
      const named = this.named.get(key);
      if (named === undefined) throw new Error(`there is no reference filter '${key}'`);
      const { name, reached } = named;
      filter = new GraphQLInputObjectType({
        name,
        description: 'Below the name of a type: one such target must meet all conditions.',
        fields: () => ({
          ...filterFields('reference'),
          ...Object.fromEntries(reached.map((target) => [target, { type: this.of(target) }])),
        }),
      });
      this.references.set(key, filter);
    }
    return filter;
  }

  private referrersOf(type: string): GraphQLInputObjectType {
    let referrers = this.referrers.get(type);
    if (referrers === undefined) {
      referrers = new GraphQLInputObjectType({
        name: `${type}Has`,
        description: `Conditions on a ${type}, by the reference parameter that refers to the resource.`,
        fields: () =>
          Object.fromEntries(
            this.referenceParameters(type).map(({ code, description }) => [
              toArgumentName(code),
              { type: listOf(this.of(type)), description },
            ]),
          ),
      });
      this.referrers.set(type, referrers);
    }
    return referrers;
  }

  private parametersOf(type: string): readonly SchemaParameter[] {
    if (this.release && !this.release.changed.has(type)) return this.release.wheres.parametersOf(type);
    let parameters = this.parameters.get(type);
    if (parameters === undefined)
      this.parameters.set(type, (parameters = this.definitions.searchParameters(type)));
    return parameters;
  }

  private referenceParameters(type: string): readonly SchemaParameter[] {
    return this.parametersOf(type).filter(({ kind }) => kind === 'reference');
  }
}

/** Treats `_id` as a kind of its own, because its filter differs from that of tokens. */
function kindOf({ code, kind }: SchemaParameter): string {
  return code === '_id' ? 'id' : kind;
}

/** Converts `based-on` to `BasedOn`. */
function toTypeName(code: string): string {
  return code
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function toList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
