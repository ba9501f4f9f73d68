import type { Rate } from './rate';

/** What a process asks of a bucket that all processes share. */
export interface BucketRequest extends Rate {
  /** Which bucket. */
  readonly key: string;
  /** Tokens that requests wait for. */
  readonly asked: number;
  /** Tokens that it would rather take at once, for requests that come next; as many at most. */
  readonly wanted: number;
  /** Tokens that it took before and did not use; negative: those that it used without having taken them. */
  readonly returned: number;
  /** What the bucket can hold at most, as it was told by another store; undefined: this store knows. */
  readonly known: number | undefined;
}

export interface BucketAnswer {
  readonly granted: number;
  /** What is left; negative where more was used than there was. */
  readonly tokens: number;
}

/** Where the buckets are. Undefined: it cannot be reached. */
export type TakeTokens = (request: BucketRequest) => Promise<BucketAnswer | undefined>;

/** No more than this part of what is in a bucket is taken beyond what was asked for: another process may need it. */
export const LEASE_SHARE = 8;

/** A bucket owes no more than flows into it in so many milliseconds: nobody is shut out for longer. */
export const LONGEST_DEBT_MS = 600_000;

/** Milliseconds for which a process may use what it has taken. */
export function leaseLife(windowMs: number): number {
  return Math.min(1_000, windowMs / 10);
}

/** From a store that went away on, how long the other one is asked before this one is tried again. */
const AWAY_MS = 1_000;

/** The two stores of buckets, of which the first is asked as long as it answers. */
export class BucketStores {
  private awayUntil = 0;

  constructor(
    private readonly first: TakeTokens,
    private readonly second: TakeTokens,
  ) {}

  /** `known` of the request is passed on only to a store that is not `asked`, the one that answered last. */
  async take(
    request: BucketRequest,
    asked: 'first' | 'second' | undefined,
  ): Promise<BucketAnswer & { readonly store: 'first' | 'second' }> {
    const of = (store: 'first' | 'second'): BucketRequest =>
      store === asked ? { ...request, known: undefined } : request;
    if (performance.now() >= this.awayUntil) {
      const answer = await this.first(of('first'));
      if (answer !== undefined) return { ...answer, store: 'first' };
      this.awayUntil = performance.now() + AWAY_MS;
    }
    const answer = await this.second(of('second'));
    if (answer === undefined) throw new Error('no store of counts could be asked');
    return { ...answer, store: 'second' };
  }
}

/**
 * What this process has of one bucket. Tokens are taken from the shared one before a request is let pass, more than one
 * at a time where many come, and are used within `leaseLife`; requests that come while it asks are asked for together.
 */
export class TokenBucket {
  /** Taken and not used; negative: used and not taken. */
  private balance = 0;
  /** Used and not taken, of which the shared one is being told; 0 or negative. */
  private telling = 0;
  private expires = 0;
  private waiting: { resolve(isGranted: boolean): void; reject(error: unknown): void }[] = [];
  private asking = false;
  private emptyUntil = 0;
  /** What was left in the shared one at `toldAt`. */
  private tokens: number;
  private toldAt = 0;
  private used = 0;
  private store: 'first' | 'second' | undefined;

  constructor(
    private readonly key: string,
    private rate: Rate,
    private readonly stores: BucketStores,
  ) {
    this.tokens = rate.quota;
  }

  /** A changed quota holds from the next question on. */
  follow(rate: Rate): this {
    if (rate.quota !== this.rate.quota) {
      this.rate = rate;
      this.emptyUntil = 0;
    }
    return this;
  }

  /** True: let pass, false: not. Waits for the stores only where this process has no token left. */
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
      void this.ask();
    });
  }

  /** Takes back a token that was taken for nothing. */
  giveBack(): void {
    this.balance++;
    this.used--;
  }

  /** Counts what was found out after it was let pass; the bucket may come to owe it. */
  charge(tokens: number): void {
    this.balance -= tokens;
    if (this.balance < 0) void this.ask();
  }

  private async ask(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    do {
      const batch = this.waiting;
      this.waiting = [];
      await this.askFor(batch);
    } while (this.waiting.length > 0);
    this.asking = false;
  }

  private async askFor(batch: TokenBucket['waiting']): Promise<void> {
    const returned = this.balance;
    this.balance = 0;
    this.telling = Math.min(0, returned);
    const asked = batch.length;
    const now = performance.now();
    // What was used up early is followed by more, what lasted by the same, and after a pause comes one at a time.
    const lives = (now - this.toldAt) / leaseLife(this.rate.windowMs);
    const wanted = lives < 1 ? 2 * this.used : lives < 2 ? this.used : 0;
    this.used = asked;
    try {
      const request = { key: this.key, ...this.rate, asked, wanted, returned, known: this.left() };
      const { granted, tokens, store } = await this.stores.take(request, this.store);
      const told = performance.now();
      this.store = store;
      this.tokens = tokens;
      this.toldAt = told;
      this.expires = told + leaseLife(this.rate.windowMs);
      this.balance += Math.max(0, granted - asked);
      if (granted < asked) this.emptyUntil = told + this.untilNext();
      for (const [index, { resolve }] of batch.entries()) resolve(index < granted);
    } catch (error) {
      this.balance += returned;
      for (const { reject } of batch) reject(error);
    } finally {
      this.telling = 0;
    }
  }

  /** What the shared one holds by now, as far as this process knows. */
  private left(): number {
    const { quota, windowMs } = this.rate;
    if (this.store === undefined) return quota;
    return Math.min(quota, this.tokens + ((performance.now() - this.toldAt) * quota) / windowMs);
  }

  /** Requests that could pass now, about: others take from the same. */
  get remaining(): number {
    return Math.max(0, Math.floor(this.left() + this.balance + this.telling));
  }

  /** Milliseconds until it is full, if nothing is taken. */
  get untilFull(): number {
    const { quota, windowMs } = this.rate;
    return ((quota - this.left() - Math.min(0, this.balance) - this.telling) * windowMs) / quota;
  }

  /** Milliseconds until there is a token, if nobody else takes it. */
  untilNext(): number {
    const { quota, windowMs } = this.rate;
    return Math.max(0, ((1 - this.left()) * windowMs) / quota);
  }
}
