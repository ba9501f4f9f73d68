/** Asynchronous requests (https://hl7.org/fhir/R4/async.html, docs/use/http.md): jobs of one kind. */
import { randomBytes } from 'node:crypto';
import type { JobCounts, JobExecutor, JobRequest, JobState, StoredRequest } from '../api/jobs';
import { ANONYMOUS, type Log, type RequestContext } from '../context';
import { fhirError, toIssue } from '../errors';
import { toOutcome } from '../outcome';
import type { PrimaryConnections } from '../storage/connection/connections';
import type { JobEnd } from '../storage/jobs/job-work';
import { addJob, cancelJob, findJob, readAnswer, REQUEST } from '../storage/jobs/jobs';
import type { JobRun, JobRunner } from './job-runner';

export interface AsyncJobLimits {
  /** Jobs of one tenant: waiting, running, and finished with a stored answer. */
  readonly maxAsyncJobs: number;
  /** Milliseconds for which an answer is stored. */
  readonly asyncExpiryMs: number;
  /** Longest answer in characters. */
  readonly maxAnswerBytes: number;
}

export interface RequestJobsOptions {
  readonly runner: JobRunner;
  readonly database: PrimaryConnections;
  readonly limits: AsyncJobLimits;
  readonly log: Log;
}

/** Concurrent jobs in one process. */
const MAX_RUNNING = 2;
/** The first time, and two more after the end of a process. Others than searches begin once. */
const MAX_RUNS = 3;
/** Jobs that have waited for longer are not executed. */
const LONGEST_WAIT_MS = 86_400_000;
const JOB_ID = /^[0-9a-f]{32}$/;

const INTERRUPTED: JobEnd = {
  state: 'failed',
  status: 500,
  answer: toOutcome([
    {
      severity: 'error',
      code: 'incomplete',
      diagnostics:
        'The server was stopped while it was at this request. A transaction was then carried out as a whole or not at all, a batch perhaps in part: look before you send it again',
    },
  ]),
};

export class RequestJobs {
  constructor(private readonly options: RequestJobsOptions) {}

  /** Queues a request and returns its id. Throws `tooManyJobs`. */
  async submit(context: RequestContext, request: JobRequest): Promise<string> {
    const { runner, database, limits } = this.options;
    const id = randomBytes(16).toString('hex');
    const most = limits.maxAsyncJobs;
    const added = await addJob(database, context.space.number, {
      ...{ id, kind: REQUEST, most, keptMs: LONGEST_WAIT_MS },
      request: { ...request.details, owner: ownerOf(context) },
      body: request.body,
      mostRuns: request.isRepeatable ? MAX_RUNS : 1,
    });
    if (added === undefined) throw fhirError('tooManyJobs', { limit: most });
    runner.added();
    return id;
  }

  /** Undefined: the caller has no job of this id in the space. */
  async find(context: RequestContext, id: string): Promise<JobState | undefined> {
    const { database } = this.options;
    const key = { space: context.space.number, id };
    const job = JOB_ID.test(id) ? await findJob(database, key, [REQUEST]) : undefined;
    const isOwn =
      context.access?.isAdministrator === true ||
      (job?.request['owner'] ?? ANONYMOUS_OWNER) === ownerOf(context);
    if (job === undefined || !isOwn) return undefined;
    const { state, age, expires = 0, status = 500 } = job;
    if (state === 'queued') return { state: 'waiting', age };
    if (state === 'running') return { state, age };
    const body = await readAnswer(database, key);
    return body === undefined ? undefined : { state: 'done', expires, status, body };
  }

  /** Stops a job if it runs, and deletes it. False: `find` would not return the job. */
  async cancel(context: RequestContext, id: string): Promise<boolean> {
    if ((await this.find(context, id)) === undefined) return false;
    const { runner, database } = this.options;
    const key = { space: context.space.number, id };
    if ((await cancelJob(database, key, [REQUEST], true)) === undefined) return false;
    runner.cancel(id);
    return true;
  }

  /** Sets the executor; without one, this process executes no requests. */
  serve(execute: JobExecutor): void {
    const { runner, limits, log } = this.options;
    runner.serve({
      name: REQUEST,
      concurrency: MAX_RUNNING,
      keptMs: limits.asyncExpiryMs,
      interrupted: INTERRUPTED,
      execute: (run) => this.#execute(run, execute),
      onError(error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.error({ reason }, 'an asynchronous request failed');
        return INTERRUPTED;
      },
    });
  }

  counts(): JobCounts {
    return this.options.runner.counts(REQUEST);
  }

  async #execute(run: JobRun, execute: JobExecutor): Promise<JobEnd> {
    const { limits } = this.options;
    const { body } = run;
    const request: StoredRequest = {
      details: run.request as StoredRequest['details'],
      isRepeatable: run.mostRuns !== 1,
      ...(body === undefined ? {} : { body }),
    };
    const { status, body: answer } = await execute(request, run.signal);
    if (Buffer.byteLength(answer) <= limits.maxAnswerBytes) return { state: 'done', status, answer };
    const reason = 'The result is too large to be stored; request less, or use Prefer: return=minimal';
    return { state: 'done', status: 422, answer: toOutcome([toIssue('tooCostly', { reason })]) };
  }
}

/** Owner of jobs that were stored without one. */
const ANONYMOUS_OWNER = ownerOf({ actor: ANONYMOUS });

/** Returns the owner of a job: the client, the person, and the patient in context. */
function ownerOf({ actor, access }: Pick<RequestContext, 'actor' | 'access'>): string {
  return JSON.stringify([actor, access?.user ?? null, access?.patient ?? null]);
}
