import { sql, type RawBuilder } from 'kysely';
import type { Predicate, RangePredicate } from '../search/predicate';
import type { RangeTest } from '../search/range-test';
import { BinaryArray } from './binary-array';
import { bind, type Bound } from './statement';
import { keyText } from './version-row';

/** How a statement refers to a value: a bound parameter, or a column where several requests share the statement. */
export type ValueReference = (name: string) => RawBuilder<unknown>;

/** A value of one request. */
export interface PredicateValue {
  readonly name: string;
  readonly type: 'int' | 'smallint' | 'bigint' | 'bigint[]' | 'float8' | 'text' | 'boolean';
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
          { column: 'value', operator: predicate.to === undefined ? '=' : '>=', type: 'text', value },
          { column: 'value', operator: '<', type: 'text', value: predicate.to },
          { column: 'version', type: 'text', value: version },
        ]),
      };
    }
    case 'range':
      return compileRange(predicate, prefix, sortDateParameter);
    case 'presence': {
      const headCondition = (value: ValueReference): RawBuilder<boolean> => sql`
        (${value(`${prefix}ordinal`)}::int / 8 < length(t.presence)
          and get_bit(t.presence, ${value(`${prefix}ordinal`)}::int) = 1) = ${value(`${prefix}present`)}::boolean`;
      return {
        shape: 'p',
        table: 'andiron.resource',
        condition: (value) => sql`${LIVE_HEAD} and ${headCondition(value)}`,
        repeats: false,
        dateColumn: undefined,
        headCondition,
        values: [
          { name: `${prefix}ordinal`, type: 'int', value: predicate.ordinal },
          { name: `${prefix}present`, type: 'boolean', value: predicate.isPresent },
        ],
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
    case 'codes':
    case 'substring':
    case 'target':
    case 'source':
    case 'all':
      throw new Error(`A predicate of the kind '${predicate.index}' has no SQL yet`);
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

function compileRange(
  predicate: RangePredicate,
  prefix: string,
  sortDateParameter: number | undefined,
): PredicateSql {
  const { parameter, qualifier, domain, test, low, high, value, unit } = predicate;
  const isClinicalDate = parameter === sortDateParameter && qualifier === undefined;
  const equal: readonly Comparison[] = [
    { column: 'parameter', type: 'int', value: parameter },
    { column: 'qualifier', type: 'bigint', value: qualifier === undefined ? '0' : keyText(qualifier) },
    { column: 'unit_system', type: 'int', value: unit?.system },
    { column: 'unit_code', type: 'int', value: unit?.code },
  ];
  const compared = comparisons(domain === 'date' ? 'd' : 'n', prefix, equal);
  const bounds: PredicateValue[] = [];
  const bound = (name: 'low' | 'high' | 'exact', number: number | undefined): string => {
    const full = `${prefix}${name}`;
    if (!bounds.some((known) => known.name === full))
      bounds.push({ name: full, type: 'float8', value: String(number) });
    return full;
  };
  // Made twice: now for the names of the values, and with the statement's own references when its text is made.
  const conditionOf = (reference: ValueReference): RawBuilder<unknown> => {
    const number = (name: 'low' | 'high' | 'exact', given: number | undefined): RawBuilder<unknown> =>
      sql`${reference(bound(name, given))}::float8`;
    return domain === 'date'
      ? dateCondition(
          test,
          () => number('low', low),
          () => number('high', high),
        )
      : numberCondition(
          test,
          () => number('exact', value),
          () => number('low', low),
          () => number('high', high),
        );
  };
  conditionOf(bind);
  const named = unit?.codeOrName;
  const unitName = `${prefix}unit`;
  return {
    shape: `${compared.shape}${test}${isClinicalDate ? 'c' : ''}${named === undefined ? '' : 'u'}`,
    table: 'andiron.range_index',
    condition: (reference) =>
      sql`${compared.condition(reference)} and ${conditionOf(reference)}${
        named === undefined
          ? sql``
          : sql` and (t.unit_code = ${reference(unitName)}::int or t.unit_name = ${reference(unitName)}::int)`
      }`,
    repeats: true,
    dateColumn: isClinicalDate ? 'low' : undefined,
    values: [
      ...compared.values,
      ...bounds,
      ...(named === undefined ? [] : [{ name: unitName, type: 'int', value: named } as const]),
    ],
  };
}

/**
 * A stored range [t.low, t.high) against the search range [low, high), by search.html#prefix. `eq` names both bounds
 * of t.low so that the index can be entered by it.
 */
function dateCondition(
  test: RangeTest,
  low: () => RawBuilder<unknown>,
  high: () => RawBuilder<unknown>,
): RawBuilder<unknown> {
  switch (test) {
    case 'eq':
      return sql`t.low >= ${low()} and t.low < ${high()} and t.high <= ${high()}`;
    case 'ne':
      return sql`(t.low < ${low()} or t.high > ${high()})`;
    case 'gt':
      return sql`t.high > ${high()}`;
    case 'lt':
      return sql`t.low < ${low()}`;
    case 'ge':
      return sql`(t.low >= ${low()} or t.high > ${high()})`;
    case 'le':
      return sql`(t.low < ${low()} or t.high <= ${high()})`;
    case 'sa':
      return sql`t.low >= ${high()}`;
    case 'eb':
      return sql`t.high <= ${low()}`;
    case 'ap':
      return sql`(t.low < ${high()} and t.high > ${low()})`;
  }
}

/**
 * A stored point or range [t.low, t.high], both ends included, against a number: `eq` and `ne` by the range of its
 * implicit precision [low, high), `ap` by [low, high], all others by its exact value (search.html#number).
 */
function numberCondition(
  test: RangeTest,
  exact: () => RawBuilder<unknown>,
  low: () => RawBuilder<unknown>,
  high: () => RawBuilder<unknown>,
): RawBuilder<unknown> {
  switch (test) {
    case 'eq':
      return sql`t.low >= ${low()} and t.low < ${high()} and t.high < ${high()}`;
    case 'ne':
      return sql`(t.low < ${low()} or t.high >= ${high()})`;
    case 'gt':
      return sql`t.high > ${exact()}`;
    case 'lt':
      return sql`t.low < ${exact()}`;
    case 'ge':
      return sql`t.high >= ${exact()}`;
    case 'le':
      return sql`t.low <= ${exact()}`;
    case 'sa':
      return sql`t.low > ${exact()}`;
    case 'eb':
      return sql`t.high < ${exact()}`;
    case 'ap':
      return sql`(t.low <= ${high()} and t.high >= ${low()})`;
  }
}

/** Text of a whole number for bigint; infinities become its ends. */
function wholeText(value: number): string {
  if (value === Infinity) return '9223372036854775807';
  if (value === -Infinity) return '-9223372036854775808';
  return String(value);
}
