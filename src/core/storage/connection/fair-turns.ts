import { fhirError } from '../../errors';

/** Limits on running and waiting tasks. */
export interface TurnLimits {
  /** Running tasks of all tenants together. */
  readonly slots: number;
  /** Running tasks of one tenant. */
  readonly most: number;
  /** Replaces `most` until this process has seen a second tenant; undefined: `most`. */
  readonly mostAlone?: number;
  /** Waiting tasks of one tenant; undefined: no limit. */
  readonly maxWaiting?: number;
  /** Milliseconds that a task may wait; undefined: no limit. */
  readonly maxWaitMs?: number;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
  readonly isCancelled: () => boolean;
  readonly timer: NodeJS.Timeout | undefined;
}

/** The tasks of one tenant. */
interface Share {
  running: number;
  /** Longest waiting first. */
  readonly waiting: Waiting[];
}

/** The tenant number of tasks without a tenant. Negative numbers have no tenant either, such as the base spaces. */
export const NO_TENANT = 0;
/** Number of shares from which those without tasks are removed. */
const MAX_SHARES = 1000;

/**
 * A fair semaphore. When all slots are in use, tenants take turns: the next slot goes to the tenant with the fewest
 * running tasks, and among those to the one served longest ago. So a task waits for one slot and for one task of each
 * other tenant, however many tasks of one tenant wait. `most` below `slots` leaves slots for others during long tasks.
 *
 * **Cost**: a counter if a slot is free. Waiting tasks are in arrays, not in Maps or Sets: a long-lived Map or Set with
 * many insertions and deletions retains its values, and their requests, until a full garbage collection (in-flight.ts).
 */
export class FairTurns {
  private free: number;
  private readonly shares = new Map<number, Share>();
  /** The shares with waiting tasks, in the order in which they are served. */
  private readonly waiting: Share[] = [];
  private only: number | undefined;
  private most: number;

  constructor(private readonly limits: TurnLimits) {
    this.free = limits.slots;
    this.most = limits.mostAlone ?? limits.most;
  }

  /**
   * Requests a slot. Returns undefined if the task can begin at once, else a promise that resolves when it can. The
   * caller calls `leave` when the task is done, unless the promise rejects.
   * **Throws** overloaded if too many tasks of the tenant wait or this one has waited too long, timeout if the task was
   * cancelled before its turn.
   */
  enter(tenant: number, isCancelled: () => boolean = () => false): Promise<void> | undefined {
    this.notice(tenant);
    const share = this.shareOf(tenant);
    if (this.free > 0 && share.running < this.most) {
      this.begin(share);
      return undefined;
    }
    const { maxWaiting = Infinity, maxWaitMs } = this.limits;
    if (share.waiting.length >= maxWaiting) return Promise.reject(fhirError('overloaded'));
    if (share.waiting.length === 0) this.waiting.push(share);
    return new Promise((start, refuse) => {
      const timer =
        maxWaitMs === undefined ? undefined : setTimeout(() => this.refuse(share, one), maxWaitMs).unref();
      const one: Waiting = { start, refuse, isCancelled, timer };
      share.waiting.push(one);
    });
  }

  leave(tenant: number): void {
    this.free++;
    this.shareOf(tenant).running--;
    this.serve();
  }

  /** Waiting tasks of all tenants. */
  get waitingCount(): number {
    return this.waiting.reduce((count, share) => count + share.waiting.length, 0);
  }

  private notice(tenant: number): void {
    if (this.most === this.limits.most || tenant <= NO_TENANT) return;
    this.only ??= tenant;
    if (this.only !== tenant) this.most = this.limits.most;
  }

  private shareOf(tenant: number): Share {
    let share = this.shares.get(tenant);
    if (share !== undefined) return share;
    if (this.shares.size >= MAX_SHARES) this.removeIdle();
    share = { running: 0, waiting: [] };
    this.shares.set(tenant, share);
    return share;
  }

  private removeIdle(): void {
    for (const [tenant, { running, waiting }] of this.shares)
      if (running === 0 && waiting.length === 0) this.shares.delete(tenant);
  }

  private begin(share: Share): void {
    this.free--;
    share.running++;
  }

  private serve(): void {
    while (this.free > 0) {
      const share = this.findNext();
      const next = share?.waiting.shift();
      if (share === undefined || next === undefined) return;
      this.waiting.splice(this.waiting.indexOf(share), 1);
      if (share.waiting.length > 0) this.waiting.push(share);
      clearTimeout(next.timer);
      if (next.isCancelled()) {
        next.refuse(fhirError('timeout'));
        continue;
      }
      this.begin(share);
      next.start();
    }
  }

  private findNext(): Share | undefined {
    let found: Share | undefined;
    let fewest = this.most;
    for (const share of this.waiting) {
      if (share.running >= fewest) continue;
      found = share;
      fewest = share.running;
      if (fewest === 0) break;
    }
    return found;
  }

  private refuse(share: Share, one: Waiting): void {
    const place = share.waiting.indexOf(one);
    if (place === -1) return;
    share.waiting.splice(place, 1);
    if (share.waiting.length === 0) this.waiting.splice(this.waiting.indexOf(share), 1);
    one.refuse(fhirError('overloaded'));
  }
}
