/** Adds up the numbers that the matches of a search have for a parameter, from its index rows. */
import { sql } from 'kysely';
import { exactOfLiteral, type Exact } from '../../fhir/exact-number';
import type { Database } from '../connection/database';
import { bind } from '../connection/statement';
import { type GroupRequest, runGrouping } from './group-statement';

export interface NumberRows extends Pick<GroupRequest, 'space' | 'type' | 'matches' | 'mostRows'> {
  /** Number of the parameter; a resource has at most one row of it. */
  readonly number: number;
}

/** The totals of the numbers of one unit. */
export interface RowTotal {
  /** Hashes; 0: there is none. The name counts only where there is no code. */
  readonly unitSystem: number;
  readonly unitCode: number;
  readonly unitName: number;
  readonly count: number;
  /** Number of ranges, which are in none of the others. */
  readonly inexact: number;
  /** Undefined if `count` is 0. */
  readonly least: Exact | undefined;
  readonly greatest: Exact | undefined;
  readonly sum: Exact | undefined;
  /** Key of one of the resources, in decimal form. */
  readonly exampleKey: string;
}

/**
 * Returns the totals of up to `mostUnits` units; undefined if there are more rows or matches than `mostRows`, or if a
 * number has more digits than its row. Cost: one statement, about a second for a million rows.
 */
export async function totalNumbers(
  database: Database,
  { number, ...request }: NumberRows,
  mostUnits: number,
): Promise<readonly RowTotal[] | undefined> {
  // The shortest text of a double has its digits; a cast to numeric would round it.
  const value = sql`k.low::text::numeric`;
  const isExact = sql`filter (where k.low = k.high)`;
  const rows = await runGrouping(
    database,
    { ...request, kind: 'number', sources: [{ number, targetType: 0 }], repeats: false },
    {
      form: 'numbers',
      further: { most_units: mostUnits },
      answer: sql`
        select k.unit_system, k.unit_code, case when k.unit_code = 0 then k.unit_name else 0 end,
               (count(*) ${isExact})::int, (count(*) filter (where k.low <> k.high))::int,
               (min(${value}) ${isExact})::text, (max(${value}) ${isExact})::text, (sum(${value}) ${isExact})::text,
               min(k.resource_key)::text, bool_or(k.has_rest)
        from kept k group by 1, 2, 3 order by 4 desc limit ${bind('most_units')}::int`,
    },
  );
  const totals: RowTotal[] = [];
  for (const row of rows ?? []) {
    const [unitSystem, unitCode, unitName, count, inexact, least, greatest, sum, exampleKey, hasRest] =
      row as [
        ...[number, number, number, number, number],
        ...[string | null, string | null, string | null, string, boolean],
      ];
    if (hasRest) return undefined;
    const [first, last, all] = [least, greatest, sum].map((text) =>
      text === null ? undefined : exactOfLiteral(text),
    );
    totals.push({
      ...{ unitSystem, unitCode, unitName, count, inexact, exampleKey },
      ...{ least: first, greatest: last, sum: all },
    });
  }
  return rows && totals;
}
