/**
 * Jobs of administration (docs/run/operations.md). They are in the database from the start, and any process executes them;
 * if a process dies, another one begins them again.
 */
import { randomBytes } from 'node:crypto';
import {
  AdministrationJobError,
  type AdministrationJob,
  type AdministrationJobExecutor,
  type AdministrationJobKind,
  type AdministrationJobs as AdministrationJobsOfCore,
  type NewAdministrationJob,
} from '../api/administration-jobs';
import { whileBusy } from '../concurrency/while-busy';
import type { Log } from '../context';
import { FhirError, fhirError } from '../errors';
import type { TenantReference } from '../storage/accounts/client-applications';
import type { Connections } from '../storage/connection/connections';
import type { DatabaseOptions } from '../storage/connection/database';
import type { OwnerSession } from '../storage/connection/owner-session';
import {
  finishAdministrationJob,
  recoverAdministrationJobs,
  renewAdministrationJobs,
  reportAdministrationJob,
  returnAdministrationJob,
  takeAdministrationJob,
  type AdministrationJobEnd,
  type TakenAdministrationJob,
} from '../storage/jobs/administration-job-work';
import { AdministrationJobStore, type StoredAdministrationJob } from '../storage/jobs/administration-jobs';
import type { TenantRow, TenantStore } from '../storage/tenants/tenants';
import { JobRounds } from './job-rounds';

export interface AdministrationJobsOptions {
  readonly database: Connections;
  readonly owner: DatabaseOptions;
  readonly tenants: Pick<TenantStore, 'find'>;
  readonly log: Log;
}

/** A process without a heartbeat for this time counts as dead. */
const SILENCE_MS = 10_000;
/** The first time, and two more after the end of a process. */
const MAX_RUNS = 3;
const ENDED_LIMITS = { keptMs: 7 * 86_400_000, most: 100 };
const JOB_ID = /^[0-9a-f]{32}$/;
const TENANT_NAME = /^[a-z0-9-]{1,63}$/;
const INTERRUPTED = `The processes that executed the job have stopped before its end, ${MAX_RUNS} times`;

/** Why a running job is stopped: it was cancelled, this process stops, or another process has the job. */
type StopReason = 'cancelled' | 'stopping' | 'lost';

/** What becomes of a job that has stopped; `returned`: it is repeated. */
type Outcome = AdministrationJobEnd | { readonly state: 'returned'; readonly isCounted: boolean };

interface Running {
  readonly job: TakenAdministrationJob;
  readonly controller: AbortController;
  stopReason: StopReason | undefined;
  /** A report that is not stored yet. */
  progress: object | undefined;
}

export class AdministrationJobs implements AdministrationJobsOfCore {
  readonly #worker = randomBytes(8).toString('hex');
  readonly #store: AdministrationJobStore;
  readonly #rounds: JobRounds;
  readonly #executors = new Map<string, AdministrationJobExecutor>();
  readonly #running = new Map<string, Running>();
  /** Jobs that have stopped; the database does not know yet. */
  readonly #finished: { readonly running: Running; readonly outcome: Outcome }[] = [];

  constructor(private readonly options: AdministrationJobsOptions) {
    const { database, owner, log } = options;
    this.#store = new AdministrationJobStore(database, owner, ENDED_LIMITS);
    this.#rounds = new JobRounds({
      ...{ owner, log, work: 'jobs of administration' },
      haveWork: () => this.#store.haveWork(),
      isIdle: () => this.#running.size === 0 && this.#finished.length === 0,
      hasUnsaved: () => this.#finished.length > 0,
      round: (session) => this.#round(session),
    });
  }

  async submit(tenant: string, { kind, request, content }: NewAdministrationJob): Promise<AdministrationJob> {
    const row = await this.#find(tenant);
    // A disabled tenant is not written to, but its index may be repaired.
    if (row.status !== 'active' && !(row.status === 'disabled' && kind === 'reindex'))
      throw fhirError('tenantBusy', { tenant, status: row.status });
    const space = spaceOf(row);
    const id = randomBytes(16).toString('hex');
    const open = await this.#store.add(space, { id, kind, request, content });
    if (open !== undefined) throw fhirError('jobUnderWay', { tenant, kind, id: open });
    this.#rounds.wake();
    const stored = await this.#store.find(space, id);
    if (stored === undefined) throw fhirError('storageUnavailable');
    return toJob(stored);
  }

  async list(tenant: string): Promise<readonly AdministrationJob[]> {
    return (await this.#store.list(spaceOf(await this.#find(tenant)))).map(toJob);
  }

  async find(tenant: string, id: string): Promise<AdministrationJob | undefined> {
    const space = spaceOf(await this.#find(tenant));
    const stored = JOB_ID.test(id) ? await this.#store.find(space, id) : undefined;
    return stored && toJob(stored);
  }

  async cancel(tenant: string, id: string): Promise<AdministrationJob | 'removed' | undefined> {
    const space = spaceOf(await this.#find(tenant));
    const cancelled = JOB_ID.test(id) ? await this.#store.cancel(space, id) : undefined;
    if (cancelled === undefined || cancelled === 'removed') return cancelled;
    const running = this.#running.get(id);
    if (running !== undefined) stop(running, 'cancelled');
    const stored = await this.#store.find(space, id);
    return stored && toJob(stored);
  }

  serve(kind: AdministrationJobKind, execute: AdministrationJobExecutor): void {
    this.#executors.set(kind, execute);
  }

  /** Starts the execution of jobs in this process. */
  start(): void {
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    this.#rounds.stop();
    for (const running of this.#running.values()) stop(running, 'stopping');
    await this.#rounds.close();
  }

  async #find(tenant: string): Promise<TenantRow> {
    const row = TENANT_NAME.test(tenant) ? await this.options.tenants.find(tenant) : undefined;
    if (row === undefined) throw fhirError('unknownTenant');
    return row;
  }

  async #round(session: OwnerSession): Promise<void> {
    await this.#save(session);
    const { keptMs } = ENDED_LIMITS;
    await recoverAdministrationJobs(session, {
      ...{ silence: SILENCE_MS, mostRuns: MAX_RUNS, failure: INTERRUPTED },
      keptMs,
    });
    while (!this.#rounds.isClosed) {
      // One of each kind at a time, so that a long reindex does not delay imports, and requests have most of the machine.
      const busy = new Set([...this.#running.values()].map(({ job }) => job.kind));
      const kinds = [...this.#executors.keys()].filter((kind) => !busy.has(kind));
      const job = kinds.length === 0 ? undefined : await takeAdministrationJob(session, this.#worker, kinds);
      const execute = job && this.#executors.get(job.kind);
      if (job === undefined || execute === undefined) break;
      void this.#run(job, execute);
    }
    if (this.#running.size === 0) return;
    const ours = await renewAdministrationJobs(session, this.#worker);
    for (const [id, running] of this.#running) {
      const isCancelled = ours.get(id);
      if (isCancelled !== false) stop(running, isCancelled === undefined ? 'lost' : 'cancelled');
      await this.#saveProgress(session, running);
    }
  }

  async #save(session: OwnerSession): Promise<void> {
    for (let next = this.#finished[0]; next !== undefined; next = this.#finished[0]) {
      const { running, outcome } = next;
      await this.#saveProgress(session, running);
      if (outcome.state === 'returned')
        await returnAdministrationJob(session, this.#worker, running.job, outcome.isCounted);
      else await finishAdministrationJob(session, this.#worker, running.job, outcome);
      this.#finished.shift();
    }
  }

  async #saveProgress(session: OwnerSession, running: Running): Promise<void> {
    const { job, progress } = running;
    if (progress === undefined) return;
    running.progress = undefined;
    await reportAdministrationJob(session, this.#worker, job, progress);
  }

  async #run(job: TakenAdministrationJob, execute: AdministrationJobExecutor): Promise<void> {
    const running: Running = {
      job,
      controller: new AbortController(),
      stopReason: undefined,
      progress: undefined,
    };
    this.#running.set(job.id, running);
    const outcome = await this.#outcomeOf(running, execute);
    this.#running.delete(job.id);
    this.#finished.push({ running, outcome });
    this.#rounds.wake();
  }

  async #outcomeOf(running: Running, execute: AdministrationJobExecutor): Promise<Outcome> {
    const { job, controller } = running;
    const { id, tenant, request } = job;
    let earlier = job.progress;
    try {
      // After these attempts a later round begins it again.
      const result = await whileBusy(
        () =>
          execute({
            ...{ id, tenant, request, earlier },
            content: job.hasContent ? this.#store.content(job, id) : undefined,
            signal: controller.signal,
            report: (progress) => void (running.progress = earlier = progress),
          }),
        { signal: controller.signal },
      );
      return { state: 'done', result };
    } catch (error) {
      return outcomeOfError(running, error, this.options.log);
    }
  }
}

function outcomeOfError({ job: { id, runs }, stopReason }: Running, error: unknown, log: Log): Outcome {
  if (stopReason === 'cancelled') return { state: 'cancelled' };
  if (stopReason !== undefined) return { state: 'returned', isCounted: false };
  if (error instanceof FhirError && error.status === 503 && runs < MAX_RUNS)
    return { state: 'returned', isCounted: true };
  if (error instanceof FhirError || error instanceof AdministrationJobError)
    return { state: 'failed', failure: error.message };
  const reason = error instanceof Error ? error.message : String(error);
  log.error({ reason, job: id }, 'a job of administration failed');
  return {
    state: 'failed',
    failure: 'Something went wrong inside the server; the log names it under the id of the job',
  };
}

function stop(running: Running, reason: StopReason): void {
  running.stopReason ??= reason;
  running.controller.abort();
}

/** The space of its connections, of which a tenant has several. */
function spaceOf({ number: tenantNumber, spaces }: TenantRow): TenantReference {
  const [number] = Object.values(spaces);
  if (number === undefined) throw fhirError('unknownTenant');
  return { number, tenantNumber };
}

function toJob({ isCancelled, ...stored }: StoredAdministrationJob): AdministrationJob {
  return { ...stored, isBeingCancelled: isCancelled && stored.state === 'running' };
}
