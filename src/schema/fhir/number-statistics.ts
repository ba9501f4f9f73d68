/** The type of statistics of numbers. */
import { type GraphQLFieldConfig, GraphQLInt, GraphQLObjectType, GraphQLString } from 'graphql';
import { DECIMAL_MARK } from '../json';
import type { NumbersOfUnit } from './handlers';
import { primitiveScalar } from './primitives';

export function statisticsType<Context>(): GraphQLObjectType<NumbersOfUnit, Context> {
  return new GraphQLObjectType<NumbersOfUnit, Context>({
    name: 'NumberStatistics',
    description: 'Statistics of numbers with one unit.',
    fields: {
      unit: {
        type: GraphQLString,
        description: 'The text of the unit, as one of the values has it; else its code.',
        resolve: ({ unit }) => unit.unit ?? unit.code,
      },
      code: { type: GraphQLString, description: 'The code of the unit.', resolve: ({ unit }) => unit.code },
      system: {
        type: primitiveScalar('uri'),
        description: 'The system of the code.',
        resolve: ({ unit }) => unit.system,
      },
      count: { type: GraphQLInt, description: 'Number of values.' },
      inexact: {
        type: GraphQLInt,
        description:
          'Number of further values that are no single number: `< 5`, a range. No other field includes them.',
      },
      min: decimalField(({ min }) => min, 'The least value; null without values.'),
      max: decimalField(({ max }) => max, 'The greatest value; null without values.'),
      avg: decimalField(
        ({ avg }) => avg,
        'The mean, with up to 18 digits or rounded to 15; null without values.',
      ),
      sum: decimalField(({ sum }) => sum, 'The sum; null without values.'),
    },
  });
}

function decimalField<Context>(
  textOf: (numbers: NumbersOfUnit) => string | undefined,
  description: string,
): GraphQLFieldConfig<NumbersOfUnit, Context> {
  return {
    type: primitiveScalar('decimal'),
    description,
    resolve: (numbers) => {
      const text = textOf(numbers);
      return text === undefined ? undefined : DECIMAL_MARK + text;
    },
  };
}
