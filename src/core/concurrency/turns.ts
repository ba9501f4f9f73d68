import { inNextTurn } from './next-turn';

/** Work in one turn of the event loop after which other requests come first. Elapsed time is never less than processor time. */
const TURN_MS = 10;

/**
 * Lets other requests come first between the items of loops, also where no item waits for the database. All loops of one
 * object together do ten milliseconds of work in a turn, and not each of them. Cost: the clock is read for each item.
 */
export class Turns {
  /** When the work of this turn began; undefined: there was none. */
  private since: number | undefined;
  private later: Promise<void> | undefined;
  /** Calls of `take`, the first to come first. */
  private readonly waiting: (() => void)[] = [];
  private isServing = false;

  /**
   * Resolves soon, or in a later turn if this one had ten milliseconds of work. The work must follow without a further `await`
   * between: of many that ask at the same moment, each resolves only when the one before has worked.
   */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.isServing) return;
      this.isServing = true;
      this.serve();
    });
  }

  private serve(): void {
    if (this.waiting.length === 0) {
      this.isServing = false;
      return;
    }
    const later = this.next();
    if (later !== undefined) {
      void later.then(() => this.serve());
      return;
    }
    this.waiting.shift()?.();
    // The first microtask may come before what awaits the promise, the second comes after it.
    queueMicrotask(() => queueMicrotask(() => this.serve()));
  }

  /** Undefined: this turn goes on; else resolves in a later turn, where others may have been faster: ask again. */
  next(): Promise<void> | undefined {
    const now = performance.now();
    if (this.since === undefined) {
      this.since = now;
      setImmediate(() => {
        if (this.later === undefined) this.since = undefined;
      });
      return undefined;
    }
    if (now - this.since < TURN_MS) return undefined;
    this.later ??= new Promise((resolve) =>
      inNextTurn(() => {
        this.later = undefined;
        this.since = undefined;
        resolve();
      }),
    );
    return this.later;
  }
}

/** Those of the process: what many requests have to do when the database answers is not done in one turn. */
export const turns = new Turns();
