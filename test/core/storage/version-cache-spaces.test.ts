/** A cached version is one of its space alone, although versions of two spaces may have the same number, time and sequence. */
import { VersionCache } from '../../../src/core/storage/read/version-cache';

it('a version of one space is not found in another one', () => {
  const cache = new VersionCache(100_000);
  const mark = { version: 1, lastUpdated: 5, sequence: 9 };
  const key = { high: 0, low: 1 };
  const row = { id: null, key, type: 2, metaOffset: 0, change: 'create', author: null, ...mark } as const;
  cache.of(3, 2).put('1', { ...row, body: '{"of":"third"}' });
  expect(cache.of(3, 2).find('1', mark)?.body).toBe('{"of":"third"}');
  expect(cache.of(4, 2).find('1', mark)).toBeUndefined();
  expect(cache.of(4, 2).latest('1')).toBeUndefined();
});
