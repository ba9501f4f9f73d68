/** Matches in the order of codes, whatever their number: token rows have hashes, whose ranks the caller knows. */
import { sql, type RawBuilder } from 'kysely';
import { compileCriteria } from './criteria';
import { allTests, valuesOfCriteria } from './criteria/compiled';
import { headRow, HEAD_COLUMNS, SPACE } from './criteria/head';
import type { Database } from './database';
import type { SearchStatementRequest } from './search-order';
import type { MatchHead } from './search-run';
import { bind, defineStatement, template, type Bound } from './statement';

/** Each step enters the index behind the last hash. */
const DISTINCT_CODES = defineStatement(
  template(sql`
    with recursive step as (
      (select t.value_hash from andiron.token_index t
        where t.space = ${SPACE} and t.parameter = ${bind('parameter')}::int
        order by t.value_hash limit 1)
      union all
      select (
        select t.value_hash from andiron.token_index t
        where t.space = ${SPACE} and t.parameter = ${bind('parameter')}::int and t.value_hash > s.value_hash
        order by t.value_hash limit 1)
      from step s where s.value_hash is not null
    )
    select s.value_hash::text, x.resource_key::text
    from (select value_hash from step where value_hash is not null limit ${bind('limit')}::int) s
    cross join lateral (
      select t.resource_key from andiron.token_index t
      where t.space = ${SPACE} and t.parameter = ${bind('parameter')}::int and t.value_hash = s.value_hash
      limit 1
    ) x
    limit ${bind('limit')}::int`),
);

/** A hash among the token rows of a parameter, and a resource that has it; both in decimal form. */
export interface StoredCode {
  readonly hash: string;
  readonly key: string;
}

/** The hashes that a space has under a parameter, up to `limit`. Cost: one statement, two probes of the index for each. */
export async function findCodes(
  database: Database,
  space: number,
  parameter: number,
  limit: number,
): Promise<StoredCode[]> {
  const rows = await database.run('search', space, DISTINCT_CODES, { space, parameter, limit });
  return rows.map(([hash, key]) => ({ hash: String(hash), key: String(key) }));
}

/** A page in the order of codes; the order and the drive of the request do not count. */
export interface CodesRequest extends Pick<
  SearchStatementRequest,
  'space' | 'type' | 'sortDateParameter' | 'criteria' | 'limit'
> {
  /** The number of the token rows. */
  readonly parameter: number;
  /** Of the bit that tells that a resource has a value, with a code or without. */
  readonly ordinal: number;
  /** The rank of each hash, which is in decimal form. */
  readonly ranks: ReadonlyMap<string, number>;
  /** By the greatest rank of each, the greatest first; else by the least. */
  readonly descending: boolean;
  /** True: from the end towards the beginning. */
  readonly isBackward: boolean;
  /** Those that have a code, or those that have none, which come last. */
  readonly hasCode: boolean;
  /** The place before the page; a rank between two ranks is one. Null: none. */
  readonly after: { readonly rank: number | null; readonly key: string } | undefined;
}

/**
 * The matches of one page with their ranks, null for those without a code. Cost: one statement, which reads all rows of the
 * parameter and sorts them, and tests the criteria until the page is full.
 */
export async function runCodesPage(
  database: Database,
  request: CodesRequest,
): Promise<(MatchHead & { readonly rank: number | null })[]> {
  const compiled = compileCriteria(request.criteria, request.sortDateParameter);
  const { descending, isBackward, hasCode, after } = request;
  const direction = descending === isBackward ? sql`asc` : sql`desc`;
  const matches = (hasCode ? codedSql : uncodedSql)(request, direction, (row) =>
    allTests(compiled, row, bind),
  );
  // Without a name: what it costs is worth a plan of its own.
  const statement = defineStatement(
    template(sql`
      with page as (${matches})
      select p.resource_key::text, h.id, h.last_updated, p.rank, h.version
      from page p
      cross join lateral (
        select r.id, r.last_updated, r.version from andiron.resource r
        where r.space = ${SPACE} and r.resource_type = ${bind('type')}::smallint and r.resource_key = p.resource_key
        offset 0
      ) h
      order by p.rank ${direction}, p.resource_key ${direction}
      limit ${bind('limit')}::int`),
    { named: false },
  );
  const bound: Record<string, Bound> = {
    space: request.space,
    type: request.type,
    limit: request.limit,
    code_parameter: request.parameter,
    code_ordinal: request.ordinal,
    code_hashes: [...request.ranks.keys()],
    code_ranks: [...request.ranks.values()],
    after_rank: after?.rank ?? null,
    after_key: after?.key ?? null,
  };
  for (const { name, value } of valuesOfCriteria(compiled)) bound[name] = value;
  const rows = await database.run('search', request.space, statement, bound);
  return rows.map(([key, id, lastUpdated, rank, version]) => ({
    keyText: String(key),
    id: id as string | null,
    lastUpdated: Number(lastUpdated),
    sortValue: null,
    version: Number(version),
    rank: rank === null ? null : Number(rank),
  }));
}

type Tests = (row: Parameters<typeof allTests>[1]) => RawBuilder<boolean>;

function codedSql(
  { descending, isBackward, after }: CodesRequest,
  direction: RawBuilder<unknown>,
  tests: Tests,
): RawBuilder<unknown> {
  const rank = descending ? sql`max(k.rank)` : sql`min(k.rank)`;
  const comparison = descending === isBackward ? sql`>` : sql`<`;
  return sql`
    select n.rank, n.resource_key
    from (
      select ${rank} as rank, t.resource_key, t.sort_date
      from andiron.token_index t
      join unnest(${bind('code_hashes')}::bigint[], ${bind('code_ranks')}::int[]) as k (value_hash, rank)
        on k.value_hash = t.value_hash
      where t.space = ${SPACE} and t.parameter = ${bind('code_parameter')}::int
      group by t.resource_key, t.sort_date
      ${
        after === undefined
          ? sql``
          : sql`having (${rank}, t.resource_key) ${comparison} (${bind('after_rank')}::float8, ${bind('after_key')}::bigint)`
      }
      order by rank ${direction}, t.resource_key ${direction}
      offset 0
    ) n
    where ${tests({ key: sql`n.resource_key`, sortDate: sql`n.sort_date` })}
    order by n.rank ${direction}, n.resource_key ${direction} limit ${bind('limit')}::int`;
}

/** Those without a value, and those with a value that has no code. */
function uncodedSql(
  { descending, isBackward, after }: CodesRequest,
  direction: RawBuilder<unknown>,
  tests: Tests,
): RawBuilder<unknown> {
  const comparison = descending === isBackward ? sql`>` : sql`<`;
  const ordinal = sql`${bind('code_ordinal')}::int`;
  const hasValue = sql`(${ordinal} / 8 < length(r.presence) and get_bit(r.presence, ${ordinal}) = 1)`;
  const live = sql`r.space = ${SPACE} and r.resource_type = ${bind('type')}::smallint and not r.deleted${
    after === undefined ? sql`` : sql` and r.resource_key ${comparison} ${bind('after_key')}::bigint`
  }`;
  const columns = sql.join(HEAD_COLUMNS.map((column) => sql.ref(`r.${column}`)));
  return sql`
    select null::int as rank, u.resource_key
    from (
      (
        select n.resource_key
        from (select ${columns} from andiron.resource r where ${live} and not ${hasValue}) n
        where ${tests(headRow('n'))}
        order by n.resource_key ${direction} limit ${bind('limit')}::int
      )
      union all
      (
        select n.resource_key
        from (
          select r.resource_key from andiron.resource r where ${live} and ${hasValue}
          except
          select t.resource_key from andiron.token_index t
          where t.space = ${SPACE} and t.parameter = ${bind('code_parameter')}::int
        ) d
        cross join lateral (
          select ${columns} from andiron.resource r
          where r.space = ${SPACE} and r.resource_type = ${bind('type')}::smallint and r.resource_key = d.resource_key
          offset 0
        ) n
        where ${tests(headRow('n'))}
        order by n.resource_key ${direction} limit ${bind('limit')}::int
      )
    ) u
    order by u.resource_key ${direction} limit ${bind('limit')}::int`;
}
