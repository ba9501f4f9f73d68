/** Criteria as SQL: what a row must meet, and the keys of all resources that meet it, through any depth of chains. */
import { sql, type RawBuilder } from 'kysely';
import type { Criterion, HashedCode, Predicate, RangePredicate, TypeCriteria } from '../search/predicate';
import { splitRange } from '../search/split-range';
import { containedCriteria } from '../search/contained';
import { CONTAINED, MAX_CONTAINED, ROW_SCHEME } from '../search/index-rows';
import { BinaryArray } from './binary-array';
import type { PredicateSql, PredicateValue, ValueReference } from './predicate-parts';
import { compilePredicate } from './predicate-sql';
import { compileRange } from './range-sql';
import { bind } from './statement';

/** A row whose resource is tested: what it tells of the resource, as SQL. */
export interface TestedRow {
  readonly key: RawBuilder<unknown>;
  /** Where the row carries the clinical date: as a bigint, or as the low bound of its range. */
  readonly sortDate?: RawBuilder<unknown>;
  readonly low?: RawBuilder<unknown>;
  /** Alias of the row where it is a head, with HEAD_COLUMNS. */
  readonly head?: string;
}

export interface CompiledPredicate {
  /** Two predicates of one shape have the same SQL text but for the names of their values. */
  readonly shape: string;
  readonly values: readonly PredicateValue[];
  /** Undefined: it has no rows of its own that lie in an order. */
  readonly rows: PredicateSql | undefined;
  /** A select of the column `resource_key`, repeated where several rows meet it; only where `canDrive` holds. */
  keys(value: ValueReference): RawBuilder<unknown>;
  test(row: TestedRow, value: ValueReference): RawBuilder<boolean>;
}

export interface CompiledCriterion {
  readonly alternatives: readonly CompiledPredicate[];
  readonly isNegated: boolean;
  readonly asSet: boolean;
}

export type CompiledCriteria = readonly CompiledCriterion[];

/** The type of the resources that criteria are asked of. */
interface Scope {
  /** Its number as SQL. */
  readonly type: (value: ValueReference) => RawBuilder<unknown>;
  readonly sortDateParameter: number | undefined;
  readonly names: Names;
  /** Where the numbers of the rows of a contained resource begin, as SQL; undefined: the resources are none. */
  readonly contained?: (value: ValueReference) => RawBuilder<unknown>;
  /**
   * Where chains look for contained resources: from any resource of which a predicate says so; from this one, which is
   * contained itself, but from none behind it; nowhere. Without an end the statement would double with each link.
   */
  readonly looksInside: 'always' | 'once' | 'never';
}

/** Gives each predicate of a statement a short name, because PostgreSQL cuts long ones: two could become the same. */
class Names {
  private count = 0;

  next(): string {
    return `c${this.count++}_`;
  }
}

const SPACE = sql`${bind('space')}::int`;

/** Stored for "no clinical date" (version-write.ts). */
export const NO_DATE = '-9223372036854775808';

/** Columns of a head that tests may ask for. */
export const HEAD_COLUMNS = ['resource_key', 'sort_date', 'last_updated', 'presence', 'target_keys'] as const;

/** Compiles the criteria of the searched type. Cost: some microseconds a predicate. */
export function compileCriteria(
  criteria: readonly Criterion[],
  sortDateParameter: number | undefined,
): CompiledCriteria {
  return compileAll(criteria, {
    type: () => sql`${bind('type')}::smallint`,
    sortDateParameter,
    names: new Names(),
    looksInside: 'always',
  });
}

function compileAll(criteria: readonly Criterion[], scope: Scope): CompiledCriteria {
  return criteria.map(({ anyOf, isNegated, asSet }) => ({
    alternatives: anyOf.map((predicate) => compileOne(predicate, scope.names.next(), scope)),
    isNegated: isNegated === true,
    asSet: asSet === true,
  }));
}

/** The keys of all resources that meet one of the alternatives. */
export function criterionKeys(
  { alternatives }: Pick<CompiledCriterion, 'alternatives'>,
  value: ValueReference,
): RawBuilder<unknown> {
  return alternatives.length === 0
    ? sql`select 0::bigint as resource_key where false`
    : sql.join(
        alternatives.map((alternative) => alternative.keys(value)),
        sql` union all `,
      );
}

export function criterionTest(
  { alternatives, isNegated, asSet }: CompiledCriterion,
  row: TestedRow,
  value: ValueReference,
): RawBuilder<boolean> {
  if (alternatives.length === 0) return isNegated ? sql`true` : sql`false`;
  if (asSet) {
    const keys = criterionKeys({ alternatives }, value);
    return isNegated ? sql`not ${isAmong(row.key, keys)}` : isAmong(row.key, keys);
  }
  const test = sql<boolean>`(${sql.join(
    alternatives.map((alternative) => alternative.test(row, value)),
    sql` or `,
  )})`;
  return isNegated ? sql`not ${test}` : test;
}

/**
 * A look into a set of keys that is made once. `is true` keeps the planner from making a join of it, which it runs once
 * for each row (measured 10 s against 15 ms).
 */
function isAmong(key: RawBuilder<unknown>, keys: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`((${key} in (${keys})) is true)`;
}

function allTests(criteria: CompiledCriteria, row: TestedRow, value: ValueReference): RawBuilder<boolean> {
  if (criteria.length === 0) return sql`true`;
  return sql`(${sql.join(
    criteria.map((criterion) => criterionTest(criterion, row, value)),
    sql` and `,
  )})`;
}

/** Everything that makes one SQL text another, but for the names of values. */
export function shapeOf(criteria: CompiledCriteria): string {
  let shape = '';
  for (const { alternatives, isNegated, asSet } of criteria) {
    shape += `${isNegated ? ' !' : ' '}${asSet ? '#' : ''}`;
    for (const alternative of alternatives) shape += `,${alternative.shape}`;
  }
  return shape;
}

export function valuesOfCriteria(criteria: CompiledCriteria): PredicateValue[] {
  return criteria.flatMap(({ alternatives }) => alternatives.flatMap(({ values }) => values));
}

function compileOne(predicate: Predicate, prefix: string, scope: Scope): CompiledPredicate {
  const compiled = compileOutside(predicate, prefix, scope);
  return scope.contained === undefined ? compiled : withinContained(compiled, prefix, scope.contained);
}

function compileOutside(predicate: Predicate, prefix: string, scope: Scope): CompiledPredicate {
  switch (predicate.index) {
    case 'target':
      return predicate.urls === undefined
        ? compileTarget(predicate, prefix, scope)
        : compileNamed('target', predicate.parameters, predicate.urls, predicate.target, prefix, scope);
    case 'source':
      return predicate.urls === undefined
        ? compileSource(predicate.parameters, predicate.source, prefix, scope)
        : compileNamed('source', predicate.parameters, predicate.urls, predicate.source, prefix, scope);
    case 'all':
      return compileConjunction(predicate, prefix, scope);
    case 'codes':
      return compileCodes(predicate.parameter, predicate.codes, prefix);
    case 'substring':
      return compileSubstring(predicate.parameter, predicate.text, prefix);
    case 'range':
      return compileSplitRange(predicate, prefix, scope);
    default:
      return compileRows(
        compilePredicate(predicate, prefix, scope.sortDateParameter, scope.type),
        prefix,
        scope,
      );
  }
}

/** A head of this type and key, live, under an alias of its own. */
function headOf(
  type: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
  alias: string,
  columns: readonly string[] = HEAD_COLUMNS,
): RawBuilder<unknown> {
  const selected = sql.join(columns.map((column) => sql.ref(`r.${column}`)));
  return sql`(
    select ${selected} from andiron.resource r
    where r.space = ${SPACE} and r.resource_type = ${type} and r.resource_key = ${key} and not r.deleted
    offset 0) ${sql.id(alias)}`;
}

function headRow(
  alias: string,
): TestedRow & { readonly head: string; readonly sortDate: RawBuilder<unknown> } {
  return { key: sql.ref(`${alias}.resource_key`), sortDate: sql.ref(`${alias}.sort_date`), head: alias };
}

/** The test on the head of the row's resource, which is looked up where the row is none. */
function onHead(
  row: TestedRow,
  prefix: string,
  { type }: Scope,
  value: ValueReference,
  test: (head: ReturnType<typeof headRow>) => RawBuilder<boolean>,
): RawBuilder<boolean> {
  if (row.head !== undefined) return test(headRow(row.head));
  const alias = `h_${prefix}`;
  return sql`exists (select 1 from ${headOf(type(value), row.key, alias)} where ${test(headRow(alias))})`;
}

/** A range, listed by its parts, each of which enters the index where its rows begin, and walked as one. */
function compileSplitRange(predicate: RangePredicate, prefix: string, scope: Scope): CompiledPredicate {
  const whole = compileRows(compileRange(predicate, prefix, scope.sortDateParameter), prefix, scope);
  const parts = splitRange(predicate);
  if (parts.length === 1 && parts[0] === predicate) return whole;
  const compiled = parts.map((part, index) => compileRange(part, `${prefix}s${index}_`, undefined));
  const keys = (value: ValueReference): RawBuilder<unknown> =>
    sql.join(
      compiled.map(
        (part) => sql`select t.resource_key from ${sql.table(part.table)} t where ${part.condition(value)}`,
      ),
      sql` union all `,
    );
  return {
    ...whole,
    values: [...whole.values, ...compiled.flatMap(({ values }) => values)],
    keys,
    test: (row, value) =>
      whole.rows?.dateColumn === undefined ? isAmong(row.key, keys(value)) : whole.test(row, value),
  };
}

/** A predicate on the rows of one index. */
function compileRows(rows: PredicateSql, prefix: string, scope: Scope): CompiledPredicate {
  return {
    shape: rows.shape,
    values: rows.values,
    rows,
    keys: (value) =>
      sql`select t.resource_key from ${sql.table(rows.table)} t where ${rows.condition(value)}`,
    test: (row, value) => testRows(rows, row, prefix, scope, value),
  };
}

function testRows(
  rows: PredicateSql,
  row: TestedRow,
  prefix: string,
  scope: Scope,
  value: ValueReference,
): RawBuilder<boolean> {
  const { table, dateColumn, headCondition } = rows;
  if (headCondition !== undefined) {
    return onHead(row, prefix, scope, value, ({ head }) => sql`(${headCondition(value, head)})`);
  }
  const keys = sql`select t.resource_key from ${sql.table(table)} t where ${rows.condition(value)}`;
  if (dateColumn === undefined) return isAmong(row.key, keys);
  // Rows that carry the clinical date are found by their whole index key; OFFSET 0 keeps the planner from turning the
  // test into a join over all matches (measured 10 ms against 1 ms).
  const found = (tested: TestedRow): RawBuilder<boolean> => {
    const date =
      dateColumn === 'sort_date'
        ? (tested.sortDate ?? lowToSortDate(tested.low ?? sql`null`))
        : (tested.low ?? sortDateToLow(tested.sortDate ?? sql`null`));
    const alias = `x_${prefix}`;
    return sql`exists (
      select 1 from (
        select ${sql.ref(`t.${dateColumn}`)}, t.resource_key from ${sql.table(table)} t where ${rows.condition(value)}
      ) ${sql.id(alias)}
      where ${sql.ref(`${alias}.${dateColumn}`)} = ${date} and ${sql.ref(`${alias}.resource_key`)} = ${tested.key}
      offset 0)`;
  };
  return row.sortDate === undefined && row.low === undefined
    ? onHead(row, prefix, scope, value, found)
    : found(row);
}

/** An open start and "no date" are one value in each of the two columns that hold the clinical date. */
export function lowToSortDate(low: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`greatest(${low}, ${sql.lit(NO_DATE)}::float8)::bigint`;
}

function sortDateToLow(sortDate: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(case when ${sortDate} = ${sql.lit(NO_DATE)}::bigint then '-Infinity' else ${sortDate}::float8 end)`;
}

/** Resources of one type that meet all criteria, found by one of them. */
interface CompiledType {
  readonly criteria: CompiledCriteria;
  readonly scope: Scope;
  readonly shape: string;
  readonly values: readonly PredicateValue[];
  /** A select of `resource_key`; only where the planner named a driver. */
  keys(value: ValueReference): RawBuilder<unknown>;
}

function compileType(of: TypeCriteria, prefix: string, { names, looksInside }: Scope): CompiledType {
  const name = `${prefix}type`;
  const scope: Scope = {
    type: (value) => sql`${value(name)}::smallint`,
    sortDateParameter: of.sortDateParameter,
    names,
    looksInside: looksInside === 'always' ? 'always' : 'never',
  };
  const criteria = compileAll(of.criteria, scope);
  return {
    criteria,
    scope,
    shape: `{${of.driver ?? ''}${shapeOf(criteria)}}`,
    values: [{ name, type: 'smallint', value: of.type }, ...valuesOfCriteria(criteria)],
    keys: (value) => drivenKeys(criteria, of.driver, scope, prefix, value),
  };
}

function drivenKeys(
  criteria: CompiledCriteria,
  driver: number | undefined,
  scope: Scope,
  prefix: string,
  value: ValueReference,
): RawBuilder<unknown> {
  const driving = driver === undefined ? undefined : criteria[driver];
  if (driving === undefined) throw new Error('Criteria without a driver can only be tested');
  const others = criteria.filter((criterion) => criterion !== driving);
  const keys = criterionKeys(driving, value);
  if (others.length === 0) return keys;
  const alias = `h_${prefix}`;
  return sql`
    select ${sql.ref(`${alias}.resource_key`)}
    from (select distinct u.resource_key from (${keys}) u) ${sql.id(`d_${prefix}`)}
    cross join lateral ${headOf(scope.type(value), sql.ref(`d_${prefix}.resource_key`), alias)}
    where ${allTests(others, headRow(alias), value)}`;
}

/** `parameter` is one, or one of several. */
function parameterTest(
  column: string,
  parameters: readonly number[],
  name: string,
  value: ValueReference,
): RawBuilder<boolean> {
  return parameters.length === 1
    ? sql`${sql.ref(column)} = ${value(name)}::int`
    : sql`${sql.ref(column)} = any(${value(name)}::int[])`;
}

function parameterValue(parameters: readonly number[], name: string): PredicateValue {
  const [only, ...others] = parameters;
  if (only !== undefined && others.length === 0) return { name, type: 'int', value: only };
  const array = new BinaryArray('int4');
  for (const parameter of parameters) array.pushInt4(parameter);
  return { name, type: 'int[]', value: array.finish() };
}

/** True for a criterion that the key of a resource alone decides, and that no deleted one meets. */
function isByKey({ anyOf, isNegated }: Criterion): boolean {
  return isNegated !== true && anyOf.every(({ index }) => BY_KEY.has(index));
}
const BY_KEY: ReadonlySet<Predicate['index']> = new Set([
  'string',
  'substring',
  'uri',
  'uriSubstring',
  'codes',
]);

/** The predicate on the rows of one contained resource: its own parameters have other numbers (`containedNumber`). */
function withinContained(
  compiled: CompiledPredicate,
  prefix: string,
  base: (value: ValueReference) => RawBuilder<unknown>,
): CompiledPredicate {
  const types = new Map(
    compiled.values
      .filter(({ name }) => name.startsWith(prefix) && /parameters?(_0)?$/.test(name))
      .map(({ name, type }) => [name, type]),
  );
  const inner =
    (value: ValueReference): ValueReference =>
    (name) => {
      const type = types.get(name);
      if (type === undefined) return value(name);
      const toNumber = (number: RawBuilder<unknown>): RawBuilder<unknown> => {
        const scheme = sql.lit(ROW_SCHEME.ofType);
        return sql`(${base(value)} + ${number} / ${scheme} * ${sql.lit(CONTAINED.scheme)} + ${number} % ${scheme})`;
      };
      return type === 'int[]'
        ? sql`(select array_agg(${toNumber(sql`p`)}) from unnest(${value(name)}::int[]) p)`
        : toNumber(sql`${value(name)}::int`);
    };
  return {
    ...compiled,
    rows: undefined,
    keys: (value) => compiled.keys(inner(value)),
    test: (row, value) => compiled.test(row, inner(value)),
  };
}

/**
 * A chain into contained resources: the container's references to them are marked with their blocks
 * (search/extract.ts). As a driver: in each block that is in use at all, what meets the criteria, then the mark. As a
 * test: each mark of the row, of which most have none.
 */
function compileContained(
  parameters: readonly number[],
  of: TypeCriteria,
  prefix: string,
  { type, names, looksInside }: Scope,
): Omit<CompiledPredicate, 'rows'> {
  const alias = `b_${prefix}`;
  const scope: Scope = {
    type,
    names,
    sortDateParameter: undefined,
    looksInside: looksInside === 'always' ? 'once' : 'never',
    contained: (value) =>
      sql`${sql.lit(CONTAINED.first)} + ${type(value)}::int * ${sql.lit(CONTAINED.type)}
        + ${sql.ref(`${alias}.block`)} * ${sql.lit(CONTAINED.block)}`,
  };
  const criteria = compileAll(containedCriteria(of.criteria), scope);
  const [marks, target] = [`${prefix}mark_parameters`, `${prefix}mark_type`];
  const [found, head] = [`f_${prefix}`, `m_${prefix}`];
  const marked = (value: ValueReference): RawBuilder<boolean> =>
    sql`m.space = ${SPACE} and ${parameterTest('m.parameter', parameters, marks, value)}`;
  const typeNumber = (value: ValueReference): RawBuilder<unknown> => sql`${value(target)}::bigint`;
  return {
    shape: `+${of.driver ?? ''}${shapeOf(criteria)}`,
    values: [
      parameterValue(
        parameters.map((number) => number + ROW_SCHEME.contained),
        marks,
      ),
      { name: target, type: 'bigint', value: String(of.type) },
      ...valuesOfCriteria(criteria),
    ],
    keys: (value) => sql`
      select ${sql.ref(`${head}.resource_key`)}
      from generate_series(1, ${sql.lit(MAX_CONTAINED)}) as ${sql.id(alias)} (block)
      cross join lateral (
        select distinct u.resource_key from (${drivenKeys(criteria, of.driver, scope, `${prefix}m`, value)}) u
        where exists (
          select 1 from andiron.token_index m
          where ${marked(value)} and m.value_hash = (${typeNumber(value)} << 32) + ${sql.ref(`${alias}.block`)}
          offset 0)
        offset 0
      ) ${sql.id(found)}
      cross join lateral ${headOf(type(value), sql.ref(`${found}.resource_key`), head)}
      where exists (
        select 1 from andiron.token_index m
        where ${marked(value)} and m.value_hash = ${typeNumber(value)}
          and m.sort_date = ${sql.ref(`${head}.sort_date`)} and m.resource_key = ${sql.ref(`${head}.resource_key`)}
          and m.system_hash = ${sql.ref(`${alias}.block`)}
        offset 0)`,
    test: (row, value) => sql`exists (
      select 1 from (
        select m.system_hash from andiron.token_index m
        where ${marked(value)} and m.value_hash = ${typeNumber(value)} and m.sort_date = ${row.sortDate}
          and m.resource_key = ${row.key}
        offset 0
      ) ${sql.id(alias)} (block)
      where ${allTests(criteria, row, value)})`,
  };
}

/**
 * A chain. As a driver: the targets that meet the criteria, then who refers to them. As a test: each target of the row,
 * confirmed by one probe of reference_index, then tested.
 */
function compileTarget(
  { parameters, target: of, looksInside = false }: Extract<Predicate, { index: 'target' }>,
  prefix: string,
  scope: Scope,
): CompiledPredicate {
  const target = compileType(of, `${prefix}t`, scope);
  const isLookedInto = scope.looksInside === 'always' ? looksInside : scope.looksInside === 'once';
  const contained = isLookedInto ? compileContained(parameters, of, prefix, scope) : undefined;
  const byKey = of.criteria.every(isByKey);
  const parameterName = `${prefix}parameters`;
  const [key, source, head] = [`k_${prefix}`, `i_${prefix}`, `o_${prefix}`];
  return {
    shape: `>${parameters.length === 1 ? '' : '*'}${target.shape}${contained?.shape ?? ''}`,
    values: [parameterValue(parameters, parameterName), ...target.values, ...(contained?.values ?? [])],
    rows: undefined,
    keys: (value) => sql`
      select ${sql.ref(`${head}.resource_key`)}
      from (select distinct u.resource_key from (${target.keys(value)}) u) ${sql.id(source)}
      cross join lateral (
        select f.resource_key from andiron.reference_index f
        where f.space = ${SPACE} and ${parameterTest('f.parameter', parameters, parameterName, value)}
          and f.target_key = ${sql.ref(`${source}.resource_key`)} and f.target_type = ${target.scope.type(value)}
        offset 0
      ) ${sql.id(head)}
      ${contained === undefined ? sql`` : sql`union all ${contained.keys(value)}`}`,
    test: (row, value) =>
      onHead(row, prefix, scope, value, (tested) => {
        const alias = `g_${prefix}`;
        return sql`(exists (
          select 1 from unnest(${sql.ref(`${tested.head}.target_keys`)}) as ${sql.id(key)} (target_key)
          ${byKey ? sql`` : sql`cross join lateral ${headOf(target.scope.type(value), sql.ref(`${key}.target_key`), alias)}`}
          where exists (
            select 1 from andiron.reference_index f
            where f.space = ${SPACE} and ${parameterTest('f.parameter', parameters, parameterName, value)}
              and f.target_key = ${sql.ref(`${key}.target_key`)} and f.sort_date = ${tested.sortDate}
              and f.resource_key = ${tested.key} and f.target_type = ${target.scope.type(value)}
            offset 0)
          and ${allTests(
            target.criteria,
            byKey ? { key: sql.ref(`${key}.target_key`) } : headRow(alias),
            value,
          )})${contained === undefined ? sql`` : sql` or ${contained.test(tested, value)}`})`;
      }),
  };
}

/**
 * `_has`. As a driver: the sources that meet the criteria, then each of their targets that exists, confirmed by one probe. As a
 * test: who refers to the row's resource, tested one after the other.
 */
function compileSource(
  parameters: readonly number[],
  of: TypeCriteria,
  prefix: string,
  scope: Scope,
): CompiledPredicate {
  const source = compileType(of, `${prefix}s`, scope);
  const parameterName = `${prefix}parameters`;
  const [found, head, key] = [`i_${prefix}`, `o_${prefix}`, `k_${prefix}`];
  return {
    shape: `<${parameters.length === 1 ? '' : '*'}${source.shape}`,
    values: [parameterValue(parameters, parameterName), ...source.values],
    rows: undefined,
    keys: (value) => sql`
      select ${sql.ref(`${key}.target_key`)} as resource_key
      from (select distinct u.resource_key from (${source.keys(value)}) u) ${sql.id(found)}
      cross join lateral ${headOf(source.scope.type(value), sql.ref(`${found}.resource_key`), head)}
      cross join lateral unnest(${sql.ref(`${head}.target_keys`)}) as ${sql.id(key)} (target_key)
      where exists (
        select 1 from andiron.reference_index f
        where f.space = ${SPACE} and ${parameterTest('f.parameter', parameters, parameterName, value)}
          and f.target_key = ${sql.ref(`${key}.target_key`)} and f.sort_date = ${sql.ref(`${head}.sort_date`)}
          and f.resource_key = ${sql.ref(`${head}.resource_key`)} and f.target_type = ${scope.type(value)}
        offset 0)
      and exists (
        select 1 from andiron.resource r
        where r.space = ${SPACE} and r.resource_type = ${scope.type(value)}
          and r.resource_key = ${sql.ref(`${key}.target_key`)} and not r.deleted
        offset 0)`,
    test: (row, value) => sql`exists (
      select 1 from (
        select f.resource_key, f.sort_date from andiron.reference_index f
        where f.space = ${SPACE} and ${parameterTest('f.parameter', parameters, parameterName, value)}
          and f.target_key = ${row.key} and f.target_type = ${scope.type(value)}
        offset 0
      ) ${sql.id(found)}
      where ${allTests(
        source.criteria,
        { key: sql.ref(`${found}.resource_key`), sortDate: sql.ref(`${found}.sort_date`) },
        value,
      )})`,
  };
}

/**
 * A chain or `_has` through canonicals: the rows of the url of the named resources, of which there are few, and those of
 * the canonicals that name them. Without a version a canonical names every version.
 */
function compileNamed(
  asked: 'target' | 'source',
  parameters: readonly number[],
  urls: readonly number[],
  of: TypeCriteria,
  prefix: string,
  scope: Scope,
): CompiledPredicate {
  const inner = compileType(of, `${prefix}n`, scope);
  const names = { canonicals: `${prefix}canonicals`, urls: `${prefix}urls` };
  const [named, naming, head] = [`u_${prefix}`, `v_${prefix}`, `w_${prefix}`];
  const meets = (key: string, value: ValueReference): RawBuilder<unknown> => sql`exists (
    select 1 from ${headOf(inner.scope.type(value), sql.ref(key), head)}
    where ${allTests(inner.criteria, headRow(head), value)})`;
  const isNamed = (value: ValueReference): RawBuilder<unknown> => sql`
    ${sql.ref(`${naming}.space`)} = ${SPACE}
    and ${parameterTest(`${naming}.parameter`, parameters, names.canonicals, value)}
    and ${sql.ref(`${naming}.value`)} = ${sql.ref(`${named}.value`)}
    and ${sql.ref(`${naming}.version`)} in ('', ${sql.ref(`${named}.version`)})`;
  const isUrl = (value: ValueReference): RawBuilder<unknown> => sql`
    ${sql.ref(`${named}.space`)} = ${SPACE} and ${parameterTest(`${named}.parameter`, urls, names.urls, value)}`;
  const [namedTable, namingTable] = [named, naming].map((alias) => sql`andiron.uri_index ${sql.id(alias)}`);
  const keys = (value: ValueReference): RawBuilder<unknown> =>
    asked === 'target'
      ? sql`
        select ${sql.ref(`${head}k.resource_key`)}
        from ${namedTable}
        cross join lateral (
          select ${sql.ref(`${naming}.resource_key`)} from ${namingTable} where ${isNamed(value)} offset 0
        ) ${sql.id(`${head}k`)}
        where ${isUrl(value)} and ${meets(`${named}.resource_key`, value)}`
      : sql`
        select ${sql.ref(`${named}.resource_key`)}
        from ${namedTable}
        where ${isUrl(value)} and exists (
          select 1 from ${namingTable} where ${isNamed(value)} and ${meets(`${naming}.resource_key`, value)} offset 0)`;
  return {
    shape: `${asked === 'target' ? '>' : '<'}u${parameters.length === 1 ? '' : '*'}${urls.length === 1 ? '' : '*'}${inner.shape}`,
    values: [parameterValue(parameters, names.canonicals), parameterValue(urls, names.urls), ...inner.values],
    rows: undefined,
    keys,
    test: (row, value) => isAmong(row.key, keys(value)),
  };
}

function compileConjunction(
  { criteria, driver }: Extract<Predicate, { index: 'all' }>,
  prefix: string,
  scope: Scope,
): CompiledPredicate {
  const compiled = compileAll(criteria, scope);
  return {
    shape: `(${driver ?? ''}${shapeOf(compiled)})`,
    values: valuesOfCriteria(compiled),
    rows: undefined,
    keys: (value) => drivenKeys(compiled, driver, scope, prefix, value),
    test: (row, value) => onHead(row, prefix, scope, value, (head) => allTests(compiled, head, value)),
  };
}

/** Codes by the hundred: one index probe each, and the rows of all of them once. */
function compileCodes(parameter: number, codes: readonly HashedCode[], prefix: string): CompiledPredicate {
  const hashes = new BinaryArray('int8');
  const systems = new BinaryArray('int4');
  for (const { value, system } of codes) {
    hashes.pushInt8(value.high, value.low);
    if (system === undefined) systems.pushNull();
    else systems.pushInt4(system);
  }
  const names = { parameter: `${prefix}parameter`, hashes: `${prefix}hashes`, systems: `${prefix}systems` };
  const keys = (value: ValueReference): RawBuilder<unknown> => sql`
    select t.resource_key
    from unnest(${value(names.hashes)}::bigint[], ${value(names.systems)}::int[]) as q (value_hash, system_hash)
    cross join lateral (
      select i.resource_key from andiron.token_index i
      where i.space = ${SPACE} and i.parameter = ${value(names.parameter)}::int and i.value_hash = q.value_hash
        and (q.system_hash is null or i.system_hash = q.system_hash)
      offset 0
    ) t`;
  return {
    shape: 'cs',
    values: [
      { name: names.parameter, type: 'int', value: parameter },
      { name: names.hashes, type: 'bigint[]', value: hashes.finish() },
      { name: names.systems, type: 'int[]', value: systems.finish() },
    ],
    rows: undefined,
    keys,
    test: (row, value) => isAmong(row.key, keys(value)),
  };
}

/** By the trigram index, which only a function of the owner may use under row-level security. */
function compileSubstring(parameter: number, text: string, prefix: string): CompiledPredicate {
  const [parameterName, pattern] = [`${prefix}parameter`, `${prefix}pattern`];
  const keys = (value: ValueReference): RawBuilder<unknown> => sql`
    select t.resource_key
    from andiron.strings_containing(${SPACE}, ${value(parameterName)}::int, ${value(pattern)}::text)
      as t (resource_key)`;
  return {
    shape: 'sub',
    values: [
      { name: parameterName, type: 'int', value: parameter },
      { name: pattern, type: 'text', value: `%${text.replace(/[\\%_]/g, '\\$&')}%` },
    ],
    rows: undefined,
    keys,
    test: (row, value) => isAmong(row.key, keys(value)),
  };
}
