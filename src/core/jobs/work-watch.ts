import { PollingLoop } from '../concurrency/polling-loop';
import type { Log } from '../context';
import type { Database } from '../storage/connection/database';
import { isNoDatabaseTrouble } from '../storage/connection/database-error';
import { findDueWork, WORK_KINDS, type WatchingProcess, type WorkKind } from '../storage/jobs/work-watch';

export interface WorkWatchOptions {
  readonly database: Database;
  readonly log: Log;
  watchingProcess(): WatchingProcess;
  /** True: notices of other processes arrive. */
  hasNotices(): boolean;
  /** Starts the work of a kind, which ends when nothing is left. */
  readonly wake: Readonly<Record<WorkKind, () => void>>;
}

/** Interval between polls without notices of other processes. */
const POLL_MS = 2_000;
/** Interval between polls with notices: the heartbeat of the process, which counts as dead after 20 seconds. */
const HEARTBEAT_MS = 10_000;
/** Least interval between two polls; all notices in between cause one poll. */
const GATHER_MS = 200;
/** Interval to the next poll after one that has found work. */
const BUSY_MS = 1_000;

/**
 * Wakes the background work of a process when it is due, also work of other processes. A process wakes the work that it
 * adds by itself. **Cost**: one statement every two seconds without Redis; else every ten seconds, and after each notice.
 */
export class WorkWatch {
  readonly #loop: PollingLoop;

  constructor(private readonly options: WorkWatchOptions) {
    this.#loop = new PollingLoop({
      round: () => this.#poll(),
      retryMs: BUSY_MS,
      gatherMs: GATHER_MS,
      log: options.log,
      trouble: 'the poll for background work failed',
      isReported: isNoDatabaseTrouble,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** There may be new work, or its time has changed. Returns at once. */
  wake(): void {
    this.#loop.wake();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  async #poll(): Promise<number> {
    const { database, watchingProcess, hasNotices, wake } = this.options;
    const due = await findDueWork(database, watchingProcess());
    let pause = hasNotices() ? HEARTBEAT_MS : POLL_MS;
    for (const kind of WORK_KINDS) {
      const milliseconds = due.get(kind);
      if (milliseconds === undefined) continue;
      if (milliseconds === 0) wake[kind]();
      pause = Math.min(pause, Math.max(milliseconds, BUSY_MS));
    }
    return pause;
  }
}
