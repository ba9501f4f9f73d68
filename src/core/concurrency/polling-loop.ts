import type { Log } from '../context';

/** The longest time of a timer. */
const LONGEST_MS = 2_000_000_000;

export interface PollingLoopOptions {
  /** Does what there is to do. Returns the milliseconds until the next round, 0: at once; undefined: when it is woken. */
  round(): Promise<number | undefined>;
  /** Milliseconds after which a round that failed is repeated. */
  readonly retryMs: number;
  /** Milliseconds after each round in which it cannot be woken, so that what happens meanwhile is one round. Default 0. */
  readonly gatherMs?: number;
  /** False: a closed loop goes on, because what it has begun is not stored. Default: it ends. */
  mayEnd?(): boolean;
  readonly log: Log;
  /** The log message when rounds begin to fail. */
  readonly trouble: string;
  /** False for failures of which another part of the server writes, such as those of the database. */
  isReported(error: unknown): boolean;
}

/**
 * Background work in rounds: at once when it is woken, else when the pause is over that the last round asked for. The log has
 * one line when rounds begin to fail, and one when they succeed again. The pauses do not keep the process alive.
 */
export class PollingLoop {
  #isClosed = false;
  #isWoken = false;
  #isReported = false;
  #ring: (() => void) | undefined;
  #working: Promise<void> | undefined;

  constructor(private readonly options: PollingLoopOptions) {}

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Begins the first round. */
  start(): void {
    if (!this.#isClosed) this.#working ??= this.#work();
  }

  /** There may be something to do. Returns at once. */
  wake(): void {
    this.#isWoken = true;
    this.#ring?.();
  }

  /** Begins no further round. Returns at once, so that a round itself can call it. */
  stop(): void {
    this.#isClosed = true;
    this.#ring?.();
  }

  /** Resolves when no round is under way any more. */
  async close(): Promise<void> {
    this.stop();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { round, retryMs, gatherMs = 0 } = this.options;
    while (!this.#isOver()) {
      this.#isWoken = false;
      let pause: number | undefined;
      try {
        pause = await round();
        this.#noteSuccess();
      } catch (error) {
        // Whatever woke it meanwhile, a failing loop does not run without pauses.
        this.#isWoken = false;
        pause = retryMs;
        this.#noteFailure(error);
      }
      if (pause === 0) continue;
      if (gatherMs > 0) await this.#pause(gatherMs);
      await this.#pause(pause === undefined ? undefined : pause - gatherMs, true);
    }
  }

  #isOver(): boolean {
    return this.#isClosed && (this.options.mayEnd?.() ?? true);
  }

  async #pause(milliseconds: number | undefined, canBeWoken = false): Promise<void> {
    if (this.#isOver() || (canBeWoken && this.#isWoken)) return;
    await new Promise<void>((resolve) => {
      const timer =
        milliseconds === undefined
          ? undefined
          : setTimeout(resolve, Math.min(milliseconds, LONGEST_MS)).unref();
      this.#ring = () => {
        if (!canBeWoken && !this.#isClosed) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#ring = undefined;
  }

  #noteSuccess(): void {
    const { log, trouble } = this.options;
    if (this.#isReported) log.info({}, `over: ${trouble}`);
    this.#isReported = false;
  }

  #noteFailure(error: unknown): void {
    const { log, trouble, isReported } = this.options;
    if (this.#isReported || this.#isClosed || !isReported(error)) return;
    this.#isReported = true;
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, trouble);
  }
}
