/** The loop under all background work. */
import { PollingLoop, type PollingLoopOptions } from '../../src/core/concurrency/polling-loop';
import { silentLog } from '../support/log';

const HOUR = 3_600_000;

/** A loop with the lines that it logs; `rounds.next` resolves when the round of this number has begun. */
function createLoop(
  round: (number: number) => Promise<number | undefined>,
  options: Partial<PollingLoopOptions> = {},
) {
  const lines: string[] = [];
  const note = (_fields: object, text: string): void => void lines.push(text);
  let count = 0;
  const waiting = new Map<number, () => void>();
  const loop = new PollingLoop({
    round() {
      count++;
      waiting.get(count)?.();
      return round(count);
    },
    retryMs: 1,
    log: { ...silentLog, warn: note, info: note },
    trouble: 'the test fails',
    isReported: () => true,
    ...options,
  });
  return {
    loop,
    lines,
    count: () => count,
    begins: (number: number) =>
      count >= number ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(number, resolve)),
  };
}

it('a round begins at once where the last one asked for that, or where the loop is woken', async () => {
  const { loop, begins } = createLoop(async (number) => (number < 3 ? 0 : HOUR));
  loop.start();
  await begins(3);
  loop.wake();
  await begins(4);
  await loop.close();
});

it('a loop that is woken during a round begins another one', async () => {
  const made = createLoop(async (number) => {
    if (number === 1) made.loop.wake();
    return undefined;
  });
  made.loop.start();
  await made.begins(2);
  await made.loop.close();
  expect(made.count()).toBe(2);
});

it('what wakes a loop while it gathers is one round', async () => {
  const { loop, begins, count } = createLoop(async () => HOUR, { gatherMs: 20 });
  loop.start();
  await begins(1);
  for (let time = 0; time < 5; time++) loop.wake();
  await begins(2);
  await loop.close();
  expect(count()).toBe(2);
});

it('failures in a row are one line in the log, and so is their end', async () => {
  const { loop, lines, begins } = createLoop(async (number) => {
    if (number < 4) throw new Error('no');
    return HOUR;
  });
  loop.start();
  await begins(4);
  await loop.close();
  expect(lines).toEqual(['the test fails', 'over: the test fails']);
});

it('failures that another part reports are not logged', async () => {
  const { loop, lines, begins } = createLoop(
    async (number) => {
      if (number === 1) throw new Error('no');
      return HOUR;
    },
    { isReported: () => false },
  );
  loop.start();
  await begins(2);
  await loop.close();
  expect(lines).toEqual([]);
});

it('a closed loop ends after the round that is under way, and where work is left after the last of it', async () => {
  let left = 3;
  const { loop, begins, count } = createLoop(
    async () => {
      left -= 1;
      return 1;
    },
    { mayEnd: () => left <= 0 },
  );
  loop.start();
  await begins(1);
  await loop.close();
  expect([left, count()]).toEqual([0, 3]);
  loop.wake();
  await loop.close();
  expect(count()).toBe(3);
});

it('a round can stop its own loop', async () => {
  const made = createLoop(async () => {
    made.loop.stop();
    return 0;
  });
  made.loop.start();
  await made.loop.close();
  expect(made.count()).toBe(1);
});
