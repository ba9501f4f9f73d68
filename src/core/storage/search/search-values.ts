/** Matches in an order that no index has: the values of all keys are fetched from their rows and sorted. */
import { sql, type RawBuilder } from 'kysely';
import { compileCriteria } from './criteria';
import { valuesOfCriteria } from './criteria/compiled';
import { SPACE } from './criteria/head';
import type { Database } from '../connection/database';
import { idOfKeySql } from '../read/key-text';
import { matchesSql, valuesOfOrder } from './search-matches';
import type { SearchStatementRequest } from './search-order';
import type { MatchHead } from './search-run';
import { bind, defineStatement, template, type Bound } from '../connection/statement';
import { EXTREMES } from '../write/version-write';

/** No effective limit: the statement timeout comes first. */
const MAX_MATCHES = 2_000_000_000;

/** The rows that have the value of each resource; among several values the least or the greatest counts. */
export type ValueSource =
  | { readonly of: 'last_updated' | 'id' }
  | {
      readonly of: 'low';
      readonly parameters: readonly number[];
      /** Exact starts of ranges without an end, by their least double, if the two differ. */
      readonly begins: ReadonlyMap<number, number>;
    }
  | { readonly of: 'string' | 'uri'; readonly parameters: readonly number[] }
  /** Token rows, and the rank of each hash, which is in decimal form. */
  | {
      readonly of: 'rank';
      readonly parameters: readonly number[];
      readonly ranks: ReadonlyMap<string, number>;
    }
  | {
      readonly of: 'reference';
      readonly rows: readonly { readonly parameter: number; readonly targetType: number | undefined }[];
      /** By number, from 1. */
      readonly typeNames: readonly string[];
      /** Addresses by the hashes of token rows, which are in decimal form. */
      readonly addresses: ReadonlyMap<string, string>;
      /** Ids of targets that have neither a head nor a key that stands for the id. */
      readonly ids: readonly HeadlessTarget<string>[];
    };

/** A target by its type and key, in decimal form, and its id or the key of a resource that refers to it. */
export interface HeadlessTarget<Detail> {
  readonly type: number;
  readonly key: string;
  readonly detail: Detail;
}

export interface ValueKey {
  readonly source: ValueSource;
  readonly descending: boolean;
}

/** Position before a page: the column value of each sort key; null: no value. */
export interface SortColumnValues {
  readonly values: readonly (number | string | null)[];
  /** In decimal form. */
  readonly key: string;
}

/** A match, and the column value of each sort key. */
export type ValuedHead = MatchHead & Pick<SortColumnValues, 'values'>;

/**
 * A page in the order of values; the order and the access path of the request only determine how the matches are found.
 */
export interface ValuesRequest extends Omit<SearchStatementRequest, 'phase' | 'after' | 'limit'> {
  readonly keys: readonly ValueKey[];
  /** True: reads from the end towards the beginning. */
  readonly isBackward: boolean;
  readonly after: SortColumnValues | undefined;
  readonly skipped: number;
  readonly limit: number;
}

/**
 * Returns the heads of one page. Resources without a value come last in both directions; ties are ordered by key, in
 * the direction of the first sort key.
 * Cost: one statement, which reads all matches and all rows of each sort key, and sorts those after the position: some
 * 2 µs for each match and each row.
 */
export async function runByValues(database: Database, request: ValuesRequest): Promise<ValuedHead[]> {
  const compiled = compileCriteria(request.criteria, request.sortDateParameter);
  const matched = { ...request, phase: 'all', after: undefined, isBackward: false } as const;
  const { keys, isBackward } = request;
  const tie = isDescending(keys[0], isBackward) ? sql`desc` : sql`asc`;
  const order = keys.map((key, at) => {
    const direction = isDescending(key, isBackward) ? sql`desc` : sql`asc`;
    return sql`${column(at)} ${direction} nulls ${isBackward ? sql`first` : sql`last`}`;
  });
  const values = keys.map(
    ({ descending }, at) => sql`${descending ? sql`max` : sql`min`}(u.${name(at)}) as ${name(at)}`,
  );
  const rows = keys.flatMap((key, at) =>
    branchesOf(key, at).map(({ key: resource, value, from }) => {
      const columns = keys.map((other, index) => (index === at ? value : none(other)));
      return sql`select ${resource}, false, ${sql.join(columns)} from ${from}`;
    }),
  );
  const empty = sql.join(keys.map((key, at) => sql`${none(key)} as ${name(at)}`));
  // UNION ALL and GROUP BY, not a join: without statistics the planner would join all rows with all. Unnamed: the cost
  // justifies a plan for each execution.
  const statement = defineStatement(
    template(sql`
      with matched as materialized (${matchesSql({ ...matched, limit: MAX_MATCHES }, compiled, bind)}),
      page as (
        select g.* from (
          select u.resource_key, ${sql.join(values)}
          from (
            select m.resource_key, true as is_match, ${empty} from matched m
            union all ${sql.join(rows, sql` union all `)}
          ) u
          group by u.resource_key having bool_or(u.is_match)
        ) g
        ${request.after === undefined ? sql`` : sql`where ${followsSql(request, request.after)}`}
        order by ${sql.join(order)}, g.resource_key ${tie}
        offset ${bind('skipped')}::int limit ${bind('page_limit')}::int
      )
      select g.resource_key::text, h.id, h.last_updated, h.version, ${sql.join(keys.map((_key, at) => column(at)))}
      from page g
      cross join lateral (
        select r.id, r.last_updated, r.version from andiron.resource r
        where r.space = ${SPACE} and r.resource_type = ${bind('type')}::smallint and r.resource_key = g.resource_key
        offset 0
      ) h
      order by ${sql.join(order)}, g.resource_key ${tie}`),
    { named: false },
  );
  const bound: Record<string, Bound> = {
    space: request.space,
    type: request.type,
    limit: MAX_MATCHES,
    skipped: request.skipped,
    page_limit: request.limit,
    ...boundOfPlace(request.after),
  };
  for (const { name: of, value } of [
    ...valuesOfOrder({ ...matched, limit: MAX_MATCHES }),
    ...valuesOfCriteria(compiled),
  ])
    bound[of] = value;
  keys.forEach(({ source }, at) => Object.assign(bound, boundOf(source, at)));
  const found = await database.run({ lane: 'search', space: request.space }, statement, bound);
  return found.map(([key, id, lastUpdated, version, ...values]) => ({
    keyText: String(key),
    id: id as string | null,
    lastUpdated: Number(lastUpdated),
    sortValue: null,
    version: Number(version),
    values: values as (number | string | null)[],
  }));
}

function name(at: number): RawBuilder<unknown> {
  return sql.id(`value_${at}`);
}

function column(at: number): RawBuilder<unknown> {
  return sql`g.${name(at)}`;
}

function isDescending(key: ValueKey | undefined, isBackward: boolean): boolean {
  return (key?.descending === true) !== isBackward;
}

const SQL_TYPES: Readonly<Record<ValueSource['of'], 'bigint' | 'float8' | 'text'>> = {
  last_updated: 'bigint',
  low: 'float8',
  rank: 'float8',
  id: 'text',
  string: 'text',
  uri: 'text',
  reference: 'text',
};

function typed({ source }: ValueKey, value: RawBuilder<unknown>): RawBuilder<unknown> {
  const type = SQL_TYPES[source.of];
  return type === 'text' ? sql`(${value})::text collate "C"` : sql`(${value})::${sql.raw(type)}`;
}

function none(key: ValueKey): RawBuilder<unknown> {
  return typed(key, sql`null`);
}

/** Condition that a row follows the position, in the direction of the page. */
function followsSql({ keys, isBackward }: ValuesRequest, after: SortColumnValues): RawBuilder<unknown> {
  const further = isDescending(keys[0], isBackward) ? sql`<` : sql`>`;
  let rest = sql`g.resource_key ${further} ${bind('after_key')}::bigint`;
  for (const [at, key] of [...keys.entries()].reverse()) {
    const value = column(at);
    const place = typed(key, bind(`after_${at}`));
    const beyond = isDescending(key, isBackward) ? sql`<` : sql`>`;
    const isNone = (after.values[at] ?? null) === null;
    const tied = isNone ? sql`(${value} is null and ${rest})` : sql`(${value} = ${place} and ${rest})`;
    if (isNone) rest = isBackward ? sql`(${value} is not null or ${tied})` : tied;
    else if (isBackward) rest = sql`(${value} ${beyond} ${place} or ${tied})`;
    else rest = sql`(${value} ${beyond} ${place} or ${value} is null or ${tied})`;
  }
  return rest;
}

function boundOfPlace(after: SortColumnValues | undefined): Record<string, Bound> {
  const bound: Record<string, Bound> = after === undefined ? {} : { after_key: after.key };
  for (const [at, value] of (after?.values ?? []).entries())
    bound[`after_${at}`] = value === null ? null : String(value);
  return bound;
}

interface Branch {
  readonly key: RawBuilder<unknown>;
  readonly value: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
}

/** Returns the selects of rows that have the key of a resource and a value. */
function branchesOf(key: ValueKey, at: number): Branch[] {
  const { source } = key;
  const rowKey = sql`t.resource_key`;
  const ofParameters = sql`t.space = ${SPACE} and t.parameter = any(${bind(`parameters_${at}`)}::int[])`;
  const mark = sql.lit(key.descending ? EXTREMES.highest : EXTREMES.lowest);
  switch (source.of) {
    case 'last_updated':
    case 'id': {
      const id = sql`coalesce(t.id, ${idOfKeySql(rowKey)})`;
      const value = typed(key, source.of === 'id' ? id : sql`t.last_updated`);
      const from = sql`andiron.resource t
        where t.space = ${SPACE} and t.resource_type = ${bind('type')}::smallint and not t.deleted`;
      return [{ key: rowKey, value, from }];
    }
    case 'low': {
      const begins = sql`(
        select b.begins from unnest(${bind(`lows_${at}`)}::float8[], ${bind(`begins_${at}`)}::float8[]) as b (low, begins)
        where b.low = t.low limit 1)`;
      const value =
        source.begins.size === 0
          ? sql`t.low`
          : sql`case when t.high = 'Infinity' then coalesce(${begins}, t.low) else t.low end`;
      const from = sql`andiron.range_index t where ${ofParameters} and t.qualifier = 0 and t.extremes & ${mark} <> 0`;
      return [{ key: rowKey, value: typed(key, value), from }];
    }
    case 'string':
    case 'uri': {
      const marked = source.of === 'string' ? sql` and t.extremes & ${mark} <> 0` : sql``;
      const from = sql`${sql.table(`andiron.${source.of}_index`)} t where ${ofParameters}${marked}`;
      return [{ key: rowKey, value: typed(key, sql`t.value`), from }];
    }
    case 'rank': {
      const from = sql`andiron.token_index t
        join unnest(${bind(`hashes_${at}`)}::bigint[], ${bind(`ranks_${at}`)}::float8[]) as k (value_hash, rank)
          on k.value_hash = t.value_hash
        where ${ofParameters}`;
      return [{ key: rowKey, value: typed(key, sql`k.rank`), from }];
    }
    case 'reference':
      return [
        ...source.rows.map(({ targetType }, which) => localBranch(key, at, which, targetType !== undefined)),
        ...(source.addresses.size === 0 ? [] : [addressBranch(key, at)]),
      ];
  }
}

/** Finds the id of each target once for all resources that refer to it. */
function localBranch(key: ValueKey, at: number, which: number, isTyped: boolean): Branch {
  const ofType = isTyped ? sql` and t.target_type = ${bind(`target_type_${at}_${which}`)}::smallint` : sql``;
  const id = sql`case when x.target_key >= 0 then ${idOfKeySql(sql`x.target_key`)} else coalesce(
    (
      select r.id from andiron.resource r
      where r.space = ${SPACE} and r.resource_type = x.target_type and r.resource_key = x.target_key
    ),
    (
      select d.id
      from unnest(${bind(`target_types_${at}`)}::smallint[], ${bind(`target_keys_${at}`)}::bigint[], ${bind(`target_ids_${at}`)}::text[])
        as d (type, key, id)
      where d.type = x.target_type and d.key = x.target_key limit 1
    )) end`;
  const from = sql`(
    select unnest(x.keys) as resource_key, (${bind(`type_names_${at}`)}::text[])[x.target_type] || '/' || ${id} as value
    from (
      select t.target_type, t.target_key, array_agg(t.resource_key) as keys
      from andiron.reference_index t
      where t.space = ${SPACE} and t.parameter = ${bind(`parameter_${at}_${which}`)}::int${ofType}
      group by t.target_type, t.target_key
    ) x
  ) t`;
  return { key: sql`t.resource_key`, value: typed(key, sql`t.value`), from };
}

function addressBranch(key: ValueKey, at: number): Branch {
  const from = sql`andiron.token_index t
    join unnest(${bind(`hashes_${at}`)}::bigint[], ${bind(`addresses_${at}`)}::text[]) as k (value_hash, address)
      on k.value_hash = t.value_hash
    where t.space = ${SPACE} and t.parameter = any(${bind(`parameters_${at}`)}::int[])`;
  return { key: sql`t.resource_key`, value: typed(key, sql`k.address`), from };
}

function boundOf(source: ValueSource, at: number): Record<string, Bound> {
  switch (source.of) {
    case 'last_updated':
    case 'id':
      return {};
    case 'low':
      return {
        [`parameters_${at}`]: [...source.parameters],
        [`lows_${at}`]: [...source.begins.keys()],
        [`begins_${at}`]: [...source.begins.values()],
      };
    case 'string':
    case 'uri':
      return { [`parameters_${at}`]: [...source.parameters] };
    case 'rank':
      return {
        [`parameters_${at}`]: [...source.parameters],
        [`hashes_${at}`]: [...source.ranks.keys()],
        [`ranks_${at}`]: [...source.ranks.values()],
      };
    case 'reference': {
      const bound: Record<string, Bound> = {
        [`parameters_${at}`]: source.rows.map(({ parameter }) => parameter),
        [`type_names_${at}`]: [...source.typeNames],
        [`hashes_${at}`]: [...source.addresses.keys()],
        [`addresses_${at}`]: [...source.addresses.values()],
        [`target_types_${at}`]: source.ids.map(({ type }) => type),
        [`target_keys_${at}`]: source.ids.map(({ key }) => key),
        [`target_ids_${at}`]: source.ids.map(({ detail }) => detail),
      };
      source.rows.forEach(({ parameter, targetType }, which) => {
        bound[`parameter_${at}_${which}`] = parameter;
        if (targetType !== undefined) bound[`target_type_${at}_${which}`] = targetType;
      });
      return bound;
    }
  }
}
