/** Limits the rate of introspections that are not cached: each takes a second of processor time. */
import { fhirError, createCache } from '../core/index';

/** Burst of one tenant, and the milliseconds per further introspection. */
const OF_TENANT = { most: 4, everyMs: 10_000 };
/** The same for all tenants together. */
const OF_ALL = { most: 12, everyMs: 5_000 };
const MOST_TENANTS = 1_000;

interface Bucket {
  left: number;
  /** Time at which `left` was updated. */
  at: number;
}

export class IntrospectionAllowance {
  private readonly all: Bucket;
  private readonly tenants = createCache<number, Bucket>({
    name: 'introspection-allowances',
    scope: 'program',
    max: MOST_TENANTS,
  });

  /** @param now returns milliseconds of a monotonic clock */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.all = { left: OF_ALL.most, at: now() };
  }

  /**
   * Takes one introspection. Throws `tooManyRequests` when the tenant has none left, and `overloaded` when all tenants
   * together have none left.
   */
  take(tenant: number): void {
    let own = this.tenants.get(tenant);
    if (own === undefined) this.tenants.set(tenant, (own = { left: OF_TENANT.most, at: this.now() }));
    fill(own, OF_TENANT, this.now());
    fill(this.all, OF_ALL, this.now());
    if (own.left < 1) throw fhirError('tooManyRequests', { reason: REASON });
    if (this.all.left < 1) throw fhirError('overloaded');
    own.left--;
    this.all.left--;
  }
}

const REASON =
  'Too many different introspection queries: repeat an earlier one, use schema.json, or wait ten seconds';

function fill(bucket: Bucket, { most, everyMs }: typeof OF_ALL, now: number): void {
  bucket.left = Math.min(most, bucket.left + (now - bucket.at) / everyMs);
  bucket.at = now;
}
