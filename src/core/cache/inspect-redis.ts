import { Redis } from 'ioredis';
import type { RedisOptions } from './redis-cache';

export interface RedisInspection {
  /** `7.0.15` */
  readonly version: string;
  /** The behaviour when its memory is full: `allkeys-lru`; undefined: Redis does not say. */
  readonly evictionPolicy: string | undefined;
}

const PATIENCE_MS = 3_000;

/** Inspects a Redis without changing it. Throws if it cannot be reached, or refuses the user. */
export async function inspectRedis({ tls, ...options }: RedisOptions): Promise<RedisInspection> {
  const redis = new Redis({
    ...options,
    ...(tls === false ? {} : { tls }),
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => (reason ??= error));
  try {
    await redis.connect();
    const info = await redis.info();
    const valueOf = (name: string): string | undefined =>
      new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
    return { version: valueOf('redis_version') ?? 'unknown', evictionPolicy: valueOf('maxmemory_policy') };
  } catch (error) {
    // `connect` says only that the connection is closed.
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}
