/** Matches of the arguments of a list summed up: their number, in total or by value, and statistics of their numbers. */
import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLInt,
  type GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import { COST_OF_READ, costOfCounting, SEARCH_COST, withCost } from '../cost';
import { codeScalar } from '../scalars';
import type { SchemaParameter } from './definitions';
import type { Field } from './elements';
import type { CountedValue, CountRequest, Handlers, NumbersOfUnit } from './handlers';
import { NamedEnum } from './named-enum';
import { statisticsType } from './number-statistics';
import { primitiveScalar } from './primitives';
import { toArgumentName } from '../../../packages/fhir-values/argument-name';

/** The criteria of the counts of one field. Nothing is counted before a field of it is resolved. */
type Criteria = Pick<CountRequest, 'type' | 'parameters' | 'where'>;

interface AggregateTypes<Context> {
  readonly aggregate: GraphQLObjectType<Criteria, Context>;
  /** The enums of parameters by which resources can be counted, or whose numbers have statistics. */
  readonly groupings: readonly NamedEnum[];
}

const BUCKETS = ['year', 'month', 'day'] as const;

const COUNT = { type: GraphQLInt, description: 'Number of resources that have it.' };
const MOST = {
  type: GraphQLInt,
  description:
    'Limit on the number of groups, the largest first; without it more than 1000 groups are an error.',
};

export class AggregateFields<Context> {
  private readonly tokenCount: GraphQLObjectType<CountedValue, Context>;
  private readonly referenceCount: GraphQLObjectType<CountedValue, Context>;
  private readonly dateCount: GraphQLObjectType<CountedValue, Context>;
  private readonly statistics: GraphQLObjectType<NumbersOfUnit, Context> = statisticsType();
  private readonly bucket = new NamedEnum({
    name: 'DateBucket',
    description: 'A part of time by which dates are counted.',
    values: Object.fromEntries(BUCKETS.map((name) => [name, { value: name }])),
  });

  /** Types by the search parameters of a resource type, which may belong to one space. */
  private readonly made = new WeakMap<readonly SchemaParameter[], AggregateTypes<Context>>();

  /** @param resource called when the fields of a type are made */
  constructor(
    private readonly handlers: Handlers<Context>,
    resource: () => GraphQLInterfaceType,
  ) {
    this.tokenCount = new GraphQLObjectType<CountedValue, Context>({
      name: 'TokenCount',
      description: 'A code and the number of resources that have it.',
      fields: {
        value: { type: GraphQLString, description: 'In the form of a search: `system|code`.' },
        system: { type: primitiveScalar('uri'), resolve: ({ coding }) => coding?.system },
        code: {
          type: GraphQLString,
          description: 'From one of the resources.',
          resolve: ({ coding }) => coding?.code,
        },
        display: {
          type: GraphQLString,
          description: 'From the same resource.',
          resolve: ({ coding }) => coding?.display,
        },
        count: COUNT,
      },
    });
    this.referenceCount = new GraphQLObjectType<CountedValue, Context>({
      name: 'ReferenceCount',
      description: 'A referenced resource and the number of resources that refer to it.',
      fields: () => ({
        value: { type: GraphQLString, description: 'In the form of a search: `Patient/1`, a url.' },
        resource: {
          type: resource(),
          ...withCost(COST_OF_READ),
          description: 'The referenced resource; null where it does not exist.',
          args: { type: { type: codeScalar, description: 'Only a resource of this type; others are null.' } },
          resolve: ({ value }, { type }: Readonly<Record<string, unknown>>, context) =>
            handlers.resolve(
              {
                reference: { reference: value },
                optional: true,
                ...(typeof type === 'string' ? { type } : {}),
              },
              context,
            ),
        },
        count: COUNT,
      }),
    });
    this.dateCount = new GraphQLObjectType<CountedValue, Context>({
      name: 'DateCount',
      description: 'A part of time and the number of resources with a date that begins in it.',
      fields: {
        value: {
          type: primitiveScalar('date'),
          description: 'In the time zone of the tenant; a year or month where the date is no more precise.',
        },
        count: COUNT,
      },
    });
  }

  /** @param args the arguments of a list, without paging */
  field(
    type: string,
    parameters: readonly SchemaParameter[],
    args: GraphQLFieldConfigArgumentMap,
    toCriteria: (given: Readonly<Record<string, unknown>>) => Criteria,
  ): Field<Context> {
    return {
      type: this.typesOf(type, parameters).aggregate,
      ...withCost({ base: 0, items: () => 1 }),
      description: `Number of resources of the type ${type} that meet all arguments, in total or by value.`,
      args,
      resolve: (_root, given) => toCriteria(given),
    };
  }

  /** Returns the types that the field of a resource type needs. */
  typesOf(type: string, parameters: readonly SchemaParameter[]): AggregateTypes<Context> {
    let made = this.made.get(parameters);
    if (made === undefined) this.made.set(parameters, (made = this.makeTypes(type, parameters)));
    return made;
  }

  private makeTypes(type: string, parameters: readonly SchemaParameter[]): AggregateTypes<Context> {
    const fields: GraphQLFieldConfigMap<Criteria, Context> = {
      count: {
        type: GraphQLInt,
        ...withCost({ base: SEARCH_COST }),
        description: 'Total number.',
        resolve: async (criteria, _given, context) => (await this.handlers.count(criteria, context)).total,
      },
    };
    const tokens = enumOf(`${type}TokenGrouping`, parameters, 'token');
    if (tokens)
      fields.countBy = this.counted(
        this.tokenCount,
        tokens,
        { _count: MOST },
        'Numbers by code, the most frequent first.',
      );
    const references = enumOf(`${type}ReferenceGrouping`, parameters, 'reference');
    if (references)
      fields.countByReference = this.counted(
        this.referenceCount,
        references,
        { _count: MOST },
        'Numbers by referenced resource, the most frequent first.',
      );
    const dates = enumOf(`${type}DateGrouping`, parameters, 'date');
    const bucket = { bucket: { type: new GraphQLNonNull(this.bucket) } };
    if (dates)
      fields.countByDate = this.counted(
        this.dateCount,
        dates,
        bucket,
        'Numbers by the start of their dates, in order.',
      );
    const numbers = enumOf(`${type}NumberGrouping`, parameters, 'number');
    if (numbers) fields.statistics = this.statisticsField(numbers);
    const aggregate = new GraphQLObjectType<Criteria, Context>({ name: `${type}Aggregate`, fields });
    return { aggregate, groupings: [tokens, references, dates, numbers].filter((one) => one !== undefined) };
  }

  private statisticsField(
    parameter: NamedEnum,
  ): GraphQLFieldConfig<Criteria, Context, Readonly<Record<string, unknown>>> {
    return {
      type: new GraphQLList(this.statistics),
      ...withCost(costOfCounting(false)),
      description:
        'Statistics of numbers, for each unit; values in units that UCUM converts into each other are converted into that of ' +
        'the most values.',
      args: {
        parameter: { type: new GraphQLNonNull(parameter) },
        unit: {
          type: GraphQLString,
          description:
            'The only unit of the result, into which values are converted: a UCUM code, or as it is written.',
        },
      },
      resolve: async (criteria, { parameter: code, unit }, context) => {
        const numbers = { parameter: String(code), ...(typeof unit === 'string' ? { unit } : {}) };
        return (await this.handlers.count({ ...criteria, numbers }, context)).statistics;
      },
    };
  }

  private counted(
    type: GraphQLObjectType<CountedValue, Context>,
    parameter: NamedEnum,
    args: GraphQLFieldConfigArgumentMap,
    description: string,
  ): GraphQLFieldConfig<Criteria, Context, Readonly<Record<string, unknown>>> {
    return {
      type: new GraphQLList(type),
      ...withCost(costOfCounting(type === this.referenceCount)),
      description,
      args: { parameter: { type: new GraphQLNonNull(parameter) }, ...args },
      resolve: async (criteria, { parameter: code, bucket, _count: most }, context) => {
        const requested = BUCKETS.find((one) => one === bucket);
        const by = {
          parameter: String(code),
          ...(requested === undefined ? {} : { bucket: requested }),
          ...(typeof most === 'number' ? { most } : {}),
        };
        return (await this.handlers.count({ ...criteria, by }, context)).groups;
      },
    };
  }
}

/** Returns the enum of the parameters of this kind of grouping; undefined when there are none. */
function enumOf(
  name: string,
  parameters: readonly SchemaParameter[],
  kind: SchemaParameter['groupKind'],
): NamedEnum | undefined {
  const codes = parameters.filter(({ groupKind }) => groupKind === kind).map(({ code }) => code);
  if (codes.length === 0) return undefined;
  const values = Object.fromEntries(codes.map((code) => [toArgumentName(code), { value: code }]));
  return new NamedEnum({ name, values });
}
