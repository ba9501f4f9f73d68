/** The work on jobs of all spaces: statements of the owner. */
import { sql } from 'kysely';
import type { JsonObject } from '../../fhir/json';
import { joinPieces, selectInPieces } from '../connection/long-text';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';
import { JOB_KIND, type JobKey } from './jobs';

/** A job that this process executes. */
export interface TakenJob extends JobKey {
  readonly kind: string;
  /** The name of the tenant. */
  readonly tenant: string;
  readonly request: JsonObject;
  /** The last report of an earlier run, which has ended before its time. */
  readonly progress: JsonObject | undefined;
  readonly body: Buffer | undefined;
  readonly hasContent: boolean;
  /** How often it was begun, this time included. */
  readonly runs: number;
  /** How often it may be begun; undefined: without a limit. */
  readonly mostRuns: number | undefined;
}

/** A running job whose process is silent. */
export interface SilentJob extends JobKey {
  readonly kind: string;
  readonly worker: string;
  readonly isCancelled: boolean;
  /** False: it has been begun as often as it may be. */
  readonly mayRun: boolean;
}

/** The end of a job, of which the members are stored that its kind has. */
export interface JobEnd {
  readonly state: 'done' | 'failed' | 'cancelled';
  readonly result?: object;
  readonly failure?: string;
  readonly status?: number;
  /** Text, or its bytes in UTF-8. */
  readonly answer?: string | Buffer;
}

/** The process that has a job, and how long it has been silent at least: 0 for this process. */
export interface JobHolder {
  readonly worker: string;
  readonly silenceMs: number;
}

export interface EndedJob {
  readonly end: JobEnd;
  /** Milliseconds until it is removed. */
  readonly keptMs: number;
  /** The last report, where it is not stored yet. */
  readonly progress?: object | undefined;
}

export interface ReturnedJob {
  /** False where its process merely stops. */
  readonly isCounted: boolean;
  /** Milliseconds until it may begin again. */
  readonly delayMs?: number | undefined;
  /** The last report, where it is not stored yet. */
  readonly progress?: object | undefined;
}

const IS_JOB = sql`j.space = ${bind('space')}::int and j.id = ${bind('id')}`;
const IS_CONTENT = sql`c.space = ${bind('space')}::int and c.id = ${bind('id')}`;
/** A job that has ended has no heartbeat. */
const IS_HELD = sql`
  j.worker = ${bind('worker')}
  and (j.beat is null or j.beat <= now() - ${bind('silence')}::int * interval '1 millisecond')`;

/** Jobs that may be taken, the next one first: others may take them meanwhile. */
const DUE = defineStatement(
  template(sql`
    with running as materialized (
      select r.tenant, split_part(r.kind, '/', 1) as kind, count(*) as jobs
      from andiron.job r where r.state = 'running' group by 1, 2
    )
    select w.space, w.id, t.name
    from andiron.job w join andiron.tenant t on t.number = w.tenant
    left join running r on r.tenant = w.tenant and r.kind = split_part(w.kind, '/', 1)
    where w.state = 'queued' and w.due <= now() and split_part(w.kind, '/', 1) = any (${bind('kinds')}::text[])
      and (w.expires is null or w.expires > now())
      and not exists (
        select 1 from unnest(${bind('full_kinds')}::text[], ${bind('full_tenants')}::text[]) as f (kind, tenant)
        where f.kind = split_part(w.kind, '/', 1) and f.tenant = t.name)
    order by coalesce(r.jobs, 0), w.created
    limit ${bind('limit')}::int`),
);
const MOST_DUE = 20;
const TAKE = defineStatement(
  template(sql`
    update andiron.job j
       set state = 'running', worker = ${bind('worker')}, beat = now(), runs = j.runs + 1,
           started = least(j.started, now())
     where ${IS_JOB} and j.state = 'queued' and j.due <= now() and (j.expires is null or j.expires > now())
    returning ${JOB_KIND}, j.runs, j.most_runs`),
);
const READ_REQUEST = defineStatement(
  template(sql`
    select c.request, c.progress, c.content is not null from andiron.job_content c where ${IS_CONTENT} limit 1`),
);
const READ_BODY = defineStatement(
  template(
    selectInPieces(
      sql`select c.body from andiron.job_content c where ${IS_CONTENT} and c.body is not null limit 1`,
    ),
  ),
  { named: false },
);

/** A tenant that has as many jobs of a kind in this process as it may have. */
export interface FullTenant {
  readonly kind: string;
  readonly tenant: string;
}

/**
 * Takes the oldest job of one of the kinds that is due, of the tenant with the fewest running ones; none of `full`. It runs for others only when
 * it is read as a whole: a request that is under way when it is cancelled is still executed.
 */
export async function takeJob(
  session: OwnerSession,
  worker: string,
  kinds: readonly string[],
  full: readonly FullTenant[],
): Promise<TakenJob | undefined> {
  const bound = {
    kinds,
    full_kinds: full.map(({ kind }) => kind),
    full_tenants: full.map(({ tenant }) => tenant),
    limit: MOST_DUE,
  };
  for (;;) {
    const due = (await session.run(DUE, bound)) as [space: number, id: string, tenant: string][];
    for (const [space, id, tenant] of due) {
      const taken = await session.transaction(() => take(session, worker, { space, id, tenant }));
      if (taken !== undefined) return taken;
    }
    if (due.length < MOST_DUE) return undefined;
  }
}

/** Undefined: another process has taken or removed it. */
async function take(
  session: OwnerSession,
  worker: string,
  { space, id, tenant }: JobKey & { readonly tenant: string },
): Promise<TakenJob | undefined> {
  const rows = await session.run(TAKE, { space, id, worker });
  const [row] = rows as [string, number, number | null][];
  if (row === undefined) return undefined;
  const [kind, runs, mostRuns] = row;
  const contents = (await session.run(READ_REQUEST, { space, id })) as [
    JsonObject,
    JsonObject | null,
    boolean,
  ][];
  // A job that follows from other tables has no content.
  const [[request, progress, hasContent] = [{}, null, false] as const] = contents;
  const body = await joinPieces(await session.run(READ_BODY, { space, id }));
  return {
    ...{ space, id, kind, tenant, runs, request, body, hasContent },
    mostRuns: mostRuns ?? undefined,
    progress: progress ?? undefined,
  };
}

const BEAT = defineStatement(
  template(sql`
    update andiron.job j set beat = now()
    where j.worker = ${bind('worker')} and j.state = 'running' and (j.expires is null or j.expires > now())
    returning j.id, j.cancelled`),
);

/**
 * Renews the heartbeat of this worker's jobs. Returns, by the ids of those that are neither removed nor expired, whether each was
 * cancelled.
 */
export async function renewJobs(
  session: OwnerSession,
  worker: string,
): Promise<ReadonlyMap<string, boolean>> {
  return new Map((await session.run(BEAT, { worker })) as [string, boolean][]);
}

const REPORT = defineStatement(
  template(sql`update andiron.job_content c set progress = ${bind('progress')}::jsonb where ${IS_CONTENT}`),
);

/** Stores the progress of a job that this process has. */
export async function reportJob(
  session: OwnerSession,
  { space, id }: JobKey,
  progress: object,
): Promise<void> {
  await session.run(REPORT, { space, id, progress: JSON.stringify(progress) });
}

/** Nobody needs the lines of an import that has ended, and they are data of patients. */
const END = defineStatement(
  template(sql`
    with ended as (
      update andiron.job j
         set state = ${bind('state')}, ended = now(), beat = null,
             expires = now() + ${bind('kept')}::bigint * interval '1 millisecond'
       where ${IS_JOB} and ${IS_HELD} and j.state not in ('queued', 'cancelled')
      returning j.id, j.kind
    ),
    forgotten as (
      update andiron.import_chunk h set content = null from ended e
      where h.space = ${bind('space')}::int and h.id = e.id and e.kind like 'import/%' and h.content is not null
    )
    select 1 from ended limit 1`),
);
const END_CONTENT = defineStatement(
  template(sql`
    update andiron.job_content c
       set progress = coalesce(${bind('progress')}::jsonb, c.progress), result = ${bind('result')}::jsonb,
           failure = ${bind('failure')}::text, status = ${bind('status')}::int, answer = ${bind('answer')}::text,
           body = null, content = null
     where ${IS_CONTENT}`),
  { named: false },
);

/**
 * Stores the end of a job for `keptMs` milliseconds, unless it was removed, or another process has it since. It replaces a failure
 * that was stored because the process seemed dead.
 */
export async function endJob(
  session: OwnerSession,
  { worker, silenceMs }: JobHolder,
  { space, id }: JobKey,
  { end: { state, result, failure, status, answer }, keptMs, progress }: EndedJob,
): Promise<void> {
  await session.transaction(async () => {
    const bound = { space, id, worker, silence: silenceMs, state, kept: keptMs };
    if ((await session.run(END, bound)).length === 0) return;
    await session.run(END_CONTENT, {
      ...{ space, id, failure: failure ?? null, status: status ?? null, answer: answer ?? null },
      result: result === undefined ? null : JSON.stringify(result),
      progress: progress === undefined ? null : JSON.stringify(progress),
    });
  });
}

const RETURN = defineStatement(
  template(sql`
    update andiron.job j
       set state = 'queued', worker = null, beat = null, runs = j.runs - ${bind('uncounted')}::int,
           due = now() + ${bind('delay')}::int * interval '1 millisecond'
     where ${IS_JOB} and ${IS_HELD} and j.state = 'running'
    returning 1`),
);

/** Puts a job back in the queue. */
export async function returnJob(
  session: OwnerSession,
  { worker, silenceMs }: JobHolder,
  { space, id }: JobKey,
  { isCounted, delayMs = 0, progress }: ReturnedJob,
): Promise<void> {
  const bound = { space, id, worker, silence: silenceMs, uncounted: isCounted ? 0 : 1, delay: delayMs };
  const isReturned = (await session.run(RETURN, bound)).length > 0;
  if (isReturned && progress !== undefined) await reportJob(session, { space, id }, progress);
}

const MOST_AT_ONCE = 1_000;
const SILENT = defineStatement(
  template(sql`
    select j.space, j.id, ${JOB_KIND}, j.worker, j.cancelled, j.most_runs is null or j.runs < j.most_runs
    from andiron.job j
    where j.state = 'running' and j.beat < now() - ${bind('silence')}::int * interval '1 millisecond'
    limit ${bind('limit')}::int`),
);

/** Reads running jobs without a heartbeat for `silenceMs` milliseconds. */
export async function readSilentJobs(
  session: OwnerSession,
  silenceMs: number,
): Promise<readonly SilentJob[]> {
  const rows = await session.run(SILENT, { silence: silenceMs, limit: MOST_AT_ONCE });
  return (rows as [number, string, string, string, boolean, boolean][]).map(
    ([space, id, kind, worker, isCancelled, mayRun]) => ({ space, id, kind, worker, isCancelled, mayRun }),
  );
}

const EXPIRED = defineStatement(
  template(sql`
    select j.space, j.id from andiron.job j where j.expires < now() limit ${bind('limit')}::int`),
);
const REMOVE = defineStatement(
  template(sql`delete from andiron.job j where ${IS_JOB} and j.expires < now()`),
);
const REMOVE_CONTENT = defineStatement(template(sql`delete from andiron.job_content c where ${IS_CONTENT}`));

/** Removes jobs that have expired. */
export async function removeExpiredJobs(session: OwnerSession): Promise<void> {
  for (const [space, id] of (await session.run(EXPIRED, { limit: MOST_AT_ONCE })) as [number, string][]) {
    await session.run(REMOVE_CONTENT, { space, id });
    await session.run(REMOVE, { space, id });
  }
}

/** Requests of the spaces, and ended jobs of other kinds of their tenant: one that has not ended names no resource. */
const OF_SPACES = defineStatement(
  template(sql`
    select j.space, array_agg(j.id) from andiron.job j
    where j.tenant = (select s.tenant from andiron.space s where s.number = any (${bind('spaces')}::int[]) limit 1)
      and case j.kind when 'request' then j.space = any (${bind('spaces')}::int[]) else j.ended is not null end
    group by j.space limit ${bind('limit')}::int`),
  { named: false },
);
const REMOVE_NAMING = defineStatement(
  template(sql`
    delete from andiron.job_content c
    where c.space = ${bind('space')}::int and c.id = any (${bind('ids')}::text[])
      and position('$purge' in c.request::text) = 0
      and exists (select 1 from unnest(${bind('texts')}::text[]) as x (text)
                  where position(x.text in concat(c.request, c.progress, c.result, c.failure)) > 0
                     or position(x.text in c.body) > 0 or position(x.text in c.answer) > 0)
    returning c.id`),
  { named: false },
);
const REMOVE_REFUSALS = defineStatement(
  template(sql`
    delete from andiron.import_error e
    where e.space = any (${bind('spaces')}::int[])
      and exists (select 1 from unnest(${bind('texts')}::text[]) as x (text) where position(x.text in e.outcome) > 0)`),
  { named: false },
);
const REMOVE_JOBS = defineStatement(
  template(sql`
    delete from andiron.job j where j.space = ${bind('space')}::int and j.id = any (${bind('ids')}::text[])`),
);
const RESTART = defineStatement(
  template(sql`
    update andiron.job j set state = 'queued', worker = null, beat = null
    where j.space = any (${bind('spaces')}::int[]) and j.state = 'running'
      and (j.kind = 'request' and j.most_runs > 1 or ${JOB_KIND} = 'export')`),
  { named: false },
);

/**
 * Removes jobs that mention one of the texts, except purges, and returns their number. Requests that may have read data from
 * before the purge begin again if they change nothing.
 */
export async function purgeJobs(
  session: OwnerSession,
  spaces: readonly number[],
  texts: readonly string[],
): Promise<number> {
  let removed = 0;
  const jobs = await session.run(OF_SPACES, { spaces: [...spaces], limit: MOST_AT_ONCE });
  for (const [space, ids] of jobs as [number, string[]][]) {
    const naming = (await session.run(REMOVE_NAMING, { space, ids, texts: [...texts] })).map(([id]) =>
      String(id),
    );
    await session.run(REMOVE_JOBS, { space, ids: naming });
    removed += naming.length;
  }
  await session.run(REMOVE_REFUSALS, { spaces: [...spaces], texts: [...texts] });
  await session.run(RESTART, { spaces: [...spaces] });
  return removed;
}
