/** Limits on the calls to endpoints that are under way in this process, so that slow endpoints delay no others. */
import { KeyedQueue } from '../../concurrency/keyed-queue';

/** Calls of one tenant at once. */
const MOST_OF_TENANT = 64;
/** Calls of one tenant at once to endpoints that did not answer the last time; they may hang again. */
const MOST_FAILING = 8;

interface Lane {
  count: number;
  readonly waiting: (() => void)[];
}

export class CallSlots {
  readonly #lanes = new Map<string, Lane>();
  readonly #endpoints = new KeyedQueue();

  /** Calls under way. */
  get count(): number {
    return [...this.#lanes.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /**
   * Runs a call in a slot of its tenant, after all earlier calls to the same endpoint. `isFailing`: the last call of the
   * same Subscription failed.
   */
  async run<T>(
    {
      tenant,
      endpoint,
      isFailing,
    }: { readonly tenant: number; readonly endpoint: string; readonly isFailing: boolean },
    call: () => Promise<T>,
  ): Promise<T> {
    return this.#endpoints.run(`${tenant} ${endpoint}`, async () => {
      const name = `${tenant} ${isFailing}`;
      const lane = this.#lanes.get(name) ?? { count: 0, waiting: [] };
      this.#lanes.set(name, lane);
      if (lane.count >= (isFailing ? MOST_FAILING : MOST_OF_TENANT))
        await new Promise<void>((resolve) => lane.waiting.push(resolve));
      else lane.count++;
      try {
        return await call();
      } finally {
        const next = lane.waiting.shift();
        if (next !== undefined) next();
        else if (--lane.count === 0) this.#lanes.delete(name);
      }
    });
  }
}
