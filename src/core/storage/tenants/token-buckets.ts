/** Counts of wrong credentials, for all processes: a token bucket for each identity and network. */
import { sql } from 'kysely';
import { LEASE_SHARE, type BucketAnswer, type BucketRequest } from '../../memory/token-bucket';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

const TAKE = defineStatement(
  template(sql`
    select granted, tokens from andiron.take_tokens(${bind('key')}, ${bind('quota')}::float8, ${bind('window')}::float8,
      ${bind('requested')}::int, ${bind('wanted')}::int, ${bind('returned')}::int, ${bind('upper_bound')}::float8,
      ${sql.lit(LEASE_SHARE)}::int)`),
);
const REMOVE_FULL = defineStatement(template(sql`select andiron.forget_full_buckets(${bind('most')}::int)`));

const MAX_REMOVED = 1_000;
const REMOVE_EVERY = 1_000;

export class StoredBuckets {
  private requests = 0;

  constructor(private readonly database: Database) {}

  /** Takes tokens from a bucket. Throws storageUnavailable. Cost: one statement, sometimes two. */
  async take({ key, quota, windowMs, requested, wanted, returned }: BucketRequest): Promise<BucketAnswer> {
    this.requests++;
    if (this.requests % REMOVE_EVERY === 0)
      await this.database.run({ lane: 'read', space: undefined }, REMOVE_FULL, { most: MAX_REMOVED });
    const bound = {
      key,
      quota,
      window: windowMs,
      requested,
      wanted,
      returned,
      upper_bound: quota,
    };
    const [row] = await this.database.run({ lane: 'read', space: undefined }, TAKE, bound);
    return { granted: Number(row?.[0] ?? 0), tokens: Number(row?.[1] ?? 0) };
  }
}
