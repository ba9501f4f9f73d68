/** SQL tests of a parameter number against one or several numbers. */
import { sql, type RawBuilder } from 'kysely';
import { BinaryArray } from '../../connection/binary-array';
import type { PredicateValue, ValueReference } from '../predicate-parts';

/** Condition that the column has the number of one of the parameters. */
export function parameterTest(
  column: string,
  parameters: readonly number[],
  name: string,
  value: ValueReference,
): RawBuilder<boolean> {
  return parameters.length === 1
    ? sql`${sql.ref(column)} = ${value(name)}::int`
    : sql`${sql.ref(column)} = any(${value(name)}::int[])`;
}

export function parameterValue(parameters: readonly number[], name: string): PredicateValue {
  const [only, ...others] = parameters;
  if (only !== undefined && others.length === 0) return { name, type: 'int', value: only };
  const array = new BinaryArray('int4');
  for (const parameter of parameters) array.pushInt4(parameter);
  return { name, type: 'int[]', value: array.finish() };
}
