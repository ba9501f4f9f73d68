import { sql, type RawBuilder } from 'kysely';
import type { CodeRange } from '../../search/access-paths/access-path';
import type { TypeCriteria } from '../../search/predicate';
import { compileCriteria } from './criteria';
import { criterionKeys, shapeOf, valuesOfCriteria, type CompiledCriteria } from './criteria/compiled';
import type { PredicateValue, ValueReference } from './predicate-parts';
import { matchesSql, valuesOfOrder } from './search-matches';
import { directionSql, valuesOfPlace, type SearchStatementRequest } from './search-order';
import { referringCountSql } from './search-targets';
import { asPlanningQuery, bind, type Bound, type Statement } from '../connection/statement';
import { StatementShapes } from '../connection/statement-shapes';
import { withCurrentVersions } from '../read/version-statements';
import { inlineBytes } from '../read/version-row';

export interface BoundStatement {
  readonly statement: Statement;
  readonly bound: Readonly<Record<string, Bound>>;
  /** Identifies the SQL text; `_explain` shows it. */
  readonly shape: string;
}

const shapes = new StatementShapes();

/**
 * Returns the statement for one page: sort value, key and current version of each match. Compiled once for each shape.
 */
export function pageStatement(request: SearchStatementRequest, prepared = prepare(request)): BoundStatement {
  const statement = shapes.get(`page ${prepared.shape}`, () => pageSql(request, prepared, bind));
  const bound = { ...boundOf(request, prepared), inline_bytes: inlineBytes(request.limit) };
  return { statement, bound, shape: prepared.shape };
}

/**
 * Returns the statement for one page across several ranges of one order, such as the matches with a sort value and
 * those without one, after the first `skipped` of them. Its columns are the position of the range in `ranges`, then
 * those of `pageStatement`. `limit` of each range is that of the page plus `skipped`. A range that is not needed is not
 * read.
 */
export function rangesStatement(ranges: readonly SearchStatementRequest[], skipped: number): BoundStatement {
  const prepared = ranges.map((range) => ({ range, ...prepare(range) }));
  const [first] = ranges;
  if (first === undefined) throw new Error('an order without a range');
  const shape = prepared.map((each) => each.shape).join(' then ');
  const statement = shapes.get(`ranges ${shape}`, () => {
    const direction = directionSql(first);
    const limit = sql`${bind('limit')}::int`;
    const scans = prepared.map(({ range, compiled }, index) => {
      const left = prepared
        .slice(0, index)
        .map((_before, place) => sql`(select count(*) from ${sql.id(`range_${place}`)})`);
      return sql`${sql.id(`range_${index}`)} as materialized (
        select m.sort_value, m.resource_key from (${matchesSql(range, compiled, bind)}) m
        order by m.sort_value ${direction}, m.resource_key ${direction}
        limit greatest(0, ${sql.join([limit, ...left], sql` - `)}))`;
    });
    const found = prepared.map(
      (_each, index) => sql`
        select ${sql.lit(index)} as place, r.sort_value, r.resource_key from ${sql.id(`range_${index}`)} r`,
    );
    return sql`
      with ${sql.join(scans)}
      select x.place, x.sort_value, x.resource_key::text as key_text, y.*
      from ${withCurrentVersions(sql`
        select f.place, f.sort_value, f.resource_key, ${bind('type')}::smallint as resource_type
        from (${sql.join(found, sql` union all `)}) f
        order by f.place, f.sort_value ${direction}, f.resource_key ${direction}
        offset ${bind('skipped')}::int`)}
      order by x.place, x.sort_value ${direction}, x.resource_key ${direction}`;
  });
  const bound: Record<string, Bound> = {
    skipped,
    inline_bytes: inlineBytes(first.limit - skipped),
  };
  for (const { range, ...each } of prepared) Object.assign(bound, boundOf(range, each));
  return { statement, bound, shape };
}

/** As `pageStatement`, but without texts: for matches of which only some will be read. */
export function keysStatement(request: SearchStatementRequest): BoundStatement {
  const prepared = prepare(request);
  const direction = directionSql(request);
  const statement = shapes.get(
    `keys ${prepared.shape}`,
    () => sql`
      with page as (${matchesSql(request, prepared.compiled, bind)})
      select p.resource_key::text, r.id, r.last_updated, p.sort_value, r.version
      from page p
      cross join lateral (
        select h.id, h.last_updated, h.version from andiron.resource h
        where h.space = ${bind('space')}::int and h.resource_type = ${bind('type')}::smallint
          and h.resource_key = p.resource_key
        offset 0
      ) r
      order by p.sort_value ${direction}, p.resource_key ${direction}`,
  );
  return { statement, bound: boundOf(request, prepared), shape: prepared.shape };
}

/** Returns the statement that counts the distinct matches, up to `limit`. */
export function countStatement(request: SearchStatementRequest): BoundStatement {
  const prepared = prepare(request);
  const statement = shapes.get(
    `count ${prepared.shape}`,
    () => sql`select count(*)::int from (${matchesSql(request, prepared.compiled, bind, true)}) m`,
  );
  return { statement, bound: boundOf(request, prepared), shape: prepared.shape };
}

/** The matches as a part of another statement. */
export interface MatchesPart {
  readonly shape: string;
  /** Selects `sort_value` and `resource_key`. */
  sql(): RawBuilder<unknown>;
  readonly bound: Readonly<Record<string, Bound>>;
}

export function matchesPart(request: SearchStatementRequest): MatchesPart {
  const prepared = prepare(request);
  return {
    shape: prepared.shape,
    sql: () => matchesSql(request, prepared.compiled, bind, true),
    bound: boundOf(request, prepared),
  };
}

/** Returns the statement that counts the index rows of matches of the first criterion, up to `limit`. */
export function rowCountStatement(
  space: number,
  { type, sortDateParameter, criteria }: TypeCriteria,
  limit: number,
): BoundStatement {
  const compiled = compileCriteria(criteria.slice(0, 1), sortDateParameter);
  const [criterion] = compiled;
  if (criterion === undefined) throw new Error('there is nothing to count');
  const shape = `rows ${shapeOf(compiled)}`;
  const statement = shapes.get(
    shape,
    () => sql`select count(*)::int from (
      select 1 from (${criterionKeys(criterion, bind)}) k limit ${bind('limit')}::int) m`,
  );
  const bound: Record<string, Bound> = { space, type, limit };
  for (const { name, value } of valuesOfCriteria(compiled)) bound[name] = value;
  return { statement: asPlanningQuery(statement), bound, shape };
}

/**
 * Returns the statement that estimates the index rows of matches of the first criterion, a chain that must have
 * `byTarget`. It extrapolates from `sampled` targets, or a few less, spread over all of them by key.
 */
export function referringCountStatement(
  space: number,
  { type, sortDateParameter, criteria }: TypeCriteria,
  limit: number,
  sampled: number,
): BoundStatement {
  const compiled = compileCriteria(criteria.slice(0, 1), sortDateParameter);
  const [criterion] = compiled;
  if (criterion === undefined) throw new Error('there is nothing to count');
  const shape = `referring ${shapeOf(compiled)}`;
  const statement = shapes.get(shape, () => referringCountSql(criterion, bind));
  const bound: Record<string, Bound> = { space, type, limit, sampled };
  for (const { name, value } of valuesOfCriteria(compiled)) bound[name] = value;
  return { statement: asPlanningQuery(statement), bound, shape };
}

/** A page that may share its statement with others of the same `group`. */
export interface ShareablePage {
  readonly group: string;
  readonly request: SearchStatementRequest;
  readonly prepared: Prepared;
}

/** Larger pages run alone, because the whole result of a statement is in memory at once. */
const MAX_SHARED_LIMIT = 101;

/**
 * Returns the page as one that may share a statement, if its cost is bounded by the limit: one ordered index range.
 * Other pages could delay those in the same statement.
 */
export function toShareable(request: SearchStatementRequest): ShareablePage | undefined {
  const { accessPath, criteria, limit, space, type } = request;
  if (accessPath.kind !== 'indexScan' || criteria.length !== 1 || limit > MAX_SHARED_LIMIT) return undefined;
  const prepared = prepare(request);
  return { group: `${space} ${type} ${limit} ${prepared.shape}`, request, prepared };
}

/**
 * Returns one statement for several pages of one group. Its first column is the position of the page in `pages`, from
 * 1; the columns of `pageStatement` follow.
 */
export function sharedStatement(first: ShareablePage, pages: readonly ShareablePage[]): BoundStatement {
  const { request, prepared } = first;
  const values = valuesOf(request, prepared);
  const statement = shapes.get(`shared ${prepared.shape}`, () => {
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

export interface Prepared {
  readonly shape: string;
  readonly compiled: CompiledCriteria;
}

function prepare(request: SearchStatementRequest): Prepared {
  const compiled = compileCriteria(request.criteria, request.sortDateParameter);
  const { order, accessPath, phase, after } = request;
  const by = order.by === 'value' ? order.rows.index : order.by;
  const shape = `${accessPath.kind} ${'criterion' in accessPath ? accessPath.criterion : ''} ${
    accessPath.kind === 'compositeScan' ? shapeOfRanges(accessPath.ranges) : ''
  } ${by} ${
    order.descending ? 'desc' : 'asc'
  }${request.isBackward === true ? ' backward' : ''} ${phase} ${after === undefined ? 'first' : 'next'}`;
  return { shape: shape + shapeOf(compiled), compiled };
}

/** Says which ranges have a system. */
function shapeOfRanges(ranges: readonly CodeRange[]): string {
  return ranges.map(({ system }) => (system === undefined ? '-' : 's')).join('');
}

/** Returns the values that differ between two requests of one shape. */
function valuesOf(request: SearchStatementRequest, { compiled }: Prepared): PredicateValue[] {
  const values: PredicateValue[] = [];
  const { accessPath } = request;
  if (accessPath.kind === 'dateScan')
    values.push({ name: 'date_parameter', type: 'int', value: accessPath.parameter });
  values.push(...valuesOfOrder(request), ...valuesOfPlace(request), ...valuesOfCriteria(compiled));
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
  const direction = directionSql(request);
  return sql`
    with page as (${matchesSql(request, compiled, value)})
    select x.sort_value, x.resource_key::text as key_text, y.*
    from ${withCurrentVersions(sql`select g.*, ${bind('type')}::smallint as resource_type from page g`)}
    order by x.sort_value ${direction}, x.resource_key ${direction}`;
}
