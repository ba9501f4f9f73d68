/** SQL of predicates on ranges: dates, numbers, pairs of numbers, positions. */
import { sql, type RawBuilder } from 'kysely';
import type { NumberTest, PositionPredicate, RangePredicate, SpanPredicate } from '../../search/predicate';
import type { Prefix } from '../../../../packages/fhir-values/search-prefix';
import {
  comparisons,
  type Comparison,
  type PredicateSql,
  type PredicateValue,
  type ValueReference,
} from './predicate-parts';
import { bind } from '../connection/statement';
import { keyText } from '../read/version-row';

/** Compiles a predicate on a range row by its parameter, qualifier and unit, which tests its bounds. */
export function compileRange(
  predicate: RangePredicate,
  prefix: string,
  sortDateParameter: number | undefined,
): PredicateSql {
  const { parameter, qualifier, qualifierSystem, domain, test, low, high, value, unit } = predicate;
  const isClinicalDate = parameter === sortDateParameter && qualifier === undefined;
  const equal: readonly Comparison[] = [
    { column: 'parameter', type: 'int', value: parameter },
    { column: 'qualifier', type: 'bigint', value: qualifier === undefined ? '0' : keyText(qualifier) },
    { column: 'qualifier_system', type: 'int', value: qualifierSystem },
    { column: 'unit_system', type: 'int', value: unit?.system },
    { column: 'unit_code', type: 'int', value: unit?.code },
    { column: 'low', operator: '>=', type: 'float8', value: numberText(predicate.lowFrom) },
    { column: 'low', operator: '<', type: 'float8', value: numberText(predicate.lowTo) },
  ];
  const others = (predicate.and ?? []).map((other, index) =>
    compileRange(other, `${prefix}${index}_`, sortDateParameter),
  );
  const compared = comparisons(domain === 'date' ? 'd' : 'n', prefix, equal);
  const bounds: PredicateValue[] = [];
  const bound = (name: 'low' | 'high' | 'exact', number: number | undefined): string => {
    const full = `${prefix}${name}`;
    if (!bounds.some((present) => present.name === full))
      bounds.push({ name: full, type: 'float8', value: String(number) });
    return full;
  };
  // Called twice: here for the names of the values, and later for the text, with the references of the statement.
  const conditionOf = (reference: ValueReference): RawBuilder<unknown> => {
    if (domain === 'number' && test === 'includes') throw new Error('numbers do not contain ranges');
    const number = (name: 'low' | 'high' | 'exact', given: number | undefined): RawBuilder<unknown> =>
      sql`${reference(bound(name, given))}::float8`;
    return domain === 'date' || test === 'includes'
      ? dateCondition(
          test,
          () => number('low', low),
          () => number('high', high),
        )
      : numberCondition(test, {
          exact: () => number('exact', value),
          low: () => number('low', low),
          high: () => number('high', high),
        });
  };
  const isDecided = predicate.isDecidedByLow === true;
  if (!isDecided) conditionOf(bind);
  const named = unit?.codeOrName;
  const unitName = `${prefix}unit`;
  return {
    shape: `${compared.shape}${isDecided ? 'begins' : test}${isClinicalDate ? 'c' : ''}${named === undefined ? '' : 'u'}${others
      .map((other) => `&${other.shape}`)
      .join('')}`,
    table: 'andiron.range_index',
    condition: (reference) =>
      sql`${compared.condition(reference)}${isDecided ? sql`` : sql` and ${conditionOf(reference)}`}${
        named === undefined
          ? sql``
          : sql` and (t.unit_code = ${reference(unitName)}::int or t.unit_name = ${reference(unitName)}::int)`
      }${sql.join(
        others.map((other) => sql` and ${other.condition(reference)}`),
        sql``,
      )}`,
    repeats: true,
    dateColumn: isClinicalDate ? 'low' : undefined,
    values: [
      ...compared.values,
      ...bounds,
      ...(named === undefined ? [] : [{ name: unitName, type: 'int', value: named } as const]),
      ...others.flatMap((other) => other.values),
    ],
  };
}

function numberText(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/**
 * Compares a stored range [t.low, t.high) with the search range [low, high), by search.html#prefix. `eq` names both
 * bounds of t.low so that an index scan can start there.
 */
function dateCondition(
  test: Prefix | 'includes',
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
    case 'includes':
      return sql`(t.low <= ${low()} and t.high >= ${high()})`;
  }
}

/** SQL of a tested number, and of the stored point or range. */
interface NumberBounds {
  readonly exact: () => RawBuilder<unknown>;
  readonly low: () => RawBuilder<unknown>;
  readonly high: () => RawBuilder<unknown>;
  readonly first?: RawBuilder<unknown>;
  readonly last?: RawBuilder<unknown>;
}

/**
 * Compares a stored point or range [first, last], both ends included, with a number (search.html#prefix, #number). `eq`
 * and `ne` use the range of its implicit precision [low, high), `ap` uses [low, high], all others use its exact value.
 * `ge` is `gt` or exactly the value; `le` likewise.
 */
function numberCondition(
  test: Prefix,
  { exact, low, high, first = sql`t.low`, last = sql`t.high` }: NumberBounds,
): RawBuilder<unknown> {
  switch (test) {
    case 'eq':
      return sql`${first} >= ${low()} and ${first} < ${high()} and ${last} < ${high()}`;
    case 'ne':
      return sql`(${first} < ${low()} or ${last} >= ${high()})`;
    case 'gt':
      return sql`${last} > ${exact()}`;
    case 'lt':
      return sql`${first} < ${exact()}`;
    case 'ge':
      return sql`(${last} >= ${exact()} and (${last} > ${exact()} or ${first} = ${exact()}))`;
    case 'le':
      return sql`(${first} <= ${exact()} and (${first} < ${exact()} or ${last} = ${exact()}))`;
    case 'sa':
      return sql`${first} > ${exact()}`;
    case 'eb':
      return sql`${last} < ${exact()}`;
    case 'ap':
      return sql`(${first} <= ${high()} and ${last} >= ${low()})`;
  }
}

/** Compiles a predicate on two numbers of one qualifier, one in each bound of a row; each is tested as a point. */
export function compileSpan(
  { parameter, qualifier, qualifierSystem, start, end }: SpanPredicate,
  prefix: string,
): PredicateSql {
  const compared = comparisons('w', prefix, [
    { column: 'parameter', type: 'int', value: parameter },
    { column: 'qualifier', type: 'bigint', value: keyText(qualifier) },
    { column: 'qualifier_system', type: 'int', value: qualifierSystem },
  ]);
  const values: PredicateValue[] = [...compared.values];
  const tested = (name: string, test: NumberTest): ((reference: ValueReference) => RawBuilder<unknown>) => {
    const bound = (part: string, value: number | undefined) => {
      const full = `${prefix}${name}_${part}`;
      values.push({ name: full, type: 'float8', value: String(value) });
      return (reference: ValueReference): RawBuilder<unknown> => sql`${reference(full)}::float8`;
    };
    const exact = bound('exact', test.value);
    const low = bound('low', test.low);
    const high = bound('high', test.high);
    const column = sql.ref(`t.${name}`);
    return (reference) =>
      numberCondition(test.test, {
        exact: () => exact(reference),
        low: () => low(reference),
        high: () => high(reference),
        first: column,
        last: column,
      });
  };
  const first = tested('low', start);
  const last = tested('high', end);
  return {
    shape: `${compared.shape}${start.test}${end.test}`,
    table: 'andiron.range_index',
    condition: (reference) =>
      sql`${compared.condition(reference)} and ${first(reference)} and ${last(reference)}`,
    repeats: true,
    dateColumn: undefined,
    values,
  };
}

/** Mean radius of the earth (IUGG), metres. */
const EARTH_RADIUS = 6_371_008.8;

/**
 * Compiles a predicate on positions within a great-circle distance (haversine); the index scan covers the band of
 * latitudes.
 */
export function compilePosition(
  { parameter, latitude, longitude, metres }: PositionPredicate,
  prefix: string,
): PredicateSql {
  const compared = comparisons('g', prefix, [
    { column: 'parameter', type: 'int', value: parameter },
    { column: 'qualifier', type: 'bigint', value: '0' },
  ]);
  // The band is slightly wider than the distance; the exact distance decides at the border.
  const band = (metres / EARTH_RADIUS) * (180 / Math.PI) * 1.000001 + 1e-9;
  const given = { latitude, longitude, metres, south: latitude - band, north: latitude + band };
  return {
    shape: compared.shape,
    table: 'andiron.range_index',
    condition: (reference) => {
      const value = (name: keyof typeof given): RawBuilder<unknown> =>
        sql`${reference(prefix + name)}::float8`;
      return sql`${compared.condition(reference)}
        and t.low >= ${value('south')} and t.low <= ${value('north')}
        and ${sql.lit(2 * EARTH_RADIUS)}::float8 * asin(sqrt(least(1::float8,
          sin(radians(t.low - ${value('latitude')}) / 2) ^ 2
          + cos(radians(${value('latitude')})) * cos(radians(t.low))
            * sin(radians(t.high - ${value('longitude')}) / 2) ^ 2))) <= ${value('metres')}`;
    },
    repeats: true,
    dateColumn: undefined,
    values: [
      ...compared.values,
      ...Object.entries(given).map(([name, value]): PredicateValue => ({
        name: prefix + name,
        type: 'float8',
        value: String(value),
      })),
    ],
  };
}
