import { inNextTurn } from './next-turn';

/** Work in one turn of the event loop after which other requests come first. Elapsed time is never less than processor time. */
const TURN_MS = 10;

/**
 * Lets other requests come first between the items of loops, also where no item waits for the database. All loops of one
 * object together do ten milliseconds of work in a turn, and not each of them. Cost: a look at the clock for each item.
 */
export class Turns {
  /** When the work of this turn began; undefined: there was none. */
  private since: number | undefined;
  private later: Promise<void> | undefined;

  /** Resolves at once, or in a later turn if this one had ten milliseconds of work. */
  async take(): Promise<void> {
    for (let next = this.next(); next !== undefined; next = this.next()) await next;
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
