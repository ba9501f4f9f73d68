/** Delays repeated refusals of one client, so that a client that does not wait cannot send requests at full speed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Cancellation } from '../concurrency/cancellation';
import { createCache } from '../memory/create-cache';

/** Refusals in a window that are answered at once. */
const AT_ONCE = 9;
/** Milliseconds by which each further refusal is delayed more than the one before. */
const STEP_MS = 100;
const LONGEST_MS = 1_000;
/**
 * Limits on delayed refusals, per client and in total. Further ones are answered at once, so that delays cost little
 * memory.
 */
const MOST_WAITING_OF_CLIENT = 100;
const MOST_WAITING = 1_000;
/** Clients whose refusals are counted. */
const MOST_CLIENTS = 10_000;

interface ClientRefusals {
  count: number;
  waiting: number;
  /** End of the window, after which the count starts again. */
  until: number;
}

/** Waits for `milliseconds`; ends early when the signal is aborted, and never rejects. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

const sleepByTimer: Sleep = (milliseconds, signal) =>
  delay(milliseconds, undefined, { signal }).catch(() => undefined);

export class RefusalDelay {
  private readonly clients = createCache<string, ClientRefusals>({
    name: 'refusal-delays',
    scope: 'program',
    max: MOST_CLIENTS,
  });
  private waiting = 0;

  constructor(
    private readonly sleep: Sleep = sleepByTimer,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Counts a refusal of a client and waits for the delay of its answer. The first refusals in `windowMs` are not
   * delayed, and a disconnect ends the wait.
   */
  async wait(
    client: string,
    windowMs: number,
    cancellation: Pick<Cancellation, 'onCancel'> | undefined,
  ): Promise<void> {
    const refused = this.find(client, windowMs);
    refused.count += 1;
    const milliseconds = Math.min(LONGEST_MS, (refused.count - AT_ONCE) * STEP_MS);
    const hasRoom = refused.waiting < MOST_WAITING_OF_CLIENT && this.waiting < MOST_WAITING;
    if (milliseconds <= 0 || !hasRoom) return;
    const gone = new AbortController();
    const stopListening = cancellation?.onCancel(() => gone.abort());
    refused.waiting += 1;
    this.waiting += 1;
    try {
      await this.sleep(milliseconds, gone.signal);
    } finally {
      refused.waiting -= 1;
      this.waiting -= 1;
      stopListening?.();
    }
  }

  private find(client: string, windowMs: number): ClientRefusals {
    const now = this.now();
    let refused = this.clients.get(client);
    if (refused === undefined) {
      refused = { count: 0, waiting: 0, until: now + windowMs };
      this.clients.set(client, refused);
    } else if (now >= refused.until) {
      refused.count = 0;
      refused.until = now + windowMs;
    }
    return refused;
  }
}
