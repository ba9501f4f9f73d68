/** Work that a busy server could not do is tried again, with growing pauses, and given up in the end. */
import { fhirError, whileBusy } from '../../src/core';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Work that fails as often as `failures` says, and the times at which it began. */
function failing(
  failures: number,
  error = fhirError('overloaded'),
): { work(): Promise<string>; times: number[] } {
  const times: number[] = [];
  return {
    times,
    work: () => {
      times.push(Date.now());
      return times.length > failures ? Promise.resolve('done') : Promise.reject(error);
    },
  };
}

it('is done in the end, after pauses that grow', async () => {
  const { work, times } = failing(4);
  const done = whileBusy(work);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await done).toBe('done');
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(pauses).toHaveLength(4);
  for (const [index, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(50 * 2 ** index - 1);
    expect(pause).toBeLessThanOrEqual(100 * 2 ** index);
  }
});

it('is repeated ten times at most, within a minute and a half', async () => {
  const { work, times } = failing(Infinity);
  const refused = expect(whileBusy(work)).rejects.toMatchObject({ key: 'overloaded' });
  await jest.advanceTimersByTimeAsync(90_000);
  await refused;
  expect(times).toHaveLength(11);
});

it('is not repeated where the content is at fault', async () => {
  const { work, times } = failing(Infinity, fhirError('tooCostly', { reason: 'It is too long' }));
  await expect(whileBusy(work)).rejects.toMatchObject({ status: 422 });
  expect(times).toHaveLength(1);
});

it('is not repeated when it is no longer wanted', async () => {
  const { work, times } = failing(Infinity);
  const controller = new AbortController();
  const refused = expect(whileBusy(work, { signal: controller.signal })).rejects.toMatchObject({
    status: 503,
  });
  await jest.advanceTimersByTimeAsync(100);
  controller.abort();
  await refused;
  expect(times).toHaveLength(2);
});
