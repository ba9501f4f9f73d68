/** Caches: their limits, their lookups in the metrics, and which of them an erasure empties. */
import { Registry } from 'prom-client';
import { createCache } from '../../src/core/memory/create-cache';
import { endHush, evictSpaces } from '../../src/core/memory/cache-registry';
import { watchCaches } from '../../src/instruments';

const ERASED = 1_000_002;

it('a cache evicts what was used longest ago, by number or by weight', () => {
  const numbered = createCache<string, string>({ name: 'test-numbered', scope: 'program', max: 2 });
  for (const key of ['a', 'b', 'c']) numbered.set(key, key);
  expect([...numbered.keys()].sort()).toEqual(['b', 'c']);
  const weighed = createCache<string, string>({
    ...{ name: 'test-weighed', scope: 'program', maxSize: 10 },
    weigh: ({ length }) => length,
  });
  weighed.set('long', 'x'.repeat(8));
  weighed.set('short', 'xxx');
  expect([...weighed.keys()]).toEqual(['short']);
});

it('an erasure empties caches of data, and no others', () => {
  const data = createCache<string, string>({ name: 'test-data', scope: 'data', max: 2 });
  const program = createCache<string, string>({ name: 'test-program', scope: 'program', max: 2 });
  for (const cache of [data, program]) cache.set('key', 'value');
  try {
    evictSpaces([ERASED]);
    expect([data.size, program.size]).toEqual([0, 1]);
  } finally {
    endHush([ERASED]);
  }
});

it('the metrics have the hits and misses of all caches of one name', async () => {
  const registry = new Registry();
  watchCaches(registry);
  const caches = [1, 2].map(() =>
    createCache<string, string>({ name: 'test-lookups', scope: 'program', max: 2 }),
  );
  for (const cache of caches) {
    cache.get('key');
    cache.set('key', 'value');
    cache.get('key');
    cache.get('key');
  }
  const text = await registry.metrics();
  expect(text).toContain('andiron_process_cache_lookups_total{cache="test-lookups",outcome="hit"} 4');
  expect(text).toContain('andiron_process_cache_lookups_total{cache="test-lookups",outcome="miss"} 2');
});
