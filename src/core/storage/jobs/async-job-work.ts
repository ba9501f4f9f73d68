/** The work on asynchronous requests of all spaces: statements of the owner. */
import { sql } from 'kysely';
import type { JobOutcome, JobRequest, StoredRequest } from './async-jobs';
import { joinPieces, selectInPieces } from '../connection/long-text';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';

/** Identifies a job among all spaces. */
export interface JobKey {
  readonly space: number;
  readonly id: string;
}

export interface TakenJob extends JobKey {
  readonly request: StoredRequest;
}

/** Takes the oldest job of the tenant with the fewest running jobs. */
const TAKE = defineStatement(
  template(sql`
    update andiron.async_job j
       set state = 'running', worker = ${bind('worker')}, beat = now(), runs = j.runs + 1
      from (select w.space, w.id from andiron.async_job w
            where w.state = 'waiting' and w.expires > now()
            order by (select count(*) from andiron.async_job r where r.tenant = w.tenant and r.state = 'running'),
                     w.created
            limit 1 for update skip locked) as next
     where j.space = next.space and j.id = next.id
    returning j.space, j.id, j.repeatable, j.request`),
);

const READ_BODY = defineStatement(
  template(
    selectInPieces(sql`
      select j.body from andiron.async_job j
      where j.space = ${bind('space')}::int and j.id = ${bind('id')} limit 1`),
  ),
  { named: false },
);

export async function takeJob(session: OwnerSession, worker: string): Promise<TakenJob | undefined> {
  const rows = await session.run(TAKE, { worker });
  const [row] = rows as [number, string, boolean, JobRequest['details']][];
  if (row === undefined) return undefined;
  const [space, id, isRepeatable, details] = row;
  const body = await joinPieces(await session.run(READ_BODY, { space, id }));
  return { space, id, request: { details, isRepeatable, ...(body === undefined ? {} : { body }) } };
}

const BEAT = defineStatement(
  template(sql`
    update andiron.async_job j set beat = now()
    where j.worker = ${bind('worker')} and j.state = 'running' and j.expires > now() returning j.id`),
);

/** Renews the heartbeat of this worker's jobs; returns the ids of those neither removed nor expired. */
export async function renewJobs(session: OwnerSession, worker: string): Promise<ReadonlySet<string>> {
  return new Set((await session.run(BEAT, { worker })).map(([id]) => String(id)));
}

const FINISH = defineStatement(
  template(sql`
    update andiron.async_job j
       set state = 'done', status = ${bind('status')}::int, answer = ${bind('answer')}, body = null,
           expires = now() + ${bind('kept')}::int * interval '1 millisecond'
     where j.space = ${bind('space')}::int and j.id = ${bind('id')} and j.worker = ${bind('worker')}
       and j.state <> 'waiting'
    returning 1`),
);

/**
 * Stores the answer for `retentionMs` milliseconds. It replaces a failure that was stored because this process seemed dead.
 * The answer of a job that was removed meanwhile is discarded.
 */
export async function finishJob(
  session: OwnerSession,
  {
    worker,
    jobKey: { space, id },
    jobOutcome: { status, body },
    retentionMs,
  }: {
    readonly worker: string;
    readonly jobKey: JobKey;
    readonly jobOutcome: JobOutcome;
    readonly retentionMs: number;
  },
): Promise<void> {
  await session.run(FINISH, { space, id, worker, status, answer: body, kept: retentionMs });
}

const RETURN = defineStatement(
  template(sql`
    update andiron.async_job j set state = 'waiting', worker = null, beat = null
    where j.space = ${bind('space')}::int and j.id = ${bind('id')} and j.worker = ${bind('worker')}
      and j.state = 'running'
    returning 1`),
);

/** Puts a job back in the queue, so that another process can run it. */
export async function returnJob(session: OwnerSession, worker: string, { space, id }: JobKey): Promise<void> {
  await session.run(RETURN, { space, id, worker });
}

const RECOVER = defineStatement(
  template(sql`
    update andiron.async_job j
       set state = case when j.repeatable and j.runs < ${bind('most_runs')}::int then 'waiting' else 'done' end,
           worker = case when j.repeatable and j.runs < ${bind('most_runs')}::int then null else j.worker end,
           status = ${bind('status')}::int, answer = ${bind('answer')},
           body = case when j.repeatable and j.runs < ${bind('most_runs')}::int then j.body end
     where j.state = 'running' and j.beat < now() - ${bind('silence')}::int * interval '1 millisecond'
    returning 1`),
);

const EXPIRE = defineStatement(
  template(sql`
    delete from andiron.async_job j
    where (j.space, j.id) in (
      select e.space, e.id from andiron.async_job e where e.expires < now() limit ${bind('limit')}::int)
    returning 1`),
);

/**
 * Recovers running jobs without a heartbeat for `silence` milliseconds: repeatable ones run again, at most `mostRuns`
 * times, and others fail. Expired jobs are deleted.
 */
export async function recoverJobs(
  session: OwnerSession,
  { silence, mostRuns, failure }: { silence: number; mostRuns: number; failure: JobOutcome },
): Promise<void> {
  const { status, body } = failure;
  await session.run(RECOVER, { silence, most_runs: mostRuns, status, answer: body });
  await session.run(EXPIRE, { limit: 1000 });
}
