import { InFlight } from '../../src/core/concurrency/in-flight';

it('entries are found by key, in the order in which they were added, until they are taken', () => {
  const underWay = new InFlight<number, string>();
  for (const [key, value] of [
    [3, 'c'],
    [1, 'a'],
    [2, 'b'],
  ] as const)
    underWay.add(key, value);
  expect([underWay.size, underWay.oldestKey, underWay.get(1), underWay.get(4)]).toEqual([
    3,
    3,
    'a',
    undefined,
  ]);
  expect([underWay.take(3), underWay.take(3), underWay.oldestKey]).toEqual(['c', undefined, 1]);
  expect([underWay.every((value) => value < 'c'), underWay.every((value) => value < 'b')]).toEqual([
    true,
    false,
  ]);
  expect([underWay.takeAll(), underWay.size, underWay.oldestKey]).toEqual([['a', 'b'], 0, undefined]);
});
