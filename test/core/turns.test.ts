/** Others come first between the items of a long loop, whatever the machine. */
import { Turns } from '../../src/core/concurrency/turns';

function workFor(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

/** Work that others want to do, and how often they could. */
function others(): { count: number; end(): void } {
  const counted = { count: 0, end: () => clearImmediate(next) };
  const again = (): void => {
    counted.count++;
    next = setImmediate(again);
  };
  let next = setImmediate(again);
  return counted;
}

it('a loop of short items gives way after each ten milliseconds of work', async () => {
  const turns = new Turns();
  const waiting = others();
  for (let item = 0; item < 100; item++) {
    await turns.take();
    workFor(1);
  }
  waiting.end();
  expect(waiting.count).toBeGreaterThanOrEqual(8);
});

it('loops that share their turns do not work for ten milliseconds each', async () => {
  const turns = new Turns();
  const waiting = others();
  const loop = async (): Promise<void> => {
    for (let item = 0; item < 20; item++) {
      await turns.take();
      workFor(1);
    }
  };
  await Promise.all(Array.from({ length: 10 }, loop));
  waiting.end();
  expect(waiting.count).toBeGreaterThanOrEqual(15);
});
