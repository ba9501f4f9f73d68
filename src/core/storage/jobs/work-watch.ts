/** The one statement by which an idle process learns of background work. */
import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

/** The kinds of background work, in the order of the statement's columns. */
export const WORK_KINDS = ['erasures', 'jobs', 'records', 'feeds', 'contents'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** A process that watches for work, and the silence after which it takes another process for dead. */
export interface WatchingProcess {
  /** This process among those that confirm erasures, and the last erasure that its caches reflect. */
  readonly process: string;
  readonly invalidated: number;
  /** This process among those that deliver notifications. */
  readonly worker: string;
  readonly jobSilenceMs: number;
  readonly feedSilenceMs: number;
  /** Seconds, for writers of content. */
  readonly contentSilence: number;
}

const DUE_WORK = defineStatement(
  template(sql`
    select w.erasures, w.jobs, w.records, w.feeds,
           case when andiron.have_content_to_remove(${bind('content_silence')}::int) then 0 end
    from andiron.look_for_work(${bind('process')}, ${bind('invalidated')}::bigint, ${bind('worker')},
                               ${bind('job_silence')}::int, ${bind('feed_silence')}::int) w
    limit 1`),
);

/**
 * Records that the process is alive, and returns the milliseconds until there is work of each kind; 0: now. A kind that
 * has no work at a known time is absent.
 */
export async function findDueWork(
  database: Database,
  { process, invalidated, worker, jobSilenceMs, feedSilenceMs, contentSilence }: WatchingProcess,
): Promise<ReadonlyMap<WorkKind, number>> {
  const [row = []] = await database.run({ lane: 'search', space: undefined }, DUE_WORK, {
    ...{ process, invalidated, worker },
    job_silence: jobSilenceMs,
    feed_silence: feedSilenceMs,
    content_silence: contentSilence,
  });
  const due = new Map<WorkKind, number>();
  for (const [index, kind] of WORK_KINDS.entries()) {
    const milliseconds = row[index];
    if (typeof milliseconds === 'number') due.set(kind, milliseconds);
  }
  return due;
}
