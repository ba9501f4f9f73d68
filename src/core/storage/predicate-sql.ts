import { sql, type RawBuilder } from 'kysely';
import type { Predicate } from '../search/predicate';
import type { RangeTest } from '../search/range-test';
import { BinaryArray } from './binary-array';
import { bind, type Bound } from './statement';
import { keyText } from './version-row';

/** How a statement refers to a value: a bound parameter, or a column where several requests share the statement. */
export type ValueReference = (name: string) => RawBuilder<unknown>;

/** A value of one request. */
export interface PredicateValue {
  readonly name: string;
  readonly type: 'int' | 'smallint' | 'bigint' | 'bigint[]' | 'float8' | 'text';
  readonly value: Bound;
}

/** A predicate as SQL: where its rows lie, and what they must be. */
export interface PredicateSql {
  /** Two predicates of one shape have the same SQL text but for the names of their values. */
  readonly shape: string;
  readonly table: string;
  /** Conditions on a row of `table` under the alias `t`, space included. */
  condition(value: ValueReference): RawBuilder<boolean>;
  /** True when one resource may have several rows that meet the condition. */
  readonly repeats: boolean;
  /** The column that holds the clinical date of the resource, where one does. */
  readonly dateColumn: 'sort_date' | 'low' | undefined;
  /** The same condition on a head under the alias `t`, where the head alone can tell. */
  readonly headCondition?: (value: ValueReference) => RawBuilder<boolean>;
  readonly values: readonly PredicateValue[];
}

const SPACE = sql`t.space = ${bind('space')}::int`;
const LIVE_HEAD = sql`${SPACE} and t.resource_type = ${bind('type')}::smallint and not t.deleted`;

/** A column compared with a value. */
interface Comparison {
  readonly column: string;
  readonly operator?: '=' | '>=' | '<';
  readonly type: PredicateValue['type'];
  /** Undefined: this predicate does not ask. */
  readonly value: Bound | undefined;
}

/**
 * Compiles a predicate; `prefix` keeps the names of its values apart from those of others.
 * @param sortDateParameter the parameter of which the low bound is the clinical date of the type
 */
export function compilePredicate(
  predicate: Predicate,
  prefix: string,
  sortDateParameter: number | undefined,
): PredicateSql {
  switch (predicate.index) {
    case 'token': {
      const { parameter, value, system } = predicate;
      return {
        table: 'andiron.token_index',
        repeats: value === undefined || system === undefined,
        dateColumn: value === undefined ? undefined : 'sort_date',
        ...comparisons('t', prefix, [
          { column: 'parameter', type: 'int', value: parameter },
          { column: 'value_hash', type: 'bigint', value: value === undefined ? value : keyText(value) },
          { column: 'system_hash', type: 'int', value: system },
        ]),
      };
    }
    case 'reference': {
      const { parameter, target, targetType } = predicate;
      return {
        table: 'andiron.reference_index',
        repeats: targetType === undefined,
        dateColumn: 'sort_date',
        ...comparisons('r', prefix, [
          { column: 'parameter', type: 'int', value: parameter },
          { column: 'target_key', type: 'bigint', value: keyText(target) },
          { column: 'target_type', type: 'smallint', value: targetType },
        ]),
      };
    }
    case 'string': {
      const { parameter, from, to, exact } = predicate;
      return {
        table: 'andiron.string_index',
        repeats: true,
        dateColumn: undefined,
        ...comparisons('s', prefix, [
          { column: 'parameter', type: 'int', value: parameter },
          { column: 'value', operator: to === undefined ? '=' : '>=', type: 'text', value: from },
          { column: 'value', operator: '<', type: 'text', value: to },
          { column: 'exact_hash', type: 'int', value: exact },
        ]),
      };
    }
    case 'uri': {
      const { parameter, value, version } = predicate;
      return {
        table: 'andiron.uri_index',
        repeats: true,
        dateColumn: undefined,
        ...comparisons('i', prefix, [
          { column: 'parameter', type: 'int', value: parameter },
          { column: 'value', type: 'text', value },
          { column: 'version', type: 'text', value: version },
        ]),
      };
    }
    case 'range': {
      const { parameter, test, low, high } = predicate;
      const values: PredicateValue[] = [{ name: `${prefix}parameter`, type: 'int', value: parameter }];
      if (USES_LOW.has(test)) values.push({ name: `${prefix}low`, type: 'float8', value: String(low) });
      if (USES_HIGH.has(test)) values.push({ name: `${prefix}high`, type: 'float8', value: String(high) });
      const isClinicalDate = parameter === sortDateParameter;
      return {
        shape: `d${test}${isClinicalDate ? 'c' : ''}`,
        table: 'andiron.range_index',
        condition: (value) => sql`${SPACE} and t.parameter = ${value(`${prefix}parameter`)}::int
          and t.qualifier = 0
          and ${rangeCondition(test, sql`${value(`${prefix}low`)}::float8`, sql`${value(`${prefix}high`)}::float8`)}`,
        repeats: true,
        dateColumn: isClinicalDate ? 'low' : undefined,
        values,
      };
    }
    case 'updated': {
      const headCondition = (value: ValueReference): RawBuilder<boolean> =>
        sql`t.last_updated >= ${value(`${prefix}low`)}::bigint
          and t.last_updated < ${value(`${prefix}high`)}::bigint`;
      return {
        shape: 'u',
        table: 'andiron.resource',
        condition: (value) => sql`${LIVE_HEAD} and ${headCondition(value)}`,
        repeats: false,
        dateColumn: undefined,
        headCondition,
        values: [
          { name: `${prefix}low`, type: 'bigint', value: wholeText(predicate.low) },
          { name: `${prefix}high`, type: 'bigint', value: wholeText(predicate.high) },
        ],
      };
    }
    case 'key': {
      const keys = new BinaryArray('int8');
      for (const key of predicate.keys) keys.pushInt8(key.high, key.low);
      return {
        shape: 'k',
        table: 'andiron.resource',
        condition: (value) => sql`${LIVE_HEAD} and t.resource_key = any(${value(`${prefix}keys`)}::bigint[])`,
        repeats: false,
        dateColumn: undefined,
        values: [{ name: `${prefix}keys`, type: 'bigint[]', value: keys.finish() }],
      };
    }
  }
}

/** The parts of a predicate that compares columns of its own table with values. */
function comparisons(
  letter: string,
  prefix: string,
  all: readonly Comparison[],
): Pick<PredicateSql, 'shape' | 'condition' | 'values'> {
  let shape = letter;
  const asked: { readonly comparison: Comparison; readonly value: PredicateValue }[] = [];
  for (const [position, comparison] of all.entries()) {
    const { column, operator = '=', type, value } = comparison;
    if (value === undefined) continue;
    shape += `${position}${operator}`;
    asked.push({ comparison, value: { name: `${prefix}${column}_${position}`, type, value } });
  }
  return {
    shape,
    condition: (reference) =>
      sql`${SPACE} and ${sql.join(
        asked.map(
          ({ comparison: { column, operator = '=' }, value: { name, type } }) =>
            sql`${sql.ref(`t.${column}`)} ${sql.raw(operator)} ${reference(name)}::${sql.raw(type)}`,
        ),
        sql` and `,
      )}`,
    values: asked.map(({ value }) => value),
  };
}

const USES_LOW: ReadonlySet<RangeTest> = new Set<RangeTest>(['eq', 'ne', 'lt', 'ge', 'le', 'eb', 'ap']);
const USES_HIGH: ReadonlySet<RangeTest> = new Set<RangeTest>(['eq', 'ne', 'gt', 'ge', 'le', 'sa', 'ap']);

/**
 * A stored range [t.low, t.high) against the search range [low, high), by search.html#prefix. `eq` names both bounds
 * of t.low so that the index can be entered by it.
 */
function rangeCondition(
  test: RangeTest,
  low: RawBuilder<unknown>,
  high: RawBuilder<unknown>,
): RawBuilder<unknown> {
  switch (test) {
    case 'eq':
      return sql`t.low >= ${low} and t.low < ${high} and t.high <= ${high}`;
    case 'ne':
      return sql`(t.low < ${low} or t.high > ${high})`;
    case 'gt':
      return sql`t.high > ${high}`;
    case 'lt':
      return sql`t.low < ${low}`;
    case 'ge':
      return sql`(t.low >= ${low} or t.high > ${high})`;
    case 'le':
      return sql`(t.low < ${low} or t.high <= ${high})`;
    case 'sa':
      return sql`t.low >= ${high}`;
    case 'eb':
      return sql`t.high <= ${low}`;
    case 'ap':
      return sql`(t.low < ${high} and t.high > ${low})`;
  }
}

/** Text of a whole number for bigint; infinities become its ends. */
function wholeText(value: number): string {
  if (value === Infinity) return '9223372036854775807';
  if (value === -Infinity) return '-9223372036854775808';
  return String(value);
}
