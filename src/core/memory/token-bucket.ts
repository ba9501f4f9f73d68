import type { Rate } from './rate';

/** A request of a process to a bucket that all processes share. */
export interface BucketRequest extends Rate {
  /** Key of the bucket. */
  readonly key: string;
  /** Tokens that requests wait for. */
  readonly requested: number;
  /** Further tokens requested for later use; the store may grant fewer. */
  readonly wanted: number;
  /** Unused tokens that are returned; negative: tokens that were used without a grant of the store. */
  readonly returned: number;
  /** Upper bound of the content while the store was away, and may have lost it; undefined: the store knows the content. */
  readonly upperBound: number | undefined;
}

export interface BucketAnswer {
  readonly granted: number;
  /** Remaining tokens; negative: more was used than available. */
  readonly tokens: number;
}

/** A store of buckets. Undefined: the store is away. */
export type TakeTokens = (request: BucketRequest) => Promise<BucketAnswer | undefined>;

/**
 * Divisor of the available tokens: no larger part is granted beyond the requested tokens, because other processes may
 * need them.
 */
export const LEASE_SHARE = 8;

/** Limit on the debt of a bucket, as the time in which it refills, so that no client is shut out for longer. */
export const LONGEST_DEBT_MS = 600_000;

/** Returns for how many milliseconds a process may use granted tokens. */
export function leaseLife(windowMs: number): number {
  return Math.min(1_000, windowMs / 10);
}

/**
 * The local share of one bucket. Tokens are taken from the shared bucket before a request is admitted, several at a
 * time under load, and are used within `leaseLife`. Requests during a store access are combined into the next one. While
 * the store is away this process counts by itself, and then reports what it used.
 */
export class TokenBucket {
  /** Granted and unused tokens; negative: used without a grant. */
  private balance = 0;
  /** Tokens used without a grant that are being reported to the store; 0 or negative. */
  private reported = 0;
  private expires = 0;
  private waiting: { resolve(isGranted: boolean): void; reject(error: unknown): void }[] = [];
  private requesting = false;
  private emptyUntil = 0;
  /** Remaining tokens in the shared bucket at `storeReadAt`. */
  private tokens: number;
  private storeReadAt = 0;
  private used = 0;
  /** Content of the bucket as this process counts it while the store is away. */
  private away: { readonly tokens: number; readonly at: number } | undefined;

  constructor(
    private readonly key: string,
    private rate: Rate,
    private readonly takeStored: TakeTokens,
  ) {
    this.tokens = rate.quota;
  }

  /** Sets the rate; a changed quota takes effect at the next store access. */
  follow(rate: Rate): this {
    if (rate.quota !== this.rate.quota) {
      this.rate = rate;
      this.emptyUntil = 0;
    }
    return this;
  }

  /** True: admitted; false: refused. Waits for the store only where this process has no tokens left. */
  take(): boolean | Promise<boolean> {
    const now = performance.now();
    if (this.balance > 0 && now < this.expires) {
      this.balance--;
      this.used++;
      return true;
    }
    if (now < this.emptyUntil) return false;
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      void this.requestTokens();
    });
  }

  /** Returns a token that was not needed. */
  giveBack(): void {
    this.balance++;
    this.used--;
  }

  /** Counts requests after their admission; the bucket may get a debt. */
  charge(tokens: number): void {
    this.balance -= tokens;
    if (this.balance < 0) void this.requestTokens();
  }

  private async requestTokens(): Promise<void> {
    if (this.requesting) return;
    this.requesting = true;
    do {
      const batch = this.waiting;
      this.waiting = [];
      await this.requestFor(batch);
    } while (this.waiting.length > 0);
    this.requesting = false;
  }

  private async requestFor(batch: TokenBucket['waiting']): Promise<void> {
    const returned = this.balance;
    this.balance = 0;
    this.reported = Math.min(0, returned);
    const requested = batch.length;
    const now = performance.now();
    // Lease size: twice the used tokens if they ran out early, the same if they lasted, none after a pause.
    const leaseLives = (now - this.storeReadAt) / leaseLife(this.rate.windowMs);
    const wanted = leaseLives < 1 ? 2 * this.used : leaseLives < 2 ? this.used : 0;
    this.used = requested;
    try {
      const granted = await this.grant(requested, wanted, returned);
      const readAt = performance.now();
      this.expires = readAt + leaseLife(this.rate.windowMs);
      this.balance += Math.max(0, granted - requested);
      if (granted < requested) this.emptyUntil = readAt + this.untilNext();
      for (const [index, { resolve }] of batch.entries()) resolve(index < granted);
    } catch (error) {
      this.balance += returned;
      for (const { reject } of batch) reject(error);
    } finally {
      this.reported = 0;
    }
  }

  /** Returns how many tokens the store grants, or while it is away this process. */
  private async grant(requested: number, wanted: number, returned: number): Promise<number> {
    const { key, rate, away } = this;
    // What the bucket would contain if this process had used nothing since the store was away.
    const unused = this.refilled(this.tokens, this.storeReadAt);
    const own = away === undefined ? unused : this.refilled(away.tokens, away.at);
    const request = {
      ...{ key, ...rate, requested, wanted },
      returned: returned - (unused - own),
      upperBound: away === undefined ? undefined : unused,
    };
    const answer = await this.takeStored(request);
    if (answer !== undefined) {
      this.away = undefined;
      this.tokens = answer.tokens;
      this.storeReadAt = performance.now();
      return answer.granted;
    }
    const { quota, windowMs } = rate;
    const tokens = Math.min(quota, this.left() + returned);
    const granted = Math.max(0, Math.min(Math.floor(tokens), requested));
    const mostDebt = quota * Math.max(1, LONGEST_DEBT_MS / windowMs);
    this.away = { tokens: Math.max(-mostDebt, tokens - granted), at: performance.now() };
    return granted;
  }

  /** Returns the estimated content of the bucket. */
  private left(): number {
    const { away } = this;
    return away === undefined
      ? this.refilled(this.tokens, this.storeReadAt)
      : this.refilled(away.tokens, away.at);
  }

  private refilled(tokens: number, since: number): number {
    const { quota, windowMs } = this.rate;
    return Math.min(quota, tokens + ((performance.now() - since) * quota) / windowMs);
  }

  /** Approximate number of requests that could be admitted now; other processes share the bucket. */
  get remaining(): number {
    return Math.max(0, Math.floor(this.left() + this.balance + this.reported));
  }

  /** Milliseconds until the bucket is full, without further requests. */
  get untilFull(): number {
    const { quota, windowMs } = this.rate;
    return ((quota - this.left() - Math.min(0, this.balance) - this.reported) * windowMs) / quota;
  }

  /** Returns the milliseconds until the next token, if no other process takes it. */
  untilNext(): number {
    const { quota, windowMs } = this.rate;
    return Math.max(0, ((1 - this.left()) * windowMs) / quota);
  }
}
