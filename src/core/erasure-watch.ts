import { randomBytes } from 'node:crypto';
import type { Log } from './context';
import { forgetSpaces } from './process-memory';
import type { Database } from './storage/database';
import { attendErasures, lastErasure, leaveErasures } from './storage/erasures';

/** Between two looks. A notice in Redis makes one at once; without Redis this is how late a process may be. */
const LOOK_MS = 1_000;

export interface ErasureWatchOptions {
  readonly database: Database;
  readonly log: Log;
  /** Has other threads forget too. */
  readonly forgetElsewhere: (spaces: readonly number[]) => void;
}

/**
 * Has this process forget what was erased from the database, by whichever process, and tells the database so: who erases waits
 * for that. Cost: one statement a second.
 */
export class ErasureWatch {
  readonly #process = randomBytes(8).toString('hex');
  #forgotten = 0;
  #isStarted = false;
  #isClosed = false;
  #isWanted = false;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(private readonly options: ErasureWatchOptions) {}

  /** To be awaited before this process remembers anything. */
  async open(): Promise<void> {
    this.#forgotten = await lastErasure(this.options.database);
  }

  /** From now on this process looks. */
  start(): void {
    this.#isStarted = true;
    this.look();
  }

  /** There is something to forget, or there may be. Returns at once. */
  look(): void {
    if (!this.#isStarted || this.#isClosed) return;
    this.#isWanted = true;
    clearTimeout(this.#timer);
    this.#looking ??= this.#work().finally(() => {
      this.#looking = undefined;
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => this.look(), LOOK_MS).unref();
    });
  }

  async #work(): Promise<void> {
    const { database, log } = this.options;
    try {
      while (this.#isWanted && !this.#isClosed) {
        this.#isWanted = false;
        await this.#forgetNext(database);
      }
      if (this.#isFailing) log.info({}, 'what was erased is looked for again');
      this.#isFailing = false;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#isFailing) log.warn({ reason }, 'it cannot be looked up what was erased');
      this.#isFailing = true;
    }
  }

  async #forgetNext(database: Database): Promise<void> {
    const erasures = await attendErasures(database, this.#process, this.#forgotten);
    const last = erasures.at(-1);
    if (last === undefined) return;
    this.forget(erasures.flatMap(({ spaces }) => spaces));
    this.#forgotten = last.number;
    // What was forgotten is told by the next look, which is made at once.
    this.#isWanted = true;
  }

  /** Here, at once. */
  forget(spaces: readonly number[]): void {
    forgetSpaces(spaces);
    this.options.forgetElsewhere(spaces);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    // Who could not leave is taken for dead after 20 seconds.
    if (this.#isStarted) await leaveErasures(this.options.database, this.#process).catch(() => undefined);
  }
}
