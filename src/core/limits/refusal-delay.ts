/** Refusals of one client that repeat are answered later and later, so that a client that does not wait cannot ask at full speed. */
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Cancellation } from '../concurrency/cancellation';

/** So many refusals in a window of time are answered at once. */
const AT_ONCE = 9;
/** Milliseconds that each further refusal is answered later than the one before. */
const STEP_MS = 100;
const LONGEST_MS = 1_000;
/** Refusals that wait, of one client and of all: further ones are answered at once, so that waiting costs little memory. */
const MOST_WAITING_OF_CLIENT = 100;
const MOST_WAITING = 1_000;
/** Clients whose refusals are counted. */
const MOST_CLIENTS = 10_000;

interface Refused {
  count: number;
  waiting: number;
  /** When they are counted from zero again. */
  until: number;
}

/** Milliseconds are waited; ends early when the signal is aborted, and never rejects. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

const sleepByTimer: Sleep = (milliseconds, signal) =>
  delay(milliseconds, undefined, { signal }).catch(() => undefined);

export class RefusalDelay {
  private readonly clients = new LRUCache<string, Refused>({ max: MOST_CLIENTS });
  private waiting = 0;

  constructor(
    private readonly sleep: Sleep = sleepByTimer,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Counts a refusal of a client, and waits as long as its answer is to be delayed: not at all for the first ones in `windowMs`, and
   * no longer than the client does.
   */
  async wait(
    client: string,
    windowMs: number,
    cancellation: Pick<Cancellation, 'whenLeaving'> | undefined,
  ): Promise<void> {
    const refused = this.find(client, windowMs);
    refused.count += 1;
    const milliseconds = Math.min(LONGEST_MS, (refused.count - AT_ONCE) * STEP_MS);
    const hasRoom = refused.waiting < MOST_WAITING_OF_CLIENT && this.waiting < MOST_WAITING;
    if (milliseconds <= 0 || !hasRoom) return;
    const gone = new AbortController();
    const stopListening = cancellation?.whenLeaving(() => gone.abort());
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

  private find(client: string, windowMs: number): Refused {
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
