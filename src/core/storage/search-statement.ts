import { LRUCache } from 'lru-cache';
import { sql, type RawBuilder } from 'kysely';
import type { Drive, Order } from '../search/plan';
import type { Criterion } from '../search/predicate';
import {
  compilePredicate,
  type PredicateSql,
  type PredicateValue,
  type ValueReference,
} from './predicate-sql';
import { bind, defineStatement, template, type Bound, type Statement } from './statement';
import { currentVersion } from './version-read';
import { inlineBytes, PAGE_COLUMNS } from './version-row';

/** Stored for "no clinical date" (version-write.ts). */
const NO_DATE = '-9223372036854775808';

/** Which rows of an ascending order are asked for: those with a clinical date, or those without, which come last. */
export type Phase = 'all' | 'dated' | 'undated';

/** Where the previous page ended. */
export interface After {
  /** Null: no clinical date. */
  readonly sortValue: number | null;
  /** Decimal form of the 64-bit key. */
  readonly key: string;
}

export interface SearchStatementRequest {
  readonly space: number;
  readonly type: number;
  /** The parameter of which the low bound is the clinical date of the type. */
  readonly sortDateParameter: number | undefined;
  readonly criteria: readonly Criterion[];
  readonly order: Order;
  readonly drive: Drive;
  readonly phase: Phase;
  readonly after: After | undefined;
  readonly limit: number;
}

export interface BoundStatement {
  readonly statement: Statement;
  readonly bound: Readonly<Record<string, Bound>>;
  /** Names the SQL text; what `_explain` will show. */
  readonly shape: string;
}

const MAX_SHAPES = 500;
const statements = new LRUCache<string, Statement>({ max: MAX_SHAPES });

/** The statement that gives one page: sort value, key and the current version of each match. Compiled once per shape. */
export function pageStatement(request: SearchStatementRequest): BoundStatement {
  const prepared = prepare(request);
  const statement = statementOf(`page ${prepared.shape}`, request, () => pageSql(request, prepared, bind));
  const bound = { ...boundOf(request, prepared), inline_bytes: inlineBytes(request.limit) };
  return { statement, bound, shape: prepared.shape };
}

/** As `pageStatement`, without the texts: for matches of which only some will be read. */
export function keysStatement(request: SearchStatementRequest): BoundStatement {
  const prepared = prepare(request);
  const direction = directionSql(request.order);
  const statement = statementOf(
    `keys ${prepared.shape}`,
    request,
    () => sql`
      with page as (${matchesSql(request, prepared.compiled, bind)})
      select p.resource_key::text, r.id, r.last_updated, p.sort_value
      from page p
      cross join lateral (
        select h.id, h.last_updated from andiron.resource h
        where h.space = ${bind('space')}::int and h.resource_type = ${bind('type')}::smallint
          and h.resource_key = p.resource_key
        offset 0
      ) r
      order by p.sort_value ${direction}, p.resource_key ${direction}`,
  );
  return { statement, bound: boundOf(request, prepared), shape: prepared.shape };
}

/** The statement that counts the distinct matches, up to `limit`. */
export function countStatement(request: SearchStatementRequest): BoundStatement {
  const prepared = prepare(request);
  const statement = statementOf(
    `count ${prepared.shape}`,
    request,
    () => sql`select count(*)::int from (${matchesSql(request, prepared.compiled, bind)}) m`,
  );
  return { statement, bound: boundOf(request, prepared), shape: prepared.shape };
}

/** A page that may share its statement with others: requests with the same `group` go together. */
export interface ShareablePage {
  readonly group: string;
  readonly request: SearchStatementRequest;
  readonly prepared: Prepared;
}

/** Larger pages go alone: what one statement answers is held at once. */
const MAX_SHARED_LIMIT = 101;

/**
 * The page as one that may share a statement, if it is of a kind whose cost the limit bounds: one ordered index range.
 * Others could keep their neighbours waiting.
 */
export function toShareable(request: SearchStatementRequest): ShareablePage | undefined {
  const { drive, criteria, limit, space, type } = request;
  if (drive.kind !== 'walk' || criteria.length !== 1 || limit > MAX_SHARED_LIMIT) return undefined;
  const prepared = prepare(request);
  return { group: `${space} ${type} ${limit} ${prepared.shape}`, request, prepared };
}

/**
 * One statement for several pages of one group: the position of the page in `pages`, from 1, stands before the columns
 * of `pageStatement`.
 */
export function sharedStatement(first: ShareablePage, pages: readonly ShareablePage[]): BoundStatement {
  const { request, prepared } = first;
  const values = valuesOf(request, prepared);
  const statement = statementOf(`shared ${prepared.shape}`, request, () => {
    const arrays = values.map(({ name, type }) => sql`${bind(name)}::${sql.raw(type)}[]`);
    const columns = [...values.map(({ name }) => name), 'ordinal'].map((name) => sql.id(name));
    return sql`
      select q.ordinal::int, g.*
      from unnest(${sql.join(arrays)}) with ordinality as q (${sql.join(columns)})
      cross join lateral (${pageSql(request, prepared, (name) => sql.ref(`q.${name}`))}) g`;
  });
  const bound: Record<string, Bound> = {
    space: request.space,
    type: request.type,
    limit: request.limit,
    inline_bytes: inlineBytes(request.limit * pages.length),
  };
  const columns = pages.map((page) => valuesOf(page.request, page.prepared));
  for (const [index, { name }] of values.entries()) {
    bound[name] = columns.map((column) => scalarOf(column[index]?.value));
  }
  return { statement, bound, shape: prepared.shape };
}

function scalarOf(value: Bound | undefined): string | number | null {
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error('only plain values can share a statement');
}

type CompiledCriteria = readonly (readonly PredicateSql[])[];

interface Prepared {
  readonly shape: string;
  readonly compiled: CompiledCriteria;
}

function prepare(request: SearchStatementRequest): Prepared {
  const compiled = request.criteria.map((criterion, c) =>
    criterion.anyOf.map((predicate, p) =>
      compilePredicate(predicate, `c${c}p${p}`, request.sortDateParameter),
    ),
  );
  const { order, drive, phase, after } = request;
  let shape = `${drive.kind} ${'criterion' in drive ? drive.criterion : ''} ${order.by} ${
    order.descending ? 'desc' : 'asc'
  } ${phase} ${after === undefined ? 'first' : 'next'}`;
  for (const alternatives of compiled) {
    shape += ' ';
    for (const alternative of alternatives) shape += `,${alternative.shape}`;
  }
  return { shape, compiled };
}

function statementOf(
  name: string,
  request: SearchStatementRequest,
  build: () => RawBuilder<unknown>,
): Statement {
  let statement = statements.get(name);
  if (statement === undefined) {
    // One index range: the generic plan is right and saves planning. Several: plan with the values at hand.
    statement = defineStatement(template(build()), { named: request.criteria.length <= 1 });
    statements.set(name, statement);
  }
  return statement;
}

/** The values that differ between two requests of one shape. */
function valuesOf(request: SearchStatementRequest, { compiled }: Prepared): PredicateValue[] {
  const values: PredicateValue[] = [];
  const { after, drive } = request;
  if (drive.kind === 'dates') values.push({ name: 'date_parameter', type: 'int', value: drive.parameter });
  if (after !== undefined) {
    values.push(
      {
        name: 'after_value',
        type: sortsByLow(request) ? 'float8' : 'bigint',
        value: after.sortValue === null ? absentText(request) : String(after.sortValue),
      },
      { name: 'after_key', type: 'bigint', value: after.key },
    );
  }
  for (const alternatives of compiled)
    for (const alternative of alternatives) values.push(...alternative.values);
  return values;
}

function boundOf(request: SearchStatementRequest, prepared: Prepared): Record<string, Bound> {
  const bound: Record<string, Bound> = { space: request.space, type: request.type, limit: request.limit };
  for (const { name, value } of valuesOf(request, prepared)) bound[name] = value;
  return bound;
}

function pageSql(
  request: SearchStatementRequest,
  { compiled }: Prepared,
  value: ValueReference,
): RawBuilder<unknown> {
  const direction = directionSql(request.order);
  return sql`
    with page as (${matchesSql(request, compiled, value)})
    select x.sort_value, x.resource_key::text as key_text, y.*
    from (select p.sort_value, p.resource_key, ${bind('type')}::smallint as resource_type from page p) x
    cross join lateral (${currentVersion(PAGE_COLUMNS)}) y
    order by x.sort_value ${direction}, x.resource_key ${direction}`;
}

function absentText(request: SearchStatementRequest): string {
  return sortsByLow(request) ? '-Infinity' : NO_DATE;
}

/** True when the sort value comes from range rows, as a float with infinities, rather than from a bigint column. */
function sortsByLow({ drive, criteria, phase }: SearchStatementRequest): boolean {
  if (drive.kind === 'dates') return phase !== 'undated';
  if (drive.kind !== 'walk') return false;
  return criteria[drive.criterion]?.anyOf.every((predicate) => predicate.index === 'range') === true;
}

/** Sort value and key of the matches of one page, in order. */
function matchesSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  value: ValueReference,
): RawBuilder<unknown> {
  const { drive, phase } = request;
  switch (drive.kind) {
    case 'walk':
      return walkSql(request, compiled, drive.criterion, value);
    case 'heads':
      return headsSql(request, compiled, value);
    case 'dates':
      return phase === 'undated' ? headsSql(request, compiled, value) : datesSql(request, compiled, value);
    case 'gather':
      return gatherSql(request, compiled, drive.criterion, value);
  }
}

/** The alternatives of one criterion, each an ordered index range, merged in order. */
function walkSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  driver: number,
  reference: ValueReference,
): RawBuilder<unknown> {
  const alternatives = compiled[driver] ?? [];
  const mixed = new Set(alternatives.map((alternative) => alternative.dateColumn)).size > 1;
  const branches = alternatives.map((alternative) => {
    const column = sql.ref(`t.${alternative.dateColumn ?? 'sort_date'}`);
    // A missing date is a number of its own in each column; where both meet, one form must serve.
    const value = mixed && alternative.dateColumn === 'low' ? lowToSortDate(column) : column;
    const conditions = [
      alternative.condition(reference),
      ...phaseCondition(request, column, alternative.dateColumn === 'low'),
      ...keysetCondition(request, value, sql`t.resource_key`, reference),
      ...probes(compiled, driver, { [alternative.dateColumn ?? 'sort_date']: column }, reference),
    ];
    return ordered(
      request,
      alternative.repeats ? sql`select distinct` : sql`select`,
      sql`${value} as sort_value, t.resource_key`,
      sql`${sql.table(alternative.table)} t where ${sql.join(conditions, sql` and `)}`,
    );
  });
  const [only, ...others] = branches;
  if (only === undefined) return sql`select 0::bigint as sort_value, 0::bigint as resource_key where false`;
  if (others.length === 0) return only;
  const union = sql.join(
    branches.map((branch) => sql`(${branch})`),
    sql` union all `,
  );
  return ordered(request, sql`select distinct`, sql`u.sort_value, u.resource_key`, sql`(${union}) u`);
}

function headsSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  reference: ValueReference,
): RawBuilder<unknown> {
  const value = sortColumn(request.order);
  const conditions = [
    sql`t.space = ${bind('space')}::int and t.resource_type = ${bind('type')}::smallint and not t.deleted`,
    ...phaseCondition(request, sql`t.sort_date`, false),
    ...keysetCondition(request, value, sql`t.resource_key`, reference),
    ...probes(compiled, -1, { sort_date: sql`t.sort_date`, isHead: true }, reference),
  ];
  return ordered(
    request,
    sql`select`,
    sql`${value} as sort_value, t.resource_key`,
    sql`andiron.resource t where ${sql.join(conditions, sql` and `)}`,
  );
}

function datesSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  reference: ValueReference,
): RawBuilder<unknown> {
  const conditions = [
    sql`t.space = ${bind('space')}::int and t.parameter = ${reference('date_parameter')}::int and t.qualifier = 0`,
    ...phaseCondition(request, sql`t.low`, true),
    ...keysetCondition(request, sql`t.low`, sql`t.resource_key`, reference),
    ...probes(compiled, -1, { low: sql`t.low` }, reference),
  ];
  return ordered(
    request,
    sql`select`,
    sql`t.low as sort_value, t.resource_key`,
    sql`andiron.range_index t where ${sql.join(conditions, sql` and `)}`,
  );
}

/** All resources of one criterion, then their heads, the other criteria, and a sort. */
function gatherSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  driver: number,
  reference: ValueReference,
): RawBuilder<unknown> {
  const alternatives = compiled[driver] ?? [];
  const keys =
    alternatives.length === 0
      ? sql`select 0::bigint as resource_key where false`
      : sql.join(
          alternatives.map(
            (alternative) =>
              sql`select t.resource_key from ${sql.table(alternative.table)} t where ${alternative.condition(reference)}`,
          ),
          sql` union all `,
        );
  const value = sortColumn(request.order);
  const conditions = [
    sql`true`,
    ...phaseCondition(request, sql`t.sort_date`, false),
    ...keysetCondition(request, value, sql`t.resource_key`, reference),
    ...probes(compiled, driver, { sort_date: sql`t.sort_date`, isHead: true }, reference),
  ];
  return ordered(
    request,
    sql`select`,
    sql`${value} as sort_value, t.resource_key`,
    sql`(select distinct k.resource_key from (${keys}) k) d
      cross join lateral (
        select r.sort_date, r.last_updated, r.resource_key from andiron.resource r
        where r.space = ${bind('space')}::int and r.resource_type = ${bind('type')}::smallint
          and r.resource_key = d.resource_key
        offset 0
      ) t
      where ${sql.join(conditions, sql` and `)}`,
  );
}

function ordered(
  request: SearchStatementRequest,
  select: RawBuilder<unknown>,
  columns: RawBuilder<unknown>,
  from: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const direction = directionSql(request.order);
  return sql`${select} ${columns} from ${from}
    order by sort_value ${direction}, resource_key ${direction} limit ${bind('limit')}::int`;
}

function directionSql(order: Order): RawBuilder<unknown> {
  return order.descending ? sql`desc` : sql`asc`;
}

function sortColumn(order: Order): RawBuilder<unknown> {
  if (order.by === 'key') return sql`0::bigint`;
  return sql.ref(order.by === 'sort_date' ? 't.sort_date' : 't.last_updated');
}

function phaseCondition(
  { phase }: SearchStatementRequest,
  column: RawBuilder<unknown>,
  isLow: boolean,
): RawBuilder<unknown>[] {
  if (phase === 'all') return [];
  const absent = isLow ? sql`'-Infinity'::float8` : sql`${sql.lit(NO_DATE)}::bigint`;
  return [phase === 'dated' ? sql`${column} > ${absent}` : sql`${column} = ${absent}`];
}

/** The page begins after the last match of the one before, wherever that lies now. */
function keysetCondition(
  request: SearchStatementRequest,
  value: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
  reference: ValueReference,
): RawBuilder<unknown>[] {
  const { after, order } = request;
  if (after === undefined) return [];
  const comparison = order.descending ? sql`<` : sql`>`;
  const type = sortsByLow(request) ? sql`float8` : sql`bigint`;
  return [
    sql`(${value}, ${key}) ${comparison} (${reference('after_value')}::${type}, ${reference('after_key')}::bigint)`,
  ];
}

/** A row `t` whose resource is to be tested: how it tells the clinical date, and whether it is a head. */
interface Tested {
  readonly sort_date?: RawBuilder<unknown>;
  readonly low?: RawBuilder<unknown>;
  readonly isHead?: boolean;
}

/** An open start and "no date" are one value in each of the two columns that hold the clinical date. */
function lowToSortDate(low: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`greatest(${low}, ${sql.lit(NO_DATE)}::float8)::bigint`;
}

function sortDateToLow(sortDate: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(case when ${sortDate} = ${sql.lit(NO_DATE)}::bigint then '-Infinity' else ${sortDate}::float8 end)`;
}

/** The criteria but the driving one, as conditions on a row `t`. */
function probes(
  compiled: CompiledCriteria,
  driver: number,
  tested: Tested,
  reference: ValueReference,
): RawBuilder<unknown>[] {
  return compiled
    .filter((_alternatives, index) => index !== driver)
    .map((alternatives) => {
      if (alternatives.length === 0) return sql`false`;
      const tests = alternatives.map((alternative) => probe(alternative, tested, reference));
      return sql`(${sql.join(tests, sql` or `)})`;
    });
}

function probe(predicate: PredicateSql, tested: Tested, reference: ValueReference): RawBuilder<unknown> {
  const { table, dateColumn, headCondition } = predicate;
  if (headCondition !== undefined && tested.isHead === true) return sql`(${headCondition(reference)})`;
  const condition = predicate.condition(reference);
  // Rows that carry the clinical date are found by their whole index key; OFFSET 0 keeps the planner from turning the
  // test into a join over all matches (measured 10 ms against 1 ms).
  if (dateColumn !== undefined) {
    const column = sql.ref(`x.${dateColumn}`);
    const date =
      dateColumn === 'sort_date'
        ? (tested.sort_date ?? lowToSortDate(tested.low ?? sql`null`))
        : (tested.low ?? sortDateToLow(tested.sort_date ?? sql`null`));
    return sql`exists (
      select 1 from (select ${sql.ref(`t.${dateColumn}`)}, t.resource_key from ${sql.table(table)} t where ${condition}) x
      where ${column} = ${date} and x.resource_key = t.resource_key offset 0)`;
  }
  if (table === 'andiron.resource') {
    return sql`exists (
      select 1 from (select t.resource_key from ${sql.table(table)} t where ${condition}) x
      where x.resource_key = t.resource_key offset 0)`;
  }
  return sql`t.resource_key in (select t.resource_key from ${sql.table(table)} t where ${condition})`;
}
