import { fhirError } from '../errors';

/** How many may be at something at once, and how many may wait for it. */
export interface TurnLimits {
  /** At once, of all keys together. */
  readonly slots: number;
  /** At once, of one key. */
  readonly most: number;
  /** The same where this process has never seen another key; undefined: no different. */
  readonly mostAlone?: number;
  /** Of one key; undefined: any number. */
  readonly maxWaiting?: number;
  /** Milliseconds that one may wait; undefined: as long as it takes. */
  readonly patienceMs?: number;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
  readonly isGivenUp: () => boolean;
  readonly timer: NodeJS.Timeout | undefined;
}

/** Of what no tenant asks for itself. Numbers below are nobody's either, such as those of the base spaces. */
export const NO_TENANT = 0;

/**
 * Lets so many be at something at once. When more want to, tenants take turns: the next one is of the tenant that has the
 * fewest at it, and of those of the one that was served longest ago. So whoever comes waits for the end of one that is at
 * it and for one of each other tenant, however many of one tenant wait. And no tenant may have them all: what takes long
 * leaves a place for the others.
 *
 * Cost: nothing but counting where there is room.
 */
export class FairTurns {
  private free: number;
  private readonly running = new Map<number, number>();
  /** In the order in which they are served. */
  private readonly waiting = new Map<number, Set<Waiting>>();
  private only: number | undefined;
  private most: number;

  constructor(private readonly limits: TurnLimits) {
    this.free = limits.slots;
    this.most = limits.mostAlone ?? limits.most;
  }

  /**
   * Undefined: it may begin at once. Else resolves when it may. `leave` is to be called when it is done, unless this
   * rejects: with overloaded, where too many of the tenant wait or it has waited too long, or timeout, where nobody waits
   * for it any more when its turn comes.
   */
  enter(tenant: number, isGivenUp: () => boolean = () => false): Promise<void> | undefined {
    this.notice(tenant);
    if (this.free > 0 && this.countOf(tenant) < this.most) {
      this.begin(tenant);
      return undefined;
    }
    const waiting = this.waiting.get(tenant) ?? new Set();
    if (waiting.size >= (this.limits.maxWaiting ?? Infinity)) return Promise.reject(fhirError('overloaded'));
    this.waiting.set(tenant, waiting);
    return new Promise((start, refuse) => {
      const { patienceMs } = this.limits;
      const timer =
        patienceMs === undefined ? undefined : setTimeout(() => this.refuse(tenant, one), patienceMs).unref();
      const one: Waiting = { start, refuse, isGivenUp, timer };
      waiting.add(one);
    });
  }

  leave(tenant: number): void {
    this.free++;
    const count = this.countOf(tenant) - 1;
    if (count === 0) this.running.delete(tenant);
    else this.running.set(tenant, count);
    this.serve();
  }

  /** All that wait. */
  get waitingCount(): number {
    let count = 0;
    for (const of of this.waiting.values()) count += of.size;
    return count;
  }

  private notice(tenant: number): void {
    if (this.most === this.limits.most || tenant <= NO_TENANT) return;
    this.only ??= tenant;
    if (this.only !== tenant) this.most = this.limits.most;
  }

  private begin(tenant: number): void {
    this.free--;
    this.running.set(tenant, this.countOf(tenant) + 1);
  }

  private countOf(tenant: number): number {
    return this.running.get(tenant) ?? 0;
  }

  private serve(): void {
    while (this.free > 0) {
      const tenant = this.findNext();
      if (tenant === undefined) return;
      const waiting = this.waiting.get(tenant);
      const [next] = waiting ?? [];
      if (waiting === undefined || next === undefined) return;
      this.waiting.delete(tenant);
      waiting.delete(next);
      if (waiting.size > 0) this.waiting.set(tenant, waiting);
      clearTimeout(next.timer);
      if (next.isGivenUp()) {
        next.refuse(fhirError('timeout'));
        continue;
      }
      this.begin(tenant);
      next.start();
    }
  }

  private findNext(): number | undefined {
    let found: number | undefined;
    let fewest = this.most;
    for (const tenant of this.waiting.keys()) {
      const count = this.countOf(tenant);
      if (count >= fewest) continue;
      found = tenant;
      fewest = count;
      if (count === 0) break;
    }
    return found;
  }

  private refuse(tenant: number, one: Waiting): void {
    const waiting = this.waiting.get(tenant);
    if (waiting?.delete(one) !== true) return;
    if (waiting.size === 0) this.waiting.delete(tenant);
    one.refuse(fhirError('overloaded'));
  }
}
