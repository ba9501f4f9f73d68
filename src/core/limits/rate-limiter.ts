/** Rate limits over all processes (docs/run/limits.md, Rates). */
import { type Admission, type LimitState } from '../api/process';
import { type BoundedCache, createCache } from '../memory/create-cache';
import type { Rate } from '../memory/rate';
import { type TakeTokens, TokenBucket } from '../memory/token-bucket';

/** A subject of rate limits. */
export interface Counted {
  /** Number of the tenant; 0: no tenant. */
  readonly tenant: number;
  /** The kind of subject, as clients see it: `tenant`, `client`, `sign-in`. */
  readonly kind: string;
  /** The name of the subject, of any length; it is stored only as a hash. */
  readonly name: string;
  /** All of these rates must allow the request. */
  readonly rates: readonly Rate[];
}

/** Buckets in the memory of a process; after an eviction, the shared bucket remains. */
const MAX_BUCKETS = 50_000;
const WINDOW_NAMES: Readonly<Record<number, string>> = { 1_000: 'second', 60_000: 'minute' };

interface Taken {
  readonly bucket: TokenBucket;
  readonly name: string;
  readonly rate: Rate;
}

export interface RateLimiterOptions {
  /** Name of the cache of buckets. */
  readonly name: string;
  /** The store that all processes share; while it is away, each process counts by itself. */
  readonly take: TakeTokens;
  /** Returns the name under which a subject is stored, because names may be secret and long. */
  readonly digest: (name: string) => string;
}

export class RateLimiter {
  private readonly buckets: BoundedCache<string, TokenBucket>;

  constructor(private readonly options: RateLimiterOptions) {
    this.buckets = createCache({ name: options.name, scope: 'program', max: MAX_BUCKETS });
  }

  /**
   * Counts a request under all of `counted`, or under none where one of them is exhausted. They are checked in order,
   * up to the first refusal. Cost: a round trip to the store where this process has no tokens left. Throws the errors of
   * the store.
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

  /** Counts more requests that were already admitted. */
  charge(counted: readonly Counted[], tokens: number): void {
    for (const { bucket } of this.findAll(counted)) bucket.charge(tokens);
  }

  /** Returns the limits without counting. */
  peek(counted: readonly Counted[]): readonly LimitState[] {
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
      const { digest, take } = this.options;
      bucket = new TokenBucket(`${tenant}:${kind}-${window}:${digest(name)}`, rate, take);
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
