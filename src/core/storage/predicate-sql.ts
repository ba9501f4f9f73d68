import { sql, type RawBuilder } from 'kysely';
import type { Predicate } from '../search/predicate';
import type { RangeTest } from '../search/range-test';
import { BinaryArray } from './binary-array';
import { bind, type Bound } from './statement';
import { keyText } from './version-read';

/** A predicate as SQL: where its rows lie, and what they must be. */
export interface PredicateSql {
  /** Two predicates of one shape have the same SQL text but for the names of their values. */
  readonly shape: string;
  readonly table: string;
  /** Conditions on a row of `table` under the alias `t`, space included. */
  readonly condition: RawBuilder<boolean>;
  /** True when one resource may have several rows that meet the condition. */
  readonly repeats: boolean;
  /** The column that holds the clinical date of the resource, where one does. */
  readonly dateColumn: 'sort_date' | 'low' | undefined;
  /** The same condition on a head under the alias `t`, where the head alone can tell. */
  readonly headCondition?: RawBuilder<boolean>;
  readonly bound: Readonly<Record<string, Bound>>;
}

const SPACE = sql`t.space = ${bind('space')}::int`;

/**
 * Compiles a predicate; `prefix` keeps the names of its values apart from those of others.
 * @param sortDateParameter the parameter of which the low bound is the clinical date of the type
 */
export function compilePredicate(
  predicate: Predicate,
  prefix: string,
  sortDateParameter: number | undefined,
): PredicateSql {
  const value = (name: string): RawBuilder<unknown> => bind(prefix + name);
  switch (predicate.index) {
    case 'token': {
      const { parameter, value: code, system } = predicate;
      const conditions = [SPACE, sql`t.parameter = ${value('parameter')}::int`];
      const bound: Record<string, Bound> = { [prefix + 'parameter']: parameter };
      if (code !== undefined) {
        conditions.push(sql`t.value_hash = ${value('value')}::bigint`);
        bound[prefix + 'value'] = keyText(code);
      }
      if (system !== undefined) {
        conditions.push(sql`t.system_hash = ${value('system')}::int`);
        bound[prefix + 'system'] = system;
      }
      return {
        shape: `t${code === undefined ? '' : 'v'}${system === undefined ? '' : 's'}`,
        table: 'andiron.token_index',
        condition: sql`${sql.join(conditions, sql` and `)}`,
        repeats: code === undefined || system === undefined,
        dateColumn: code === undefined ? undefined : 'sort_date',
        bound,
      };
    }
    case 'reference': {
      const { parameter, target, targetType } = predicate;
      const conditions = [
        SPACE,
        sql`t.parameter = ${value('parameter')}::int`,
        sql`t.target_key = ${value('target')}::bigint`,
      ];
      const bound: Record<string, Bound> = {
        [prefix + 'parameter']: parameter,
        [prefix + 'target']: keyText(target),
      };
      if (targetType !== undefined) {
        conditions.push(sql`t.target_type = ${value('type')}::smallint`);
        bound[prefix + 'type'] = targetType;
      }
      return {
        shape: `r${targetType === undefined ? '' : 't'}`,
        table: 'andiron.reference_index',
        condition: sql`${sql.join(conditions, sql` and `)}`,
        repeats: targetType === undefined,
        dateColumn: 'sort_date',
        bound,
      };
    }
    case 'string': {
      const { parameter, from, to, exact } = predicate;
      const bound: Record<string, Bound> = { [prefix + 'parameter']: parameter, [prefix + 'from']: from };
      const conditions = [SPACE, sql`t.parameter = ${value('parameter')}::int`];
      if (to === undefined) conditions.push(sql`t.value = ${value('from')}`);
      else {
        conditions.push(sql`t.value >= ${value('from')} and t.value < ${value('to')}`);
        bound[prefix + 'to'] = to;
      }
      if (exact !== undefined) {
        conditions.push(sql`t.exact_hash = ${value('exact')}::int`);
        bound[prefix + 'exact'] = exact;
      }
      return {
        shape: `s${to === undefined ? 'e' : 'p'}${exact === undefined ? '' : 'x'}`,
        table: 'andiron.string_index',
        condition: sql`${sql.join(conditions, sql` and `)}`,
        repeats: true,
        dateColumn: undefined,
        bound,
      };
    }
    case 'uri': {
      const { parameter, value: text, version } = predicate;
      const conditions = [
        SPACE,
        sql`t.parameter = ${value('parameter')}::int`,
        sql`t.value = ${value('value')}`,
      ];
      const bound: Record<string, Bound> = { [prefix + 'parameter']: parameter, [prefix + 'value']: text };
      if (version !== undefined) {
        conditions.push(sql`t.version = ${value('version')}`);
        bound[prefix + 'version'] = version;
      }
      return {
        shape: `i${version === undefined ? '' : 'v'}`,
        table: 'andiron.uri_index',
        condition: sql`${sql.join(conditions, sql` and `)}`,
        repeats: true,
        dateColumn: undefined,
        bound,
      };
    }
    case 'range': {
      const { parameter, test, low, high } = predicate;
      const condition = sql<boolean>`${SPACE} and t.parameter = ${value('parameter')}::int and t.qualifier = 0
        and ${rangeCondition(test, sql`${value('low')}::float8`, sql`${value('high')}::float8`)}`;
      const bound: Record<string, Bound> = { [prefix + 'parameter']: parameter };
      if (USES_LOW.has(test)) bound[prefix + 'low'] = String(low);
      if (USES_HIGH.has(test)) bound[prefix + 'high'] = String(high);
      return {
        shape: `d${test}${parameter === sortDateParameter ? 'c' : ''}`,
        table: 'andiron.range_index',
        condition,
        repeats: true,
        dateColumn: parameter === sortDateParameter ? 'low' : undefined,
        bound,
      };
    }
    case 'updated': {
      const headCondition = sql<boolean>`t.last_updated >= ${value('low')}::bigint
        and t.last_updated < ${value('high')}::bigint`;
      return {
        shape: 'u',
        table: 'andiron.resource',
        condition: sql`${SPACE} and t.resource_type = ${bind('type')}::smallint and not t.deleted
          and ${headCondition}`,
        repeats: false,
        dateColumn: undefined,
        headCondition,
        bound: { [prefix + 'low']: wholeText(predicate.low), [prefix + 'high']: wholeText(predicate.high) },
      };
    }
    case 'key': {
      const keys = new BinaryArray('int8');
      for (const key of predicate.keys) keys.pushInt8(key.high, key.low);
      return {
        shape: 'k',
        table: 'andiron.resource',
        condition: sql`${SPACE} and t.resource_type = ${bind('type')}::smallint and not t.deleted
          and t.resource_key = any(${value('keys')}::bigint[])`,
        repeats: false,
        dateColumn: undefined,
        bound: { [prefix + 'keys']: keys.finish() },
      };
    }
  }
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
