/** How many introspections that nobody has asked before may be worked out: each keeps a processor busy for a second. */
import { LRUCache } from 'lru-cache';
import { fhirError } from '../core/index';

/** Of one tenant at once; then one in so many milliseconds. */
const OF_TENANT = { most: 4, everyMs: 10_000 };
/** Of all tenants together. */
const OF_ALL = { most: 12, everyMs: 5_000 };
const MOST_TENANTS = 1_000;

interface Bucket {
  left: number;
  /** When `left` was counted. */
  at: number;
}

export class IntrospectionAllowance {
  private readonly all: Bucket;
  private readonly tenants = new LRUCache<number, Bucket>({ max: MOST_TENANTS });

  /** @param now milliseconds that never go back */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.all = { left: OF_ALL.most, at: now() };
  }

  /** Counts one. Throws `tooManyRequests` where the tenant has none left, and `overloaded` where there are none for anybody. */
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
  'Ever new questions about the schema are answered seldom: repeat one, ask schema.json, or wait ten seconds';

function fill(bucket: Bucket, { most, everyMs }: typeof OF_ALL, now: number): void {
  bucket.left = Math.min(most, bucket.left + (now - bucket.at) / everyMs);
  bucket.at = now;
}
