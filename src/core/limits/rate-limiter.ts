/** How many requests may come in a time, over all processes (docs/limits.md, Rates). */
import { LRUCache } from 'lru-cache';
import type { Rate } from './rate';
import { type BucketStores, TokenBucket } from './token-bucket';

/** What is counted together. */
export interface Counted {
  /** Number of the tenant; 0: no tenant's. */
  readonly tenant: number;
  /** What kind of thing is counted, as clients are told it: `tenant`, `client`, `sign-in`. */
  readonly kind: string;
  /** Which one of its kind; of any length, and not kept in the open. */
  readonly name: string;
  /** Each of them must have room. */
  readonly rates: readonly Rate[];
}

/** One limit after it was asked. */
export interface LimitState {
  /** Of the limit, such as `client-second`. */
  readonly name: string;
  readonly quota: number;
  /** Undefined: so many at the same time. */
  readonly windowSeconds?: number;
  /** Requests that could pass now, about. */
  readonly remaining: number;
  /** Seconds until all of the quota is there again, if nothing comes. */
  readonly resetSeconds?: number;
}

export interface Admission {
  readonly isAdmitted: boolean;
  /** Of a refusal: seconds, at least 1, after which one more could pass. */
  readonly retryAfterSeconds: number;
  /** As they are now; of a refusal the one that was met is the last. */
  limits(): readonly LimitState[];
  /**
   * Of a refusal: waits as long as its answer is to be delayed, because the client was refused often. To be called once, when nothing
   * is held for the request any more.
   */
  readonly delay?: () => Promise<void>;
  /** Counts nothing after all: what was let pass needed not be counted. */
  giveBack(): void;
  /** It is answered, and no longer under way. May be said more than once. */
  leave(): void;
}

/** Buckets that a process knows at once; of a forgotten one the shared part stays. */
const MAX_BUCKETS = 50_000;
const WINDOW_NAMES: Readonly<Record<number, string>> = { 1_000: 'second', 60_000: 'minute' };

interface Taken {
  readonly bucket: TokenBucket;
  readonly name: string;
  readonly rate: Rate;
}

export class RateLimiter {
  private readonly buckets = new LRUCache<string, TokenBucket>({ max: MAX_BUCKETS });

  constructor(
    private readonly stores: BucketStores,
    /** The name under which something is counted in the stores: names may be secret, and long. */
    private readonly digest: (name: string) => string,
  ) {}

  /**
   * Counts one request under all of `counted`, or under none where one of them has no room. Whatever comes first is asked
   * first, and the others only where it had room. Cost: a round trip to Redis where this process has no tokens left.
   * Throws storageUnavailable where neither Redis nor PostgreSQL can be asked.
   */
  async take(counted: readonly Counted[]): Promise<Admission> {
    const taken: Taken[] = [];
    let refused: Taken | undefined;
    for (const { tenant, kind, name, rates } of counted) {
      for (const rate of rates) {
        const one = this.find(tenant, kind, name, rate);
        const granted = one.bucket.take();
        if (granted === true || (granted !== false && (await granted))) {
          taken.push(one);
          continue;
        }
        refused = one;
        break;
      }
      if (refused !== undefined) break;
    }
    if (refused !== undefined) for (const { bucket } of taken) bucket.giveBack();
    const waiting = refused?.bucket.untilNext() ?? 0;
    return {
      isAdmitted: refused === undefined,
      retryAfterSeconds: Math.max(1, Math.ceil(waiting / 1000)),
      limits: () => (refused === undefined ? taken : [...taken, refused]).map(toState),
      giveBack() {
        for (const { bucket } of taken) bucket.giveBack();
      },
      leave: () => undefined,
    };
  }

  /** Counts so many more, found out after they were let pass. */
  charge(counted: readonly Counted[], tokens: number): void {
    for (const { bucket } of this.findAll(counted)) bucket.charge(tokens);
  }

  /** Counts nothing. */
  look(counted: readonly Counted[]): readonly LimitState[] {
    return this.findAll(counted).map(toState);
  }

  private findAll(counted: readonly Counted[]): Taken[] {
    return counted.flatMap(({ tenant, kind, name, rates }) =>
      rates.map((rate) => this.find(tenant, kind, name, rate)),
    );
  }

  private find(tenant: number, kind: string, name: string, rate: Rate): Taken {
    const window = WINDOW_NAMES[rate.windowMs] ?? `${rate.windowMs}ms`;
    const local = `${tenant} ${kind} ${window} ${name}`;
    let bucket = this.buckets.get(local);
    if (bucket === undefined) {
      bucket = new TokenBucket(`${tenant}:${kind}-${window}:${this.digest(name)}`, rate, this.stores);
      this.buckets.set(local, bucket);
    }
    return { bucket: bucket.follow(rate), name: `${kind}-${window}`, rate };
  }
}

function toState({ bucket, name, rate }: Taken): LimitState {
  return {
    name,
    quota: rate.quota,
    windowSeconds: rate.windowMs / 1000,
    remaining: Math.min(rate.quota, bucket.remaining),
    resetSeconds: Math.max(0, Math.ceil(bucket.untilFull / 1000)),
  };
}
