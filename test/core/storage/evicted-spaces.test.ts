/** Erased data leaves every cache of the process, and is not cached again at once. */
import { endHush, evictSpaces, isCacheable, registerCache } from '../../../src/core/memory/cache-registry';

const ERASED = 1_000_001;

it('an erasure evicts the space from caches by space, and empties all others', () => {
  const whole = registerCache(new Map([['text', 'of any space']]));
  const bySpace = new Map([
    [ERASED, 'erased'],
    [ERASED + 1, 'stays'],
  ]);
  const evicting = registerCache({
    evictSpaces: (spaces: ReadonlySet<number>) => spaces.forEach((space) => bySpace.delete(space)),
  });
  try {
    evictSpaces([ERASED]);
    expect(whole.size).toBe(0);
    expect([...bySpace.keys()]).toEqual([ERASED + 1]);
    // The registry holds caches weakly.
    expect(evicting).toBeDefined();
    expect(isCacheable(ERASED)).toBe(false);
    expect(isCacheable(ERASED + 1)).toBe(true);
  } finally {
    endHush([ERASED]);
  }
});
