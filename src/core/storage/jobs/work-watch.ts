/** The one statement by which an idle process learns of background work. */
import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

/** The kinds of background work, in the order of the statement's columns. */
export const WORK_KINDS = ['erasures', 'jobs', 'records', 'feeds'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** Who looks, and after how long another process counts as dead. */
export interface Looker {
  /** This process among those that confirm erasures, and the last erasure that its caches reflect. */
  readonly process: string;
  readonly invalidated: number;
  /** This process among those that deliver notifications. */
  readonly worker: string;
  readonly jobSilenceMs: number;
  readonly feedSilenceMs: number;
}

const LOOK = defineStatement(
  template(sql`
    select w.erasures, w.jobs, w.records, w.feeds
    from andiron.look_for_work(${bind('process')}, ${bind('invalidated')}::bigint, ${bind('worker')},
                               ${bind('job_silence')}::int, ${bind('feed_silence')}::int) w
    limit 1`),
);

/**
 * Records that the process is alive, and returns the milliseconds until there is work of each kind; 0: now. A kind is absent of
 * which nothing is known.
 */
export async function lookForWork(
  database: Database,
  { process, invalidated, worker, jobSilenceMs, feedSilenceMs }: Looker,
): Promise<ReadonlyMap<WorkKind, number>> {
  const [row = []] = await database.run({ lane: 'search', space: undefined }, LOOK, {
    ...{ process, invalidated, worker },
    job_silence: jobSilenceMs,
    feed_silence: feedSilenceMs,
  });
  const due = new Map<WorkKind, number>();
  for (const [index, kind] of WORK_KINDS.entries()) {
    const milliseconds = row[index];
    if (typeof milliseconds === 'number') due.set(kind, milliseconds);
  }
  return due;
}
