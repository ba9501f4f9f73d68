import { PollingLoop } from '../concurrency/polling-loop';
import type { Log } from '../context';
import type { DatabaseOptions } from '../storage/connection/database';
import { isNoDatabaseTrouble } from '../storage/connection/database-error';
import { OwnerSession } from '../storage/connection/owner-session';

/** The jobs that rounds of a process work on. */
export interface JobRoundsOptions {
  readonly owner: DatabaseOptions;
  readonly log: Log;
  /** Says in the log what was interrupted. */
  readonly work: string;
  /** True: there is something to do for any process. */
  haveWork(): Promise<boolean>;
  /** True: this process runs no job, and each end of one is stored. */
  isIdle(): boolean;
  /** True: the end of a job is to be stored. */
  hasUnsaved(): boolean;
  /** Stores the ends of jobs, renews heartbeats, and begins jobs; it does not wait for them. */
  round(session: OwnerSession): Promise<void>;
}

/** Interval between checks for jobs of other processes. */
const LOOK_MS = 5_000;
/** Interval between heartbeats of a working process. */
const BEAT_MS = 1_000;

/**
 * Repeats rounds of work on jobs: at once when one arrives or ends, every second while this process runs some, else every
 * five seconds if there is work. The rounds share a connection of the owner, which is open only meanwhile.
 */
export class JobRounds {
  readonly #loop: PollingLoop;
  #session: OwnerSession | undefined;

  constructor(private readonly options: JobRoundsOptions) {
    this.#loop = new PollingLoop({
      round: () => this.#round(),
      // Nothing is lost by a failure: the next round stores what has ended, or another process begins the jobs again.
      retryMs: BEAT_MS,
      mayEnd: () => options.isIdle(),
      log: options.log,
      trouble: `the work on ${options.work} was interrupted`,
      isReported: isNoDatabaseTrouble,
    });
  }

  get isClosed(): boolean {
    return this.#loop.isClosed;
  }

  start(): void {
    this.#loop.start();
  }

  /** A job has arrived or ended. */
  wake(): void {
    this.#loop.wake();
  }

  /** Begins no more jobs: `isClosed` is true from now on. */
  stop(): void {
    this.#loop.stop();
  }

  /** Waits until this process has no job. */
  async close(): Promise<void> {
    await this.#loop.close();
    await this.#leave();
  }

  async #round(): Promise<number> {
    const { owner, isIdle, haveWork, hasUnsaved, round } = this.options;
    try {
      if (!isIdle() || (await haveWork())) {
        this.#session ??= await OwnerSession.open(owner);
        await round(this.#session);
      }
    } catch (error) {
      await this.#leave();
      throw error;
    }
    if (!isIdle()) return hasUnsaved() ? 0 : BEAT_MS;
    await this.#leave();
    return LOOK_MS;
  }

  async #leave(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }
}
