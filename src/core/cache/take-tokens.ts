import { LEASE_SHARE, LONGEST_DEBT_MS, type BucketAnswer, type BucketRequest } from '../memory/token-bucket';
import type { RedisCommands } from './redis-connection';

/** Uses the clock of Redis, so that clocks of processes may differ. A full bucket has no key. */
const TAKE = `
local quota, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local requested, wanted, returned, upper = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = quota
if kept[1] then tokens = kept[1] + math.max(0, now - kept[2]) * quota / window end
tokens = math.min(quota, math.min(tokens, upper) + returned)
local granted = math.max(0, math.min(math.floor(tokens), math.max(requested, math.min(wanted, math.floor(tokens / ${LEASE_SHARE})))))
tokens = math.max(-quota * math.max(1, ${LONGEST_DEBT_MS} / window), tokens - granted)
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.3f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((quota - tokens) * window / quota) + 1000)
return { granted, string.format('%.6f', tokens) }`;

/** Takes tokens of a bucket in Redis. Throws what ioredis throws. */
export async function takeTokens(
  redis: RedisCommands,
  prefix: string,
  { key, quota, windowMs, requested, wanted, returned, upperBound }: BucketRequest,
): Promise<BucketAnswer> {
  const values = [quota, windowMs, requested, wanted, returned, upperBound ?? quota];
  const answer = await redis.eval(TAKE, 1, `${prefix}:rate:${key}`, ...values);
  if (!Array.isArray(answer)) throw new Error('Redis has returned an unexpected result of a rate limit');
  const [granted, tokens] = answer.map(Number);
  if (granted === undefined || tokens === undefined)
    throw new Error('Redis has returned an incomplete result of a rate limit');
  return { granted, tokens };
}
