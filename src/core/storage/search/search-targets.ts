/** Matches of a chain, merged from the references to each of its targets in the order of the clinical date. */
import { sql, type RawBuilder } from 'kysely';
import { rowsOfTarget } from '../../search/access-paths/access-path';
import type { CompiledCriteria, CompiledCriterion, CompiledTargets } from './criteria/compiled';
import type { PredicateValue, ValueReference } from './predicate-parts';
import {
  directionSql,
  isDescending,
  keysetCondition,
  phaseCondition,
  probes,
  type SearchStatementRequest,
} from './search-order';
import { bind } from '../connection/statement';

/**
 * Selects the resources that refer to any target and match the other criteria. It reads the first few references to
 * each target and tests them in order until the page is full. If those of a target end before the page does, it reads
 * the ones in between. The cost is that of the targets and of the rows tested for the page, however many references
 * exist.
 */
export function targetsSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  driver: number,
  reference: ValueReference,
): RawBuilder<unknown> {
  const links = linksOf(compiled[driver]);
  const direction = directionSql(request);
  const [behind, before] = isDescending(request) ? [sql`<`, sql`>`] : [sql`>`, sql`<`];
  const eachLink = (select: SelectOfLink) => unionOf(links, select);
  const referring = (
    link: CompiledTargets,
    target: RawBuilder<unknown>,
    further: readonly RawBuilder<unknown>[],
  ) => {
    const conditions = [
      link.condition(target, reference),
      ...phaseCondition(request, sql`f.sort_date`, false),
      ...keysetCondition(request, sql`f.sort_date`, sql`f.resource_key`, reference),
      ...further,
    ];
    return sql`
      select f.sort_date, f.resource_key from andiron.reference_index f
      where ${sql.join(conditions, sql` and `)}
      order by f.sort_date ${direction}, f.resource_key ${direction}`;
  };
  const tests = sql.join(
    [
      sql`true`,
      ...probes(compiled, driver, { key: sql`n.resource_key`, sortDate: sql`n.sort_date` }, reference),
    ],
    sql` and `,
  );
  const each = sql`${reference(PER_TARGET)}::int`;
  return sql`
    with target as materialized (${targetsOf(links, reference)}),
    first_rows as materialized (${eachLink(
      (link, place) => sql`
      select t.link, t.resource_key as target_key, r.sort_date, r.resource_key, r.place
      from target t
      cross join lateral (
        select g.sort_date, g.resource_key,
          row_number() over (order by g.sort_date ${direction}, g.resource_key ${direction}) as place
        from (${referring(link, sql`t.resource_key`, [])} limit ${each}) g
      ) r
      where t.link = ${place}`,
    )}),
    first_matches as materialized (
      select n.sort_date, n.resource_key
      from (
        select distinct d.sort_date, d.resource_key from first_rows d
        order by d.sort_date ${direction}, d.resource_key ${direction}
        offset 0
      ) n
      where ${tests}
      order by n.sort_date ${direction}, n.resource_key ${direction} limit ${bind('limit')}::int
    ),
    last_of_page as materialized (
      select m.sort_date, m.resource_key from first_matches m
      order by m.sort_date ${direction}, m.resource_key ${direction}
      limit 1 offset ${bind('limit')}::int - 1
    ),
    further_matches as (${eachLink(
      (link, place) => sql`
      select r.sort_date, r.resource_key
      from first_rows l
      cross join lateral (
        select n.sort_date, n.resource_key
        from (${referring(link, sql`l.target_key`, [
          sql`(f.sort_date, f.resource_key) ${behind} (l.sort_date, l.resource_key)`,
          sql`((f.sort_date, f.resource_key) ${before} (select p.sort_date, p.resource_key from last_of_page p)) is not false`,
        ])}) n
        where ${tests}
        order by n.sort_date ${direction}, n.resource_key ${direction} limit ${bind('limit')}::int
      ) r
      where l.link = ${place} and l.place = ${each}
        and ((l.sort_date, l.resource_key) ${before}
          (select p.sort_date, p.resource_key from last_of_page p)) is not false`,
    )})
    select distinct u.sort_date as sort_value, u.resource_key
    from (
      select sort_date, resource_key from first_matches
      union all select sort_date, resource_key from further_matches
    ) u
    order by sort_value ${direction}, resource_key ${direction} limit ${bind('limit')}::int`;
}

/**
 * Estimates the index rows that refer to the targets of a chain. It samples targets at equal distances in the order of
 * their keys; each represents those up to the next. Bound: at most `sampled` targets, and `limit` rows of each, so that
 * the sum may exceed `limit`.
 */
export function referringCountSql(
  criterion: CompiledCriterion,
  reference: ValueReference,
): RawBuilder<unknown> {
  const links = linksOf(criterion);
  return sql`
    with target as materialized (${targetsOf(links, reference)}),
    placed as materialized (
      select t.link, t.resource_key,
        row_number() over (partition by t.link order by t.resource_key) as place,
        ceil(count(*) over (partition by t.link) / ${bind('sampled')}::float8)::bigint as distance
      from target t
    )
    select least(coalesce(sum(u.row_count), 0), 2147483647)::int from (${unionOf(
      links,
      (link, place) => sql`
      select p.distance * r.row_count as row_count
      from placed p
      cross join lateral (
        select count(*) as row_count from (
          select 1 from andiron.reference_index f
          where ${link.condition(sql`p.resource_key`, reference)}
          limit ${bind('limit')}::int
        ) g
      ) r
      where p.link = ${place} and p.place % p.distance = 0`,
    )}) u
    limit 1`;
}

export type SelectOfLink = (link: CompiledTargets, place: RawBuilder<unknown>) => RawBuilder<unknown>;

export function linksOf(criterion: CompiledCriterion | undefined): CompiledTargets[] {
  return (criterion?.alternatives ?? []).map(({ byTarget }) => {
    if (byTarget === undefined) throw new Error('a target merge needs a chain');
    return byTarget;
  });
}

export function unionOf(links: readonly CompiledTargets[], select: SelectOfLink): RawBuilder<unknown> {
  return sql.join(
    links.map((link, place) => select(link, sql.lit(place))),
    sql` union all `,
  );
}

/** Selects each target of each link once: the position of the link, and the key. */
export function targetsOf(links: readonly CompiledTargets[], reference: ValueReference): RawBuilder<unknown> {
  return unionOf(
    links,
    (link, place) => sql`select distinct ${place} as link, u.resource_key from (${link.keys(reference)}) u`,
  );
}

const PER_TARGET = 'per_target';

/** Returns the number of references that are read first for each target, as a bound value. */
export function valuesOfTargets({ accessPath, limit }: SearchStatementRequest): PredicateValue[] {
  if (accessPath.kind !== 'targetMerge') return [];
  return [{ name: PER_TARGET, type: 'int', value: rowsOfTarget(accessPath, limit) }];
}
