/** Entries in Redis belong to one space alone. */
import { RedisCache } from '../../../src/core/cache/redis-cache';
import { eventually } from '../../support/eventually';
import { silentLog } from '../../support/log';
import { findServices } from '../../support/services';

it('the texts of two spaces under one key are different texts', async () => {
  const options = { ...findServices().redis, tls: false } as const;
  const cache = new RedisCache(options, `test-spaces-${process.pid}`, silentLog, () => undefined);
  try {
    await eventually(() => cache.isReachable, 30_000);
    cache.put(3, 'key', 'of the third');
    cache.put(4, 'key', 'of the fourth');
    expect(await cache.get(3, 'key')).toBe('of the third');
    expect(await cache.get(4, 'key')).toBe('of the fourth');
    expect(await cache.removeSpace(3)).toBe(1);
    expect(await cache.get(3, 'key')).toBeUndefined();
    expect(await cache.get(4, 'key')).toBe('of the fourth');
  } finally {
    cache.close();
  }
});
