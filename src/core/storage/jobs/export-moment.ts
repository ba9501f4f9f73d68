/** The moment of an export: a version-sequence and a time between which and the next changes nothing lies. */
import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

export interface ExportMoment {
  /** The export has the versions up to this version-sequence. */
  readonly sequence: number;
  /** Milliseconds since 1970: no later version has an earlier or the same `lastUpdated`. */
  readonly time: number;
}

const BEGIN = defineStatement(
  template(sql`
    select pg_snapshot_xmax(pg_current_snapshot())::text, floor(extract(epoch from clock_timestamp()) * 1000)::bigint
    limit 1`),
);
const IS_SETTLED = defineStatement(
  template(sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${bind('transaction')}::xid8 limit 1`),
);

/** Versions among which the moment is looked for. */
const RECENT = 2_000;

/** `before`: the latest time up to a version; `after`: the earliest of those behind it. */
const CUT = defineStatement(
  template(sql`
    with recent as materialized (
      select v.sequence, v.last_updated from andiron.resource_version v
      where v.space = ${bind('space')}::int
      order by v.sequence desc limit ${sql.lit(RECENT)}
    ), marked as (
      select r.sequence,
             max(r.last_updated) over (order by r.sequence) as before,
             least(${bind('time')}::bigint, min(r.last_updated) over (
               order by r.sequence desc rows between unbounded preceding and 1 preceding) - 1) as moment
      from recent r
    )
    select x.sequence::bigint, x.moment
    from ((select m.sequence, m.moment, 1 as place from marked m where m.before <= m.moment
           order by m.sequence desc limit 1)
          union all
          (select m.sequence, ${bind('time')}::bigint, 2 from marked m order by m.sequence desc limit 1)) x
    order by x.place limit 1`),
);

export interface MomentWait {
  /** Waits between two looks at the transactions under way. */
  pause(): Promise<void>;
  /** Looks at the transactions under way. */
  readonly most: number;
  /** Milliseconds: no write takes longer. */
  readonly longestWriteMs: number;
}

/**
 * Finds the moment of an export. All changes up to its time are committed, because it waits for the transactions that were under
 * way; those of other programs in the same cluster at most `most` times, and then takes an earlier time. A change after the time is
 * not in the export where that is possible: between two changes whose times have the order of their sequences.
 * **Cost**: three statements, and one for each wait.
 */
export async function findExportMoment(
  database: Database,
  space: number,
  { pause, most, longestWriteMs }: MomentWait,
): Promise<ExportMoment> {
  const to = { lane: 'search', space } as const;
  const [begun] = await database.run(to, BEGIN, {});
  const [transaction, now] = begun as unknown as [string, number];
  let isSettled = false;
  for (let looks = 0; !isSettled && looks < most; looks++) {
    if (looks > 0) await pause();
    const [row] = await database.run(to, IS_SETTLED, { transaction });
    isSettled = row?.[0] === true;
  }
  const time = isSettled ? now : now - longestWriteMs;
  const [cut] = await database.run(to, CUT, { space, time });
  if (cut === undefined) return { sequence: 0, time };
  const [sequence, moment] = cut as [number, number];
  return { sequence, time: moment };
}
