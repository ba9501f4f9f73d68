/** The thread for long content may be lost: only what it was at is refused, and the next one does the rest. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inNextTurn } from '../../../src/core/concurrency/next-turn';
import type { Task, TaskResult } from '../../../src/core/preparation/messages';
import { THREAD_LIMITS } from '../../../src/core/preparation/thread-limits';
import type { WorkerPool } from '../../../src/core/preparation/worker-pool';
import { openCore, type OpenedCore } from '../../support/core';
import { JSON_LIMITS, openPreparers, openTransaction, versionsOf } from './preparers';

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

const outlineOf = (text: string): Task => ({
  name: 'outline',
  of: [{ text, limits: { ...JSON_LIMITS, levels: 1 } }],
});
const outlined = (value: number[]): TaskResult => ({ name: 'outline', value: { value, parts: [] } });
/** Takes the thread some time, in which this one goes on. */
const LONG = outlineOf(`[${'{},'.repeat(1_000_000)}{}]`);

// Only the clock of this thread: the other one is not waited for.
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
});
afterEach(() => {
  jest.useRealTimers();
});

async function untilReady(pool: WorkerPool): Promise<void> {
  while (!pool.canStartSoon()) await nextTurn();
}

/** By the clock, which says nothing of the content. */
const LATE = { key: 'timeout', status: 503 };

/** Runs a task that takes as long as none may: the thread is lost with it. */
async function loseThread(pool: WorkerPool, isShort = false): Promise<void> {
  const refused = expect(pool.run(LONG, isShort)).rejects.toMatchObject(LATE);
  // A long task is handed over in a turn of its own.
  await new Promise<void>(inNextTurn);
  jest.advanceTimersByTime(THREAD_LIMITS.taskMs);
  await refused;
}

it('a task that the thread is lost with is refused, and no other that it had or that waits', async () => {
  const { pool } = openPreparers();
  try {
    await untilReady(pool);
    const refused = expect(pool.run(LONG, true)).rejects.toMatchObject(LATE);
    // The first of them was given to the thread beside it.
    const others = [
      pool.run(outlineOf('[1]'), true),
      ...[2, 3].map((number) => pool.run(outlineOf(`[${number}]`))),
    ];
    jest.advanceTimersByTime(THREAD_LIMITS.taskMs);
    await refused;
    expect(await Promise.all(others)).toEqual([[1], [2], [3]].map(outlined));
    await untilReady(pool);
    expect(await pool.run(outlineOf('[4]'), true)).toEqual(outlined([4]));
  } finally {
    await pool.close();
  }
});

it('threads that are lost one after the other refuse one task each', async () => {
  const { pool } = openPreparers();
  try {
    for (let turn = 0; turn < 3; turn++) {
      await loseThread(pool);
      expect(await pool.run(outlineOf(`[${turn}]`))).toEqual(outlined([turn]));
    }
  } finally {
    await pool.close();
  }
});

it('a transaction that the lost thread had read continues in the next one', async () => {
  const { space } = await opened.context('system', 'r4');
  const { here, there, pool, names } = openPreparers();
  const content = { status: 'final', entries: 1000 };
  const versions = versionsOf(space, content.entries);
  try {
    const bundle = await openTransaction(there, space, content);
    await loseThread(pool);
    const prepared = await bundle.prepare(versions);
    // Asked once, and once more with the Bundle, which the new thread does not have.
    expect(names).toEqual(['bundle', 'versions', 'versions']);
    const own = await openTransaction(here, space, content);
    expect(prepared).toEqual(await own.prepare(versions));
    bundle.close();
  } finally {
    await pool.close();
  }
});

it('waiting tasks are refused when the pool is closed, and later ones too', async () => {
  const { pool } = openPreparers();
  const waiting = [1, 2].map((number) =>
    expect(pool.run(outlineOf(`[${number}]`))).rejects.toMatchObject({ key: 'stopping', status: 503 }),
  );
  await pool.close();
  await Promise.all(waiting);
  await expect(pool.run(outlineOf('[3]'))).rejects.toMatchObject({ key: 'stopping' });
  expect(pool.canStartSoon()).toBe(false);
});
