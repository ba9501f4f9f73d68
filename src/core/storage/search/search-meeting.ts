/**
 * Semi-join of the rows of one index with the references to the targets of a chain, in the order of the clinical date.
 */
import { sql, type RawBuilder } from 'kysely';
import { rowsOfSemiJoin, type SemiJoin } from '../../search/access-paths/access-path';
import { criterionTest, type CompiledCriteria } from './criteria/compiled';
import { NO_DATE } from './criteria/head';
import type { PredicateValue, ValueReference } from './predicate-parts';
import {
  directionSql,
  isDescending,
  keysetCondition,
  phaseCondition,
  probes,
  type SearchStatementRequest,
} from './search-order';
import { linksOf, targetsOf, unionOf } from './search-targets';
import { bind } from '../connection/statement';

/**
 * Takes the first index rows, up to an edge, and looks them up among the references to any target up to the date of
 * that edge. This joins two sets of keys; testing each reference would enter the index for each of them. If the page is
 * not full, references beyond the edge are tested in order until it is. The cost is that of the targets, of the index
 * rows up to the edge, and of the references up to the end of the page, however many references exist.
 */
export function semiJoinSql(
  request: SearchStatementRequest,
  { criterion, chain }: SemiJoin,
  compiled: CompiledCriteria,
  reference: ValueReference,
): RawBuilder<unknown> {
  const driving = compiled[criterion];
  if (driving === undefined) throw new Error('the criterion of a semi-join does not exist');
  const links = linksOf(compiled[chain]);
  const others = compiled.filter((_criterion, index) => index !== criterion && index !== chain);
  const direction = directionSql(request);
  const [behind, upTo, last] = isDescending(request)
    ? [sql`<`, sql`>=`, sql.lit(NO_DATE)]
    : [sql`>`, sql`<=`, sql.lit(GREATEST)];
  const limit = sql`${bind('limit')}::int`;
  const inOrder = (row: 'd' | 'n' | 't' | 'u'): RawBuilder<unknown> =>
    sql`${sql.ref(`${row}.sort_date`)} ${direction}, ${sql.ref(`${row}.resource_key`)} ${direction}`;
  const testsOf = (row: 'd' | 'n', tested: CompiledCriteria): RawBuilder<unknown> => {
    const ofRow = { key: sql.ref(`${row}.resource_key`), sortDate: sql.ref(`${row}.sort_date`) };
    return sql.join([sql`true`, ...probes(tested, -1, ofRow, reference)], sql` and `);
  };
  /** Selects index rows in order, from the start of the page; several alternatives may repeat rows. */
  const scanned = (
    further: readonly RawBuilder<unknown>[],
    enough: RawBuilder<unknown>,
  ): RawBuilder<unknown> => {
    const branches = driving.alternatives.map(({ rows }) => {
      if (rows?.dateColumn !== 'sort_date') throw new Error('a semi-join needs rows with the clinical date');
      const conditions = [
        rows.condition(reference),
        ...phaseCondition(request, sql`t.sort_date`, false),
        ...keysetCondition(request, sql`t.sort_date`, sql`t.resource_key`, reference),
        ...further,
      ];
      return sql`(
        select t.sort_date, t.resource_key from ${sql.table(rows.table)} t
        where ${sql.join(conditions, sql` and `)} order by ${inOrder('t')} ${enough})`;
    });
    return sql.join(branches, sql` union all `);
  };
  const referring = (further: RawBuilder<unknown>): RawBuilder<unknown> =>
    unionOf(links, (link, place) => {
      const conditions = [
        link.condition(sql`t.resource_key`, reference),
        ...phaseCondition(request, sql`f.sort_date`, false),
        ...keysetCondition(request, sql`f.sort_date`, sql`f.resource_key`, reference),
        further,
      ];
      return sql`
        select r.sort_date, r.resource_key from target t
        cross join lateral (
          select f.sort_date, f.resource_key from andiron.reference_index f
          where ${sql.join(conditions, sql` and `)}
          offset 0
        ) r
        where t.link = ${place}`;
    });
  // If the index has fewer rows, the edge lies behind all of them. COALESCE beside the column would prevent an index
  // scan from that bound: PostgreSQL does not move it before the condition of row-level security.
  const rows = sql`${reference(ROWS_TOGETHER)}::int`;
  const edge = sql`(select e.sort_date, e.resource_key from edge e)`;
  return sql`
    with target as materialized (${targetsOf(links, reference)}),
    edge as materialized (
      select coalesce(g.sort_date, ${last}::bigint) as sort_date, coalesce(g.resource_key, ${last}::bigint) as resource_key
      from (select) one
      left join lateral (
        select u.sort_date, u.resource_key from (${scanned([], sql`limit ${rows}`)}) u
        order by ${inOrder('u')} limit 1 offset ${rows} - 1
      ) g on true
    ),
    near as materialized (${referring(sql`f.sort_date ${upTo} (select e.sort_date from edge e)`)}),
    first_matches as materialized (
      select distinct d.sort_date, d.resource_key
      from (select u.sort_date, u.resource_key from (${scanned([sql`(t.sort_date, t.resource_key) ${upTo} ${edge}`], sql``)}) u order by ${inOrder('u')} offset 0) d
      where ((d.resource_key in (select n.resource_key from near n)) is true) and ${testsOf('d', others)}
      order by ${inOrder('d')} limit ${limit}
    ),
    further_matches as (
      select n.sort_date, n.resource_key
      from (
        select distinct u.sort_date, u.resource_key
        from (${referring(sql`(f.sort_date, f.resource_key) ${behind} ${edge}`)}) u
        order by ${inOrder('u')}
        offset 0
      ) n
      where (select count(*) from first_matches) < ${limit}
        and ${criterionTest(driving, { key: sql`n.resource_key`, sortDate: sql`n.sort_date` }, reference)}
        and ${testsOf('n', others)}
      order by ${inOrder('n')} limit ${limit}
    )
    select u.sort_date as sort_value, u.resource_key
    from (
      select sort_date, resource_key from first_matches
      union all select sort_date, resource_key from further_matches
    ) u
    order by sort_value ${direction}, resource_key ${direction} limit ${limit}`;
}

const ROWS_TOGETHER = 'rows_together';
/** No date and no key is greater; none is less than NO_DATE. */
const GREATEST = '9223372036854775807';

/** Returns the number of index rows that are looked up together, as a bound value. */
export function valuesOfSemiJoin({ accessPath, limit }: SearchStatementRequest): PredicateValue[] {
  if (accessPath.kind !== 'semiJoin') return [];
  return [{ name: ROWS_TOGETHER, type: 'int', value: rowsOfSemiJoin(accessPath, limit) }];
}
