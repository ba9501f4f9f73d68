import { randomBytes } from 'node:crypto';
import { PollingLoop } from '../concurrency/polling-loop';
import type { Log } from '../context';
import { endHush, evictSpaces } from '../memory/cache-registry';
import type { Database } from '../storage/connection/database';
import { isNoDatabaseTrouble } from '../storage/connection/database-error';
import { attendErasures, lastErasure, leaveErasures } from '../storage/tenants/erasures';

const RETRY_MS = 1_000;

export interface ErasureWatchOptions {
  readonly database: Database;
  readonly log: Log;
  /** Evicts the spaces from the caches of other threads. */
  readonly evictElsewhere: (spaces: readonly number[]) => void;
}

/**
 * Evicts data from the caches of this process after any process has erased it, and confirms that in the database. The
 * erasing process waits for the confirmation.
 */
export class ErasureWatch {
  readonly #process = randomBytes(8).toString('hex');
  #invalidated = 0;
  #isStarted = false;
  readonly #loop: PollingLoop;
  readonly #hushed = new Set<number>();

  constructor(private readonly options: ErasureWatchOptions) {
    this.#loop = new PollingLoop({
      round: async () => ((await this.#evictNext(options.database)) ? 0 : undefined),
      retryMs: RETRY_MS,
      log: options.log,
      trouble: 'the list of erasures cannot be read',
      isReported: isNoDatabaseTrouble,
    });
  }

  /** This process, and the last erasure that its caches reflect. */
  get confirmation(): { readonly process: string; readonly invalidated: number } {
    return { process: this.#process, invalidated: this.#invalidated };
  }

  /** Must be awaited before this process caches anything. */
  async open(): Promise<void> {
    this.#invalidated = await lastErasure(this.options.database);
  }

  /** Starts the evictions. */
  start(): void {
    this.#isStarted = true;
    this.#loop.start();
  }

  /** There may be new erasures. Returns at once. */
  poll(): void {
    this.#loop.wake();
  }

  /** True: there may be more; the next round, which follows at once, also confirms the eviction. */
  async #evictNext(database: Database): Promise<boolean> {
    const erasures = await attendErasures(database, this.#process, this.#invalidated);
    const last = erasures.at(-1);
    if (last === undefined) return false;
    this.evict(erasures.flatMap(({ spaces }) => spaces));
    this.#invalidated = last.number;
    return true;
  }

  /** Evicts the spaces from the caches of this process at once. */
  evict(spaces: readonly number[]): void {
    evictSpaces(spaces);
    for (const space of spaces) this.#hushed.add(space);
    this.options.evictElsewhere(spaces);
  }

  async close(): Promise<void> {
    await this.#loop.close();
    // Spaces with the same numbers in another database, which this process may open next, are others.
    endHush(this.#hushed);
    // A process that could not sign off counts as dead after 20 seconds.
    if (this.#isStarted) await leaveErasures(this.options.database, this.#process).catch(() => undefined);
  }
}
