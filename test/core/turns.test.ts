/** Others come first between the items of a long loop, whatever the machine. */
import { Turns } from '../../src/core/concurrency/turns';
import { turnsDuring } from '../support/turns-during';

function workFor(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

it('a loop of short items gives way after each ten milliseconds of work', async () => {
  const turns = new Turns();
  const others = await turnsDuring(async () => {
    for (let item = 0; item < 100; item++) {
      await turns.take();
      workFor(1);
    }
  });
  expect(others).toBeGreaterThanOrEqual(8);
});

it('loops that share their turns do not work for ten milliseconds each', async () => {
  const turns = new Turns();
  const loop = async (): Promise<void> => {
    for (let item = 0; item < 20; item++) {
      await turns.take();
      workFor(1);
    }
  };
  const others = await turnsDuring(() => Promise.all(Array.from({ length: 10 }, loop)));
  expect(others).toBeGreaterThanOrEqual(15);
});

it('of many that ask at the same moment no two work in one turn that the first has used up', async () => {
  const turns = new Turns();
  const worked: number[] = [];
  const one = async (_: unknown, index: number): Promise<void> => {
    await turns.take();
    workFor(11);
    worked.push(index);
  };
  const others = await turnsDuring(() => Promise.all(Array.from({ length: 20 }, one)));
  expect(others).toBeGreaterThanOrEqual(19);
  expect(worked).toEqual(Array.from({ length: 20 }, (_, index) => index));
});
