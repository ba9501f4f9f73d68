/** Jobs of administration (docs/run/operations.md), each kind of which a tenant has one open job at a time. */
import { randomBytes } from 'node:crypto';
import {
  ADMINISTRATION_JOBS,
  AdministrationJobError,
  type AdministrationJob,
  type AdministrationJobExecutor,
  type AdministrationJobKind,
  type AdministrationJobs as AdministrationJobsOfCore,
  type JobBeginner,
  type NewAdministrationJob,
} from '../api/administration-jobs';
import { isBusy, whileBusy } from '../concurrency/while-busy';
import type { Log } from '../context';
import { FhirError, fhirError } from '../errors';
import { isJsonObject, type JsonObject } from '../fhir/json';
import type { RateLimiter } from '../limits/rate-limiter';
import type { Rate } from '../memory/rate';
import type { PrimaryConnections } from '../storage/connection/connections';
import type { TakenJob } from '../storage/jobs/job-work';
import { addJob, cancelJob, findJob, listJobs, readContent, type StoredJob } from '../storage/jobs/jobs';
import type { TenantRow, TenantStore } from '../storage/tenants/tenants';
import { isTenantName } from '../tenants/spaces';
import { BULK_JOBS, listBulkJobs } from './bulk-jobs';
import type { JobOutcome, JobRun, JobRunner } from './job-runner';

export interface AdministrationJobsOptions {
  readonly runner: JobRunner;
  readonly database: PrimaryConnections;
  readonly tenants: Pick<TenantStore, 'find'>;
  readonly rates: Pick<RateLimiter, 'take'>;
  readonly log: Log;
}

/** Outgoing requests of the jobs of one tenant, imports among them, over all processes: those of some 60 packages, of which each takes two. */
export const FETCHES: readonly Rate[] = [{ quota: 120, windowMs: 60_000 }];

/** The first time, and two more after the end of a process. */
const MAX_RUNS = 3;
const KEPT_MS = 7 * 86_400_000;
/** Ended jobs of a tenant. */
const MOST_ENDED = 100;
const JOB_ID = /^[0-9a-f]{32}$/;
const INTERRUPTED = `The processes that executed the job have stopped before its end, ${MAX_RUNS} times`;

export class AdministrationJobs implements AdministrationJobsOfCore {
  constructor(private readonly options: AdministrationJobsOptions) {}

  async submit(
    tenant: string,
    { kind, request: asked, by, content }: NewAdministrationJob,
  ): Promise<AdministrationJob> {
    const row = await this.#find(tenant);
    // A disabled tenant is not written to, but its index may be repaired.
    if (row.status !== 'active' && !(row.status === 'disabled' && kind === 'reindex'))
      throw fhirError('tenantBusy', { tenant, status: row.status });
    const { runner, database } = this.options;
    const space = spaceOf(row);
    const id = randomBytes(16).toString('hex');
    const request = by === undefined ? asked : { ...asked, by };
    const job = { id, kind, request, content, mostRuns: MAX_RUNS, most: MOST_ENDED };
    const added = await addJob(database, space, job);
    if (added !== id) throw fhirError('jobUnderWay', { tenant, kind, id: String(added) });
    runner.added();
    const stored = await findJob(database, { space, id }, ADMINISTRATION_JOBS);
    if (stored === undefined) throw fhirError('storageUnavailable');
    return toJob(stored);
  }

  async list(tenant: string): Promise<readonly AdministrationJob[]> {
    const { database } = this.options;
    const row = await this.#find(tenant);
    const limit = MOST_ENDED + ADMINISTRATION_JOBS.length;
    const own = (await listJobs(database, spaceOf(row), ADMINISTRATION_JOBS, limit)).map(toJob);
    return [...own, ...(await listBulkJobs(database, row.spaces))].toSorted((a, b) => b.created - a.created);
  }

  async find(tenant: string, id: string): Promise<AdministrationJob | undefined> {
    const { database } = this.options;
    const row = await this.#find(tenant);
    if (!JOB_ID.test(id)) return undefined;
    const stored = await findJob(database, { space: spaceOf(row), id }, ADMINISTRATION_JOBS);
    if (stored !== undefined) return toJob(stored);
    return (await listBulkJobs(database, row.spaces, id))[0];
  }

  async cancel(tenant: string, id: string): Promise<AdministrationJob | 'removed' | undefined> {
    const { runner, database } = this.options;
    const row = await this.#find(tenant);
    if (!JOB_ID.test(id)) return undefined;
    const key = { space: spaceOf(row), id };
    const cancelled = await cancelJob(database, key, ADMINISTRATION_JOBS, false);
    if (cancelled === undefined) return this.#removeBulkJob(row, id);
    if (cancelled === 'removed') return 'removed';
    runner.cancel(id);
    const stored = await findJob(database, key, ADMINISTRATION_JOBS);
    return stored && toJob(stored);
  }

  serve(kind: AdministrationJobKind, execute: AdministrationJobExecutor): void {
    const { runner, log } = this.options;
    runner.serve({
      name: kind,
      // A long reindex does not delay imports, and requests have most of the machine.
      concurrency: 1,
      keptMs: KEPT_MS,
      interrupted: { state: 'failed', failure: INTERRUPTED },
      execute: async (run) => ({ state: 'done', result: await this.#execute(run, execute) }),
      onError: (error, job) => outcomeOfError(error, job, log),
    });
  }

  async #find(tenant: string): Promise<TenantRow> {
    const row = isTenantName(tenant) ? await this.options.tenants.find(tenant) : undefined;
    if (row === undefined) throw fhirError('unknownTenant');
    return row;
  }

  /** Removes an export or import in any state, as when its client does so. */
  async #removeBulkJob({ spaces }: TenantRow, id: string): Promise<'removed' | undefined> {
    const { runner, database } = this.options;
    for (const space of Object.values(spaces)) {
      if ((await cancelJob(database, { space, id }, BULK_JOBS, true)) === undefined) continue;
      runner.cancel(id);
      // What belongs to it is removed by a round of work.
      runner.wake();
      return 'removed';
    }
    return undefined;
  }

  async #admitFetch(name: string): Promise<boolean> {
    const { number } = await this.#find(name);
    const counted = { tenant: number, kind: 'fetches', name: '', rates: FETCHES };
    return (await this.options.rates.take([counted])).isAdmitted;
  }

  #execute(run: JobRun, execute: AdministrationJobExecutor): Promise<object> {
    const { id, tenant, signal, hasContent } = run;
    const { request, by } = splitRequest(run.request);
    let earlier = run.progress;
    // After these attempts a later round begins it again.
    return whileBusy(
      () =>
        execute({
          ...{ id, tenant, request, by, earlier, signal },
          content: hasContent ? readContent(this.options.database, run) : undefined,
          report(progress) {
            earlier = progress;
            run.report(progress);
          },
          admitFetch: () => this.#admitFetch(tenant),
        }),
      { signal },
    );
  }
}

function outcomeOfError(error: unknown, { id, runs }: TakenJob, log: Log): JobOutcome {
  if (isBusy(error) && runs < MAX_RUNS) return { isCounted: true };
  if (error instanceof FhirError || error instanceof AdministrationJobError)
    return { state: 'failed', failure: error.message };
  const reason = error instanceof Error ? error.message : String(error);
  log.error({ reason, job: id }, 'a job of administration failed');
  return {
    state: 'failed',
    failure: 'An internal error occurred; the log has its cause under the id of the job',
  };
}

/** The first data space of a tenant, which has its jobs. */
function spaceOf({ spaces }: TenantRow): number {
  const numbers = Object.values(spaces);
  if (numbers.length === 0) throw fhirError('unknownTenant');
  return Math.min(...numbers);
}

function toJob({ isCancelled, ...stored }: StoredJob): AdministrationJob {
  const { id, kind, state, progress, result, failure, created, started, ended } = stored;
  return {
    ...splitRequest(stored.request),
    ...{ id, kind, state, progress, result, failure, created, started, ended },
    isBeingCancelled: isCancelled && state === 'running',
  };
}

/** Separates what was asked for from who has asked for it, which are stored together. */
function splitRequest({ by, ...request }: JsonObject): {
  readonly request: JsonObject;
  readonly by: JobBeginner | undefined;
} {
  if (!isJsonObject(by) || typeof by['client'] !== 'string') return { request, by: undefined };
  const text = (name: string): string | undefined => {
    const value = by[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [person, address, requestId = ''] = ['person', 'address', 'requestId'].map(text);
  return { request, by: { client: by['client'], person, address, requestId } };
}
