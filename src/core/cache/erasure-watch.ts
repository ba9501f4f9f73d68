import { randomBytes } from 'node:crypto';
import type { Log } from '../context';
import { endHush, evictSpaces } from '../memory/cache-registry';
import type { Database } from '../storage/connection/database';
import { isDatabaseTrouble } from '../storage/connection/database-error';
import { attendErasures, lastErasure, leaveErasures } from '../storage/tenants/erasures';

/** Interval of polls. A notice through Redis triggers one at once; without Redis this is the longest delay of a process. */
const LOOK_MS = 1_000;

export interface ErasureWatchOptions {
  readonly database: Database;
  readonly log: Log;
  /** Evicts the spaces from the caches of other threads. */
  readonly evictElsewhere: (spaces: readonly number[]) => void;
}

/**
 * Evicts data from the caches of this process after any process has erased it, and confirms that in the database. The
 * erasing process waits for the confirmation. Cost: one statement a second.
 */
export class ErasureWatch {
  readonly #process = randomBytes(8).toString('hex');
  #invalidated = 0;
  #isStarted = false;
  #isClosed = false;
  #isWanted = false;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  readonly #hushed = new Set<number>();

  constructor(private readonly options: ErasureWatchOptions) {}

  /** Must be awaited before this process caches anything. */
  async open(): Promise<void> {
    this.#invalidated = await lastErasure(this.options.database);
  }

  /** Starts polling. */
  start(): void {
    this.#isStarted = true;
    this.poll();
  }

  /** Polls now, because there may be new erasures. Returns at once. */
  poll(): void {
    if (!this.#isStarted || this.#isClosed) return;
    this.#isWanted = true;
    clearTimeout(this.#timer);
    this.#looking ??= this.#work().finally(() => {
      this.#looking = undefined;
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => this.poll(), LOOK_MS).unref();
    });
  }

  async #work(): Promise<void> {
    const { database, log } = this.options;
    try {
      while (this.#isWanted && !this.#isClosed) {
        this.#isWanted = false;
        await this.#evictNext(database);
      }
      if (this.#isFailing) log.info({}, 'the list of erasures can be read again');
      this.#isFailing = false;
    } catch (error) {
      // Another component logs database failures.
      if (isDatabaseTrouble(error)) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#isFailing) log.warn({ reason }, 'the list of erasures cannot be read');
      this.#isFailing = true;
    }
  }

  async #evictNext(database: Database): Promise<void> {
    const erasures = await attendErasures(database, this.#process, this.#invalidated);
    const last = erasures.at(-1);
    if (last === undefined) return;
    this.evict(erasures.flatMap(({ spaces }) => spaces));
    this.#invalidated = last.number;
    // The next poll, which follows at once, confirms the eviction.
    this.#isWanted = true;
  }

  /** Evicts the spaces from the caches of this process at once. */
  evict(spaces: readonly number[]): void {
    evictSpaces(spaces);
    for (const space of spaces) this.#hushed.add(space);
    this.options.evictElsewhere(spaces);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    // Spaces with the same numbers in another database, which this process may open next, are others.
    endHush(this.#hushed);
    // A process that could not sign off counts as dead after 20 seconds.
    if (this.#isStarted) await leaveErasures(this.options.database, this.#process).catch(() => undefined);
  }
}
