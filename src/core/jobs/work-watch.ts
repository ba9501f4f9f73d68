import { PollingLoop } from '../concurrency/polling-loop';
import type { Log } from '../context';
import type { Database } from '../storage/connection/database';
import { isNoDatabaseTrouble } from '../storage/connection/database-error';
import { lookForWork, WORK_KINDS, type Looker, type WorkKind } from '../storage/jobs/work-watch';

export interface WorkWatchOptions {
  readonly database: Database;
  readonly log: Log;
  looker(): Looker;
  /** True: other processes tell this one of new work. */
  isTold(): boolean;
  /** Starts the work of a kind, which ends when nothing is left. */
  readonly wake: Readonly<Record<WorkKind, () => void>>;
}

/** Interval between looks while nobody tells of new work. */
const UNTOLD_MS = 2_000;
/** Interval between looks else: the heartbeat of the process, which counts as dead after 20 seconds. */
const TOLD_MS = 10_000;
/** Least interval between two looks, so that what is told meanwhile is one look. */
const GATHER_MS = 200;
/** Until the next look after one that has found work, which has begun meanwhile. */
const BEGUN_MS = 1_000;

/**
 * Wakes the background work of a process: at its known time, and when other processes have left some. Work that a process makes
 * itself it wakes by itself. **Cost**: one statement every two seconds without Redis; else every ten, and when one was told.
 */
export class WorkWatch {
  readonly #loop: PollingLoop;

  constructor(private readonly options: WorkWatchOptions) {
    this.#loop = new PollingLoop({
      round: () => this.#look(),
      retryMs: BEGUN_MS,
      gatherMs: GATHER_MS,
      log: options.log,
      trouble: 'the look for background work failed',
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

  async #look(): Promise<number> {
    const { database, looker, isTold, wake } = this.options;
    const due = await lookForWork(database, looker());
    let pause = isTold() ? TOLD_MS : UNTOLD_MS;
    for (const kind of WORK_KINDS) {
      const milliseconds = due.get(kind);
      if (milliseconds === undefined) continue;
      if (milliseconds === 0) wake[kind]();
      pause = Math.min(pause, Math.max(milliseconds, BEGUN_MS));
    }
    return pause;
  }
}
