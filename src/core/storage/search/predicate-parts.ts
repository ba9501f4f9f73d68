/** Types and functions shared by the SQL of all kinds of predicates. */
import { sql, type RawBuilder } from 'kysely';
import { bind, type Bound } from '../connection/statement';

/** The reference of a statement to a value: a bound parameter, or a column where several requests share the statement. */
export type ValueReference = (name: string) => RawBuilder<unknown>;

/** Types of PostgreSQL whose values may stand in arrays. */
type PlainType = 'int' | 'smallint' | 'bigint' | 'float8' | 'text';

/** A value of one request. */
export interface PredicateValue {
  readonly name: string;
  readonly type: PlainType | `${PlainType}[]` | 'boolean';
  readonly value: Bound;
}

/** A predicate as SQL: its table and the condition on its rows. */
export interface PredicateSql {
  /** Two predicates of one shape have the same SQL text except for the names of their values. */
  readonly shape: string;
  readonly table: string;
  /** Conditions on a row of `table` under the alias `t`, space included. */
  condition(value: ValueReference): RawBuilder<boolean>;
  /** True if one resource may have several rows that match. */
  readonly repeats: boolean;
  /** The column with the clinical date of the resource, if there is one. */
  readonly dateColumn: 'sort_date' | 'low' | undefined;
  /** The same condition on a head under this alias, if a head alone is enough. */
  readonly headCondition?: (value: ValueReference, head: string) => RawBuilder<boolean>;
  readonly values: readonly PredicateValue[];
}

export const SPACE = sql`t.space = ${bind('space')}::int`;

/** A column compared with a value. */
export interface Comparison {
  readonly column: string;
  readonly operator?: '=' | '>=' | '<';
  readonly type: PredicateValue['type'];
  /** Undefined: this predicate has no such comparison. */
  readonly value: Bound | undefined;
}

/** Returns the parts of a predicate that compares columns of its own table with values. */
export function comparisons(
  letter: string,
  prefix: string,
  all: readonly Comparison[],
): Pick<PredicateSql, 'shape' | 'condition' | 'values'> {
  let shape = letter;
  const compared: { readonly comparison: Comparison; readonly value: PredicateValue }[] = [];
  for (const [position, comparison] of all.entries()) {
    const { column, operator = '=', type, value } = comparison;
    if (value === undefined) continue;
    shape += `${position}${operator}`;
    compared.push({ comparison, value: { name: `${prefix}${column}_${position}`, type, value } });
  }
  return {
    shape,
    condition: (reference) =>
      sql`${SPACE} and ${sql.join(
        compared.map(
          ({ comparison: { column, operator = '=' }, value: { name, type } }) =>
            sql`${sql.ref(`t.${column}`)} ${sql.raw(operator)} ${reference(name)}::${sql.raw(type)}`,
        ),
        sql` and `,
      )}`,
    values: compared.map(({ value }) => value),
  };
}
