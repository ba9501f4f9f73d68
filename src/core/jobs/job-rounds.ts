import type { Log } from '../context';
import type { DatabaseOptions } from '../storage/connection/database';
import { isDatabaseTrouble } from '../storage/connection/database-error';
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
  #isStarted = false;
  #isClosed = false;
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isWanted = false;
  #ring: (() => void) | undefined;

  constructor(private readonly options: JobRoundsOptions) {}

  get isClosed(): boolean {
    return this.#isClosed;
  }

  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Begins a round soon, if the rounds are started. */
  wake(): void {
    if (!this.#isStarted || this.#isClosed) return;
    this.#isWanted = true;
    this.#ring?.();
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => this.wake(), this.#isWanted ? BEAT_MS : LOOK_MS).unref();
    });
  }

  /** Ends the pause between two rounds. */
  ring(): void {
    this.#ring?.();
  }

  /** Begins no more jobs: `isClosed` is true from now on. */
  stop(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Waits until this process has no job. */
  async close(): Promise<void> {
    this.stop();
    this.#ring?.();
    await this.#working;
  }

  async #work(): Promise<void> {
    clearTimeout(this.#timer);
    const { owner, log, work, isIdle, haveWork, round } = this.options;
    let session: OwnerSession | undefined;
    try {
      if (isIdle() && !(await haveWork())) {
        this.#isWanted = false;
        return;
      }
      session = await OwnerSession.open(owner);
      do {
        this.#isWanted = false;
        await round(session);
        if (!isIdle()) await this.#pause();
      } while (!isIdle() || this.#hasMore());
    } catch (error) {
      // Nothing is lost: the next round stores what has ended, or another process begins the jobs again.
      this.#isWanted = true;
      const reason = error instanceof Error ? error.message : String(error);
      if (!isDatabaseTrouble(error)) log.warn({ reason }, `the work on ${work} was interrupted`);
    } finally {
      await session?.close();
    }
  }

  /** True: another round was requested during the current one. */
  #hasMore(): boolean {
    return this.#isWanted && !this.#isClosed;
  }

  /** Waits for an event or the next heartbeat. */
  async #pause(): Promise<void> {
    if (this.options.hasUnsaved() || this.#isWanted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, BEAT_MS);
      this.#ring = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#ring = undefined;
  }
}
