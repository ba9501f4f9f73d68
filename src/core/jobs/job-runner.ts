/**
 * The work on jobs of all kinds. They are in the database from the start, and any process executes them; if a process dies,
 * another one begins them again.
 */
import { randomBytes } from 'node:crypto';
import type { JobCounts } from '../api/jobs';
import { PollingLoop } from '../concurrency/polling-loop';
import type { Log } from '../context';
import type { JsonObject } from '../fhir/json';
import type { DatabaseOptions } from '../storage/connection/database';
import { isNoDatabaseTrouble } from '../storage/connection/database-error';
import { OwnerSession } from '../storage/connection/owner-session';
import {
  endJob,
  readSilentJobs,
  removeExpiredJobs,
  renewJobs,
  reportJob,
  returnJob,
  takeJob,
  type FullTenant,
  type JobEnd,
  type JobHolder,
  type ReturnedJob,
  type TakenJob,
} from '../storage/jobs/job-work';
import type { JobKey } from '../storage/jobs/jobs';

/** A kind of jobs, and how this process executes them. */
export interface JobKind {
  readonly name: string;
  /** Concurrent jobs of the kind in one process, so that requests have the rest of the machine. */
  readonly concurrency: number;
  /** Those of one tenant, so that others need not wait for its long ones; without it as many as `concurrency`. */
  readonly concurrencyOfTenant?: number;
  /** Milliseconds for which an ended job is kept. */
  readonly keptMs: number;
  /** The end of a job that may not begin again after its process has died. */
  readonly interrupted: JobEnd;
  /**
   * Executes a job, and returns its end. It may be repeated unless the job has one run only, and throws when `signal` is aborted.
   */
  execute(run: JobRun): Promise<JobEnd>;
  /** Returns what becomes of a job whose execution threw, though nothing stopped it. */
  onError(error: unknown, job: TakenJob): JobOutcome;
  /** Adds the jobs of the kind that follow from other tables. */
  enqueue?(session: OwnerSession): Promise<void>;
}

/** What becomes of a job that has stopped; without a `state` it begins again. */
export type JobOutcome = JobEnd | (ReturnedJob & { readonly state?: undefined });

export interface JobRun extends TakenJob {
  /** Aborted when the job is cancelled or removed, and when this process stops, unless the job has one run only. */
  readonly signal: AbortSignal;
  /** Stores a report of the progress within a second. Cost: nothing that the executor waits for. */
  report(progress: JsonObject): void;
}

export interface JobRunnerOptions {
  readonly owner: DatabaseOptions;
  readonly log: Log;
  /** Tells all processes of a job that may be theirs. */
  announce(): void;
  /** Called when this process has nothing to do: the next known time of a job may be another. */
  settled(): void;
}

/** A process without a heartbeat for this time counts as dead. */
export const JOB_SILENCE_MS = 10_000;
/** Interval between heartbeats of a working process. */
const BEAT_MS = 1_000;

/** Why a running job is stopped: it was cancelled, this process stops, or another process or nobody has the job. */
type StopReason = 'cancelled' | 'stopping' | 'lost';

interface Running {
  readonly job: TakenJob;
  readonly kind: JobKind;
  readonly controller: AbortController;
  stopReason: StopReason | undefined;
  /** A report that is not stored yet. */
  progress: JsonObject | undefined;
}

interface StoredOutcome {
  readonly holder: JobHolder;
  readonly job: JobKey;
  readonly kind: JobKind;
  readonly progress?: JsonObject | undefined;
}

/**
 * Repeats rounds of work: at once when it is woken or a job ends, and every second while this process runs some. The rounds share a
 * connection of the owner, which is open only meanwhile.
 */
export class JobRunner {
  readonly #worker = randomBytes(8).toString('hex');
  readonly #kinds = new Map<string, JobKind>();
  readonly #running = new Map<string, Running>();
  /** Jobs that have stopped; the database does not know yet. */
  readonly #stopped: { readonly running: Running; readonly outcome: JobOutcome }[] = [];
  readonly #loop: PollingLoop;
  #session: OwnerSession | undefined;
  #isWoken = false;
  #isStarted = false;
  /** A job was added since the last round. */
  #hasAdded = false;

  constructor(private readonly options: JobRunnerOptions) {
    this.#loop = new PollingLoop({
      round: () => this.#round(),
      // Nothing is lost by a failure: the next round stores what has ended, or another process begins the jobs again.
      retryMs: BEAT_MS,
      mayEnd: () => this.#isIdle,
      log: options.log,
      trouble: 'the work on jobs was interrupted',
      isReported: isNoDatabaseTrouble,
    });
  }

  /** Executes jobs of the kind in this process. */
  serve(kind: JobKind): void {
    this.#kinds.set(kind.name, kind);
  }

  /** `only`: the kinds that this process executes, of those that it serves; undefined: all. */
  start(only?: readonly string[]): void {
    if (only !== undefined)
      for (const name of this.#kinds.keys()) if (!only.includes(name)) this.#kinds.delete(name);
    this.#isStarted = true;
    this.#loop.start();
    if (only !== undefined) this.wake();
  }

  /** There may be something to do. Returns at once. */
  wake(): void {
    this.#isWoken = true;
    this.#loop.wake();
  }

  /** This process has added a job, which it begins if it can; else it tells the others. Returns at once. */
  added(): void {
    this.#hasAdded = true;
    this.wake();
    if (!this.#isStarted) this.options.announce();
  }

  /** Stops a job that was cancelled, if this process runs it. */
  cancel(id: string): void {
    const running = this.#running.get(id);
    if (running !== undefined) stop(running, 'cancelled');
  }

  counts(kind: string): JobCounts {
    const isOfKind = (running: Running): boolean => running.kind.name === kind;
    return {
      running: [...this.#running.values()].filter(isOfKind).length,
      unsaved: this.#stopped.filter(({ running }) => isOfKind(running)).length,
    };
  }

  /** Hands repeatable jobs over to other processes, and resolves when this process has no job. */
  async close(): Promise<void> {
    this.#loop.stop();
    const wasIdle = this.#isIdle;
    for (const running of this.#running.values()) if (running.job.mostRuns !== 1) stop(running, 'stopping');
    await this.#loop.close();
    await this.#leave();
    if (!wasIdle) this.options.announce();
  }

  get #isIdle(): boolean {
    return this.#running.size === 0 && this.#stopped.length === 0;
  }

  async #round(): Promise<number | undefined> {
    if (this.#isIdle && !this.#isWoken) return undefined;
    this.#isWoken = false;
    try {
      this.#session ??= await OwnerSession.open(this.options.owner);
      await this.#work(this.#session);
    } catch (error) {
      this.#isWoken = true;
      await this.#leave();
      throw error;
    }
    if (!this.#isIdle) return this.#stopped.length > 0 ? 0 : BEAT_MS;
    await this.#leave();
    this.options.settled();
    return undefined;
  }

  /** Stores the progress of a job that has ended. Cost: a connection of the owner. */
  async note(job: JobKey, progress: object): Promise<void> {
    const session = await OwnerSession.open(this.options.owner);
    await reportJob(session, job, progress).finally(() => session.close());
  }

  async #work(session: OwnerSession): Promise<void> {
    await this.#save(session);
    await this.#recover(session);
    await removeExpiredJobs(session);
    for (const kind of this.#kinds.values()) await kind.enqueue?.(session);
    while (!this.#loop.isClosed) {
      const kinds = this.#freeKinds();
      const job =
        kinds.length === 0
          ? undefined
          : await takeJob(
              session,
              this.#worker,
              kinds.map(({ name }) => name),
              this.#fullTenants(),
            );
      const kind = job && this.#kinds.get(job.kind);
      if (job === undefined || kind === undefined) break;
      void this.#run(job, kind);
    }
    const mayWait = this.#freeKinds().length < this.#kinds.size || this.#fullTenants().length > 0;
    if (this.#hasAdded && mayWait) this.options.announce();
    this.#hasAdded = false;
    if (this.#running.size > 0) await this.#beat(session);
  }

  /** The kinds of which this process may begin another job. */
  #freeKinds(): readonly JobKind[] {
    return [...this.#kinds.values()].filter(
      ({ name, concurrency }) => this.counts(name).running < concurrency,
    );
  }

  #fullTenants(): readonly FullTenant[] {
    const running = [...this.#running.values()];
    return running.flatMap(({ kind: { name, concurrencyOfTenant = Infinity }, job: { tenant } }) => {
      const count = running.filter((other) => other.kind.name === name && other.job.tenant === tenant).length;
      return count < concurrencyOfTenant ? [] : [{ kind: name, tenant }];
    });
  }

  /** Ends the jobs of silent processes that may not begin again, and returns the others to the queue. */
  async #recover(session: OwnerSession): Promise<void> {
    for (const job of await readSilentJobs(session, JOB_SILENCE_MS)) {
      const holder = { worker: job.worker, silenceMs: JOB_SILENCE_MS };
      const kind = this.#kinds.get(job.kind);
      // A process that serves the kind will do it.
      if (kind === undefined) continue;
      if (job.isCancelled) await store(session, { holder, job, kind }, { state: 'cancelled' });
      else if (job.mayRun) await store(session, { holder, job, kind }, { isCounted: true });
      else await store(session, { holder, job, kind }, kind.interrupted);
    }
  }

  async #beat(session: OwnerSession): Promise<void> {
    const ours = await renewJobs(session, this.#worker);
    for (const [id, running] of this.#running) {
      const isCancelled = ours.get(id);
      if (isCancelled !== false) stop(running, isCancelled === undefined ? 'lost' : 'cancelled');
      const { job, progress } = running;
      if (isCancelled === undefined || progress === undefined) continue;
      running.progress = undefined;
      await reportJob(session, job, progress);
    }
  }

  async #save(session: OwnerSession): Promise<void> {
    const holder = { worker: this.#worker, silenceMs: 0 };
    for (let next = this.#stopped[0]; next !== undefined; next = this.#stopped[0]) {
      const { running, outcome } = next;
      await store(session, { ...running, holder }, outcome);
      this.#stopped.shift();
    }
  }

  async #run(job: TakenJob, kind: JobKind): Promise<void> {
    const running: Running = {
      ...{ job, kind, controller: new AbortController() },
      ...{ stopReason: undefined, progress: undefined },
    };
    this.#running.set(job.id, running);
    const outcome = await outcomeOf(running);
    this.#running.delete(job.id);
    this.#stopped.push({ running, outcome });
    this.#loop.wake();
  }

  async #leave(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }
}

async function outcomeOf(running: Running): Promise<JobOutcome> {
  const { job, kind, controller } = running;
  try {
    return await kind.execute({
      ...job,
      signal: controller.signal,
      report: (progress) => void (running.progress = progress),
    });
  } catch (error) {
    if (running.stopReason === 'cancelled') return { state: 'cancelled' };
    if (running.stopReason !== undefined) return { isCounted: false };
    return kind.onError(error, job);
  }
}

/** Stores what becomes of a job, unless `holder` does not have it any more. */
async function store(
  session: OwnerSession,
  { holder, job, kind, progress }: StoredOutcome,
  outcome: JobOutcome,
): Promise<void> {
  if (outcome.state === undefined) await returnJob(session, holder, job, { ...outcome, progress });
  else await endJob(session, holder, job, { end: outcome, keptMs: kind.keptMs, progress });
}

function stop(running: Running, reason: StopReason): void {
  running.stopReason ??= reason;
  running.controller.abort();
}
