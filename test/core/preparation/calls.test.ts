/** Calls between threads: what an interface has can be called, and nothing else. */
import { answerCall, createProxy, type Call } from '../../../src/core/preparation/calls';

interface Counter {
  add(by: number, times?: number): Promise<number>;
  forget(): void;
}

function openCounter(): { readonly calls: Call<Counter>[]; readonly near: Counter; readonly far: Counter } {
  const calls: Call<Counter>[] = [];
  let count = 0;
  const near: Counter = {
    async add(by, times = 1) {
      if (by < 0) throw new RangeError('counts up only');
      return (count += by * times);
    },
    forget: () => {
      count = 0;
    },
  };
  const far = createProxy<Counter, keyof Counter>({ add: true, forget: true }, (call) => {
    calls.push(call);
    return answerCall<Counter, keyof Counter>(near, structuredClone(call));
  });
  return { calls, near, far };
}

it('a call of another thread answers as the function does, or throws its error', async () => {
  const { far, calls } = openCounter();
  expect(await far.add(2)).toBe(2);
  expect(await far.add(2, 3)).toBe(8);
  far.forget();
  expect(await far.add(1)).toBe(1);
  await expect(far.add(-1)).rejects.toThrow(new RangeError('counts up only'));
  expect(calls.map(({ name }) => name)).toEqual(['add', 'add', 'forget', 'add', 'add']);
});

it('only functions of the interface can be called', async () => {
  const { near } = openCounter();
  for (const name of ['toString', '__defineGetter__', 'constructor', 'subtract']) {
    const call = JSON.parse(JSON.stringify({ name, of: [1] })) as Call<Counter>;
    await expect(answerCall<Counter, keyof Counter>(near, call)).rejects.toThrow(
      `a thread calls ${name}, which does not exist`,
    );
  }
});

it('an answer for another call is not taken', async () => {
  const far = createProxy<Counter, 'add'>({ add: true }, () =>
    Promise.resolve({ name: 'forget', value: undefined }),
  );
  await expect(far.add(1)).rejects.toThrow('a thread returned the result of forget for add');
});
