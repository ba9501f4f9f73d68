/**
 * Asynchronous requests (https://hl7.org/fhir/R4/async.html, docs/use/http.md). They are in the database from the start,
 * and any process executes them; if a process dies, another one continues.
 */
import { type JobCounts, type JobExecutor } from '../api/jobs';
import { randomBytes } from 'node:crypto';
import { ANONYMOUS, type Log, type RequestContext } from '../context';
import { fhirError, toIssue } from '../errors';
import { toOutcome } from '../outcome';
import {
  finishJob,
  recoverJobs,
  renewJobs,
  returnJob,
  takeJob,
  type TakenJob,
} from '../storage/jobs/async-job-work';
import {
  addJob,
  findJob,
  readAnswer,
  haveJobs,
  removeJob,
  type JobOutcome,
  type JobRequest,
  type JobState,
} from '../storage/jobs/async-jobs';
import type { Connections } from '../storage/connection/connections';
import type { DatabaseOptions } from '../storage/connection/database';
import type { OwnerSession } from '../storage/connection/owner-session';
import { JobRounds } from './job-rounds';

export interface AsyncJobLimits {
  /** Jobs of one tenant: waiting, running, and finished with a stored answer. */
  readonly maxAsyncJobs: number;
  /** Milliseconds for which an answer is stored. */
  readonly asyncExpiryMs: number;
  /** Longest answer in characters. */
  readonly maxAnswerBytes: number;
}

export interface AsyncJobsOptions {
  readonly database: Connections;
  readonly owner: DatabaseOptions;
  readonly limits: AsyncJobLimits;
  readonly log: Log;
}

/** A process without a heartbeat for this time counts as dead. */
const SILENCE_MS = 10_000;
const MAX_RUNS = 3;
/** Concurrent jobs in one process, so that synchronous requests have the rest of the machine. */
const MAX_RUNNING = 2;
/** Jobs that have waited for longer are not executed. */
const LONGEST_WAIT_MS = 86_400_000;
const JOB_ID = /^[0-9a-f]{32}$/;

const INTERRUPTED: JobOutcome = {
  status: 500,
  body: toOutcome([
    {
      severity: 'error',
      code: 'incomplete',
      diagnostics:
        'The server was stopped while it was at this request. A transaction was then carried out as a whole or not at all, a batch perhaps in part: look before you send it again',
    },
  ]),
};

interface Running {
  readonly job: TakenJob;
  readonly controller: AbortController;
}

export class AsyncJobs {
  readonly #worker = randomBytes(8).toString('hex');
  readonly #running = new Map<string, Running>();
  /** Finished jobs whose outcome is not in the database yet. */
  readonly #finished: { readonly job: TakenJob; readonly outcome: JobOutcome | undefined }[] = [];
  readonly #rounds: JobRounds;
  #execute: JobExecutor | undefined;

  constructor(private readonly options: AsyncJobsOptions) {
    const { database, owner, log } = options;
    this.#rounds = new JobRounds({
      ...{ owner, log, work: 'asynchronous requests' },
      haveWork: () => haveJobs(database),
      isIdle: () => this.#running.size === 0 && this.#finished.length === 0,
      hasUnsaved: () => this.#finished.length > 0,
      round: (session) => this.#round(session),
    });
  }

  /** Queues a request and returns its id. Throws `tooManyJobs`. */
  async submit(context: RequestContext, request: JobRequest): Promise<string> {
    const { space } = context;
    const { database, limits } = this.options;
    const id = randomBytes(16).toString('hex');
    const most = limits.maxAsyncJobs;
    const job = { id, owner: ownerOf(context), request, most, retentionMs: LONGEST_WAIT_MS };
    if (!(await addJob(database, space, job))) throw fhirError('tooManyJobs', { limit: most });
    this.#rounds.wake();
    return id;
  }

  /** Undefined: the caller has no job of this id in the space. */
  async find(context: RequestContext, id: string): Promise<JobState | undefined> {
    const job = JOB_ID.test(id) ? await findJob(this.options.database, context.space, id) : undefined;
    const isOwn =
      context.access?.isAdministrator === true || (job?.owner ?? ANONYMOUS_OWNER) === ownerOf(context);
    if (job === undefined || !isOwn) return undefined;
    if (job.state.state !== 'done') return job.state;
    const body = await readAnswer(this.options.database, context.space, id);
    return body === undefined ? undefined : { ...job.state, body };
  }

  /** Stops a job if it runs, and deletes it. False: `find` would not return the job. */
  async cancel(context: RequestContext, id: string): Promise<boolean> {
    if ((await this.find(context, id)) === undefined) return false;
    if (!(await removeJob(this.options.database, context.space, id))) return false;
    this.#running.get(id)?.controller.abort();
    return true;
  }

  /** Sets the executor; without one, this process executes no jobs. */
  serve(execute: JobExecutor): void {
    this.#execute = execute;
  }

  counts(): JobCounts {
    return { running: this.#running.size, unsaved: this.#finished.length };
  }

  /** Starts the execution of jobs in this process, if it has an executor. */
  start(): void {
    if (this.#execute !== undefined) this.#rounds.start();
  }

  /** Aborts repeatable jobs, which another process restarts, and waits for the others. */
  async close(): Promise<void> {
    this.#rounds.stop();
    for (const { job, controller } of this.#running.values())
      if (job.request.isRepeatable) controller.abort();
    await this.#rounds.close();
  }

  async #round(session: OwnerSession): Promise<void> {
    await this.#save(session);
    await recoverJobs(session, { silence: SILENCE_MS, mostRuns: MAX_RUNS, failure: INTERRUPTED });
    while (this.#execute !== undefined && !this.#rounds.isClosed && this.#running.size < MAX_RUNNING) {
      const job = await takeJob(session, this.#worker);
      if (job === undefined) break;
      void this.#run(job, this.#execute);
    }
    if (this.#running.size === 0) return;
    const wanted = await renewJobs(session, this.#worker);
    for (const [id, { controller }] of this.#running) if (!wanted.has(id)) controller.abort();
  }

  async #save(session: OwnerSession): Promise<void> {
    for (let next = this.#finished[0]; next !== undefined; next = this.#finished[0]) {
      const { job, outcome } = next;
      const expiryMs = this.options.limits.asyncExpiryMs;
      if (outcome === undefined) await returnJob(session, this.#worker, job);
      else
        await finishJob(session, {
          worker: this.#worker,
          jobKey: job,
          jobOutcome: outcome,
          retentionMs: expiryMs,
        });
      this.#finished.shift();
    }
  }

  async #run(job: TakenJob, execute: JobExecutor): Promise<void> {
    const controller = new AbortController();
    this.#running.set(job.id, { job, controller });
    const outcome = await this.#outcomeOf(job, execute, controller.signal);
    this.#running.delete(job.id);
    this.#finished.push({ job, outcome });
    this.#rounds.wake();
  }

  /** Undefined: the job was aborted here and can be restarted. */
  async #outcomeOf(
    job: TakenJob,
    execute: JobExecutor,
    signal: AbortSignal,
  ): Promise<JobOutcome | undefined> {
    const { limits, log } = this.options;
    try {
      const outcome = await execute(job.request, signal);
      if (Buffer.byteLength(outcome.body) <= limits.maxAnswerBytes) return outcome;
      return refusal('The result is too large to be stored; request less, or use Prefer: return=minimal');
    } catch (error) {
      if (signal.aborted) return job.request.isRepeatable ? undefined : INTERRUPTED;
      const reason = error instanceof Error ? error.message : String(error);
      log.error({ reason }, 'an asynchronous request failed');
      return INTERRUPTED;
    }
  }
}

/** Owner of jobs that were stored without one. */
const ANONYMOUS_OWNER = ownerOf({ actor: ANONYMOUS });

/** Returns the owner of a job: the client, the person, and the patient in context. */
function ownerOf({ actor, access }: Pick<RequestContext, 'actor' | 'access'>): string {
  return JSON.stringify([actor, access?.user ?? null, access?.patient ?? null]);
}

function refusal(reason: string): JobOutcome {
  return { status: 422, body: toOutcome([toIssue('tooCostly', { reason })]) };
}
