/** The work on jobs of administration of all tenants: statements of the owner. */
import { sql } from 'kysely';
import type { JsonObject } from '../../fhir/json';
import type { TenantReference } from '../accounts/client-applications';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';

/** A job that this process executes. */
export interface TakenAdministrationJob extends TenantReference {
  readonly id: string;
  /** The name of the tenant. */
  readonly tenant: string;
  readonly kind: string;
  readonly request: JsonObject;
  /** The last report of an earlier run, which has ended before its time. */
  readonly progress: JsonObject | undefined;
  readonly hasContent: boolean;
  /** How often it was begun, this time included. */
  readonly runs: number;
}

/** The end of a job. */
export type AdministrationJobEnd =
  | { readonly state: 'done'; readonly result: object }
  | { readonly state: 'failed'; readonly failure: string }
  | { readonly state: 'cancelled' };

const TAKE = defineStatement(
  template(sql`
    update andiron.administration_job j
       set state = 'running', worker = ${bind('worker')}, beat = now(), runs = j.runs + 1,
           started = coalesce(j.started, now())
      from (select w.tenant, w.id, t.name,
                   (select min(s.number) from andiron.space s where s.tenant = t.number and s.kind = 'data') as space
            from andiron.administration_job w join andiron.tenant t on t.number = w.tenant
            where w.state = 'queued' and w.kind = any (${bind('kinds')}::text[])
            order by w.created limit 1 for update of w skip locked) as next
     where j.tenant = next.tenant and j.id = next.id
    returning j.id, next.name, j.tenant, next.space, j.kind, j.request, j.content is not null, j.runs,
              j.progress`),
);

/** Takes the oldest waiting job of one of the kinds. */
export async function takeAdministrationJob(
  session: OwnerSession,
  worker: string,
  kinds: readonly string[],
): Promise<TakenAdministrationJob | undefined> {
  const rows = (await session.run(TAKE, { worker, kinds })) as [
    string,
    string,
    number,
    number,
    string,
    JsonObject,
    boolean,
    number,
    JsonObject | null,
  ][];
  const [row] = rows;
  if (row === undefined) return undefined;
  const [id, tenant, tenantNumber, number, kind, request, hasContent, runs, progress] = row;
  return {
    ...{ id, tenant, tenantNumber, number, kind, request, hasContent, runs },
    progress: progress ?? undefined,
  };
}

const BEAT = defineStatement(
  template(sql`
    update andiron.administration_job j set beat = now()
    where j.worker = ${bind('worker')} and j.state = 'running' returning j.id, j.cancelled`),
);

/** Renews the heartbeat of this worker's jobs; returns, by their ids, whether each was cancelled. */
export async function renewAdministrationJobs(
  session: OwnerSession,
  worker: string,
): Promise<ReadonlyMap<string, boolean>> {
  const rows = (await session.run(BEAT, { worker })) as [string, boolean][];
  return new Map(rows);
}

const REPORT = defineStatement(
  template(sql`
    update andiron.administration_job j set progress = ${bind('progress')}::jsonb
    where j.tenant = ${bind('tenant')}::int and j.id = ${bind('id')} and j.worker = ${bind('worker')}
      and j.state = 'running'`),
);

export async function reportAdministrationJob(
  session: OwnerSession,
  worker: string,
  { tenantNumber: tenant, id }: TakenAdministrationJob,
  progress: object,
): Promise<void> {
  await session.run(REPORT, { tenant, id, worker, progress: JSON.stringify(progress) });
}

const FINISH = defineStatement(
  template(sql`
    update andiron.administration_job j
       set state = ${bind('state')}, result = ${bind('result')}::jsonb, failure = ${bind('failure')}::text, ended = now(),
           content = null, worker = null, beat = null
     where j.tenant = ${bind('tenant')}::int and j.id = ${bind('id')} and j.worker = ${bind('worker')}
       and j.state = 'running'`),
);

/** Stores the end of a job, unless another process has taken the job since. */
export async function finishAdministrationJob(
  session: OwnerSession,
  worker: string,
  { tenantNumber: tenant, id }: TakenAdministrationJob,
  end: AdministrationJobEnd,
): Promise<void> {
  const result = end.state === 'done' ? JSON.stringify(end.result) : null;
  const failure = end.state === 'failed' ? end.failure : null;
  await session.run(FINISH, { tenant, id, worker, state: end.state, result, failure });
}

const RETURN = defineStatement(
  template(sql`
    update andiron.administration_job j
       set state = 'queued', worker = null, beat = null, runs = j.runs - ${bind('uncounted')}::int
     where j.tenant = ${bind('tenant')}::int and j.id = ${bind('id')} and j.worker = ${bind('worker')}
       and j.state = 'running'`),
);

/** Puts a job back in the queue. `isCounted`: false where this process merely stops. */
export async function returnAdministrationJob(
  session: OwnerSession,
  worker: string,
  { tenantNumber: tenant, id }: TakenAdministrationJob,
  isCounted: boolean,
): Promise<void> {
  await session.run(RETURN, { tenant, id, worker, uncounted: isCounted ? 0 : 1 });
}

const MAY_RUN = sql`j.runs < ${bind('most_runs')}::int`;
const RECOVER = defineStatement(
  template(sql`
    update andiron.administration_job j
       set state = case when j.cancelled then 'cancelled' when ${MAY_RUN} then 'queued' else 'failed' end,
           failure = case when j.cancelled or ${MAY_RUN} then null else ${bind('failure')}::text end,
           ended = case when j.cancelled or not (${MAY_RUN}) then now() end,
           content = case when not j.cancelled and ${MAY_RUN} then j.content end,
           worker = null, beat = null
     where j.state = 'running' and j.beat < now() - ${bind('silence')}::int * interval '1 millisecond'`),
);
const EXPIRE = defineStatement(
  template(sql`
    delete from andiron.administration_job j
    where (j.tenant, j.id) in (
      select e.tenant, e.id from andiron.administration_job e
      where e.ended < now() - ${bind('kept')}::bigint * interval '1 millisecond' limit ${bind('limit')}::int)`),
);

/**
 * Recovers running jobs without a heartbeat for `silence` milliseconds: they run again, at most `mostRuns` times in all,
 * or fail. Jobs that ended more than `keptMs` ago are removed.
 */
export async function recoverAdministrationJobs(
  session: OwnerSession,
  {
    silence,
    mostRuns,
    failure,
    keptMs,
  }: {
    readonly silence: number;
    readonly mostRuns: number;
    readonly failure: string;
    readonly keptMs: number;
  },
): Promise<void> {
  await session.run(RECOVER, { silence, most_runs: mostRuns, failure });
  await session.run(EXPIRE, { kept: keptMs, limit: 1000 });
}
