/** The cost of content is the processor time of its thread. The clock of a busy machine refuses nothing for good. */
import { parseJson, type Invocation, type RequestContext } from '../../../src/core';
import type { Task } from '../../../src/core/preparation/messages';
import type { WorkerPool } from '../../../src/core/preparation/worker-pool';
import { openCore, type OpenedCore } from '../../support/core';
import { eventually } from '../../support/eventually';
import { JSON_LIMITS, openPreparers } from './preparers';

let opened: OpenedCore;
let context: RequestContext;
beforeAll(async () => {
  opened = await openCore();
  context = await opened.context('system', 'r4');
});
afterAll(() => opened.close());

const outlineOf = (text: string): Task => ({
  name: 'outline',
  of: [{ text, limits: { ...JSON_LIMITS, levels: 1 } }],
});
/** Takes the thread some seconds. */
const LONG = outlineOf(`[${'{},'.repeat(3_000_000)}{}]`);
const SHORT = outlineOf('[1]');

async function withPool(
  limits: { readonly processorMs?: number; readonly clockMs?: number },
  act: (pool: WorkerPool) => Promise<void>,
): Promise<void> {
  const { pool } = openPreparers(limits);
  try {
    await eventually(() => Promise.resolve(pool.canStartSoon()), 60_000);
    await act(pool);
  } finally {
    await pool.close();
  }
}

/** A time by the clock in which a thread surely starts, and an unanswered call is late: some times what a start takes here. */
async function someStarts(): Promise<number> {
  const begun = performance.now();
  await withPool({}, () => Promise.resolve());
  return Math.ceil(5 * (performance.now() - begun));
}

/** Has the thread run an operation whose first call for the database is never answered. */
async function runUnanswered(
  pool: WorkerPool,
  invocation: Pick<Invocation, 'code' | 'input'>,
): Promise<unknown> {
  pool.serve(() => new Promise(() => undefined));
  const { space, actor, deadline, requestId } = context;
  return pool.run({
    name: 'invoke',
    of: [
      { space, actor, deadline, requestId },
      { level: 'instance', type: 'Basic', id: 'a', safe: false, ...invocation },
    ],
  });
}

it('content for which the thread works longer than it may is too costly, and the next content is not', () =>
  withPool({ processorMs: 200 }, async (pool) => {
    await expect(pool.run(LONG)).rejects.toMatchObject({
      ...{ key: 'tooCostly', status: 422 },
      message: 'Processing the content takes more than 200 ms of processor time (CONTENT_PROCESSOR_MS)',
    });
    expect(await pool.run(SHORT)).toMatchObject({ name: 'outline' });
  }));

it('the same content is read where it may take that time', () =>
  withPool({}, async (pool) => {
    expect(await pool.run(LONG)).toMatchObject({ name: 'outline' });
  }));

it('a task that waits longer than it may work is late, and to be sent again', async () =>
  withPool({ processorMs: 100, clockMs: await someStarts() }, async (pool) => {
    await expect(runUnanswered(pool, { code: 'meta' })).rejects.toMatchObject({
      ...{ key: 'timeout', status: 503, isUncertain: false },
    });
  }));

it('a late task that may have changed something says so', async () =>
  withPool({ clockMs: await someStarts() }, async (pool) => {
    const meta = {
      resourceType: 'Parameters',
      parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 'a' }] } }],
    };
    const input = parseJson(JSON.stringify(meta), JSON_LIMITS);
    await expect(runUnanswered(pool, { code: 'meta-add', input })).rejects.toMatchObject({
      ...{ key: 'unanswered', status: 503, isUncertain: true },
    });
  }));
