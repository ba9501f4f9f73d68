import { inNextTurn } from './next-turn';

/** Work in one turn of the event loop after which other requests come first. Elapsed time is never less than processor time. */
const TURN_MS = 10;

/**
 * Lets other requests come first between the items of a loop, also where no item waits for the database. Loops that share an
 * object share its turns: those that go on together do not work for ten milliseconds each. Cost: a look at the clock for each item.
 */
export class Turns {
  /** When the work of this turn began; undefined: there was none. */
  private since: number | undefined;
  private later: Promise<void> | undefined;

  /** Resolves at once, or in a later turn if this one had ten milliseconds of work. */
  async take(): Promise<void> {
    for (;;) {
      const now = performance.now();
      if (this.since === undefined) {
        this.since = now;
        setImmediate(() => {
          if (this.later === undefined) this.since = undefined;
        });
        return;
      }
      if (now - this.since < TURN_MS) return;
      this.later ??= new Promise((resolve) =>
        inNextTurn(() => {
          this.later = undefined;
          this.since = undefined;
          resolve();
        }),
      );
      await this.later;
    }
  }
}
