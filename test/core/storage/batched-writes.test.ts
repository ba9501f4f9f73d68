/** Concurrent writes share one statement, and each has its own result. */
import { setTimeout as delay } from 'node:timers/promises';
import { FhirError } from '../../../src/core';
import { StatementError } from '../../../src/core/storage/connection/database-error';
import { WriteQueues } from '../../../src/core/storage/write/write-queues';
import {
  makeWrite,
  openStorage,
  SOME_TYPE,
  stringRows,
  SYSTEM_R4,
  SYSTEM_R4B,
  type OpenedStorage,
} from './opened-storage';

let storage: OpenedStorage;
let writes: WriteQueues;
let batches: number[] = [];
beforeAll(async () => {
  storage = await openStorage();
  writes = new WriteQueues(storage.database, 10_000, (members) => batches.push(members));
});
afterAll(() => storage.close());
beforeEach(() => {
  batches = [];
});

async function countVersions(from: number, to: number): Promise<number> {
  const { rows } = await storage.owner.query<{ count: number }>(
    `select count(*)::int from andiron.resource_version v
     join andiron.resource r using (space, resource_type, resource_key, version)
     where v.space = $1 and v.resource_key between $2 and $3`,
    [SYSTEM_R4, from, to],
  );
  return rows[0]?.count ?? 0;
}

const keys = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

describe('concurrent creates', () => {
  it('share one statement', async () => {
    const outcomes = await Promise.all(keys(1_000, 50).map((key) => writes.write(SYSTEM_R4, makeWrite(key))));
    expect(batches).toEqual([50]);
    expect(outcomes.map((outcome) => outcome?.version)).toEqual(Array(50).fill(1));
    expect(await countVersions(1_000, 1_049)).toBe(50);
  });

  it('that exceed their time limit in the queue are refused and not stored', async () => {
    const [late, early] = await Promise.allSettled([
      writes.write(SYSTEM_R4, makeWrite(1_200), Date.now() - 1),
      writes.write(SYSTEM_R4, makeWrite(1_201), Date.now() + 60_000),
    ]);
    expect(late).toMatchObject({ status: 'rejected', reason: { key: 'timeout' } });
    expect(early).toMatchObject({ status: 'fulfilled', value: { version: 1 } });
    expect(await countVersions(1_200, 1_201)).toBe(1);
  });

  it('do not wait for a blocked statement, if they are several', async () => {
    await writes.write(SYSTEM_R4, makeWrite(1_300));
    await storage.owner.query('begin');
    await storage.owner.query('select 1 from andiron.resource where resource_key = 1300 for update');
    const change = (expected: number) =>
      writes.write(SYSTEM_R4, makeWrite(1_300, { expected, change: 'update' }));
    const first = change(1);
    while (batches.length < 2) await delay(5);
    const further = [change(2), ...keys(1_301, 4).map((key) => writes.write(SYSTEM_R4, makeWrite(key)))];
    expect(await Promise.all(further.slice(1))).toHaveLength(4);
    // The one on the same resource has waited.
    expect(batches).toEqual([1, 1, 4]);
    await storage.owner.query('commit');
    const outcomes = await Promise.all([first, ...further]);
    expect(outcomes.map((outcome) => outcome?.version)).toEqual([2, 3, 1, 1, 1, 1]);
    expect(batches).toEqual([1, 1, 4, 1]);
    const sequences = outcomes.map((outcome) => outcome?.sequence ?? 0);
    expect(Math.min(...sequences.slice(0, 2))).toBeGreaterThan(Math.max(...sequences.slice(2)));
  });

  it('in two spaces never share a statement', async () => {
    await Promise.all([
      writes.write(SYSTEM_R4, makeWrite(1_100)),
      writes.write(SYSTEM_R4B, makeWrite(1_100)),
    ]);
    expect(batches).toEqual([1, 1]);
  });

  it('are stored although the id of one of them exists', async () => {
    await writes.write(SYSTEM_R4, makeWrite(2_001, { body: '{"first":true}' }));
    const outcomes = await Promise.all(keys(2_000, 3).map((key) => writes.write(SYSTEM_R4, makeWrite(key))));
    expect(batches).toEqual([1, 3]);
    expect(outcomes.map((outcome) => outcome?.version)).toEqual([1, undefined, 1]);
    const { rows } = await storage.owner.query<{ body: string }>(
      'select body from andiron.resource_version where space = $1 and resource_key = 2001',
      [SYSTEM_R4],
    );
    expect(rows).toEqual([{ body: '{"first":true}' }]);
  });

  it('under one id store one of them', async () => {
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => writes.write(SYSTEM_R4, makeWrite(2_500, { rows: stringRows('same') }))),
    );
    expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(1);
    expect(await countVersions(2_500, 2_500)).toBe(1);
    const { rows } = await storage.owner.query(
      'select 1 from andiron.string_index where resource_key = 2500',
    );
    expect(rows).toHaveLength(1);
  });

  it('are stored although PostgreSQL refuses the text of one of them', async () => {
    const outcomes = await Promise.allSettled(
      keys(3_000, 5).map((key) =>
        writes.write(SYSTEM_R4, makeWrite(key, key === 3_002 ? { rows: stringRows('a\0b') } : {})),
      ),
    );
    expect(batches).toEqual([5]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    const [refused] = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused?.reason).toBeInstanceOf(StatementError);
    expect(await countVersions(3_000, 3_004)).toBe(4);
  });

  it('are stored although one of them does not fit its columns', async () => {
    const outcomes = await Promise.allSettled(
      keys(3_500, 3).map((key) =>
        writes.write(SYSTEM_R4, makeWrite(key, { type: key === 3_501 ? 1e9 : SOME_TYPE })),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await countVersions(3_500, 3_502)).toBe(2);
  });

  it('leave no index row of a refused member', async () => {
    await writes.write(SYSTEM_R4, makeWrite(4_000, { rows: stringRows('first') }));
    await Promise.all([
      writes.write(SYSTEM_R4, makeWrite(4_000, { rows: stringRows('second') })),
      writes.write(SYSTEM_R4, makeWrite(4_001, { rows: stringRows('neighbour') })),
    ]);
    const { rows } = await storage.owner.query<{ value: string }>(
      'select value from andiron.string_index where resource_key in (4000, 4001) order by value',
    );
    expect(rows.map(({ value }) => value)).toEqual(['first', 'neighbour']);
  });
});

describe('concurrent updates', () => {
  it('are stored although one of them expects an old version', async () => {
    for (const key of [5_000, 5_001]) await writes.write(SYSTEM_R4, makeWrite(key));
    const update = (key: number, expected: number) =>
      writes.write(SYSTEM_R4, makeWrite(key, { expected, change: 'update' }));
    const outcomes = await Promise.all([
      update(5_000, 1),
      update(5_001, 7),
      writes.write(SYSTEM_R4, makeWrite(5_002)),
    ]);
    expect(batches.at(-1)).toBe(3);
    expect(outcomes.map((outcome) => outcome?.version)).toEqual([2, undefined, 1]);
  });

  it('to one resource run one after the other', async () => {
    await writes.write(SYSTEM_R4, makeWrite(5_100));
    const update = () => writes.write(SYSTEM_R4, makeWrite(5_100, { expected: 1, change: 'update' }));
    const outcomes = await Promise.all([update(), update(), update()]);
    expect(outcomes.map((outcome) => outcome?.version)).toEqual([2, undefined, undefined]);
    expect(batches).toEqual([1, 1, 1, 1]);
  });
});

it('writes beyond the limit of the queue are refused immediately, and the waiting ones are stored', async () => {
  const narrow = new WriteQueues(storage.database, 3, () => undefined);
  const outcomes = await Promise.allSettled(
    keys(6_000, 5).map((key) => narrow.write(SYSTEM_R4, makeWrite(key))),
  );
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'fulfilled'],
    ...['rejected', 'rejected'],
  ]);
  expect(await countVersions(6_000, 6_004)).toBe(3);
});

it('writes are refused at the end of the version-sequence, which never wraps', async () => {
  const space = await storage.createTenant('full');
  await storage.owner.query(
    `update andiron.change_counter set last_sequence = 9007199254740988
     where tenant = (select tenant from andiron.space where number = $1)`,
    [space],
  );
  expect((await writes.write(space, makeWrite(1)))?.sequence).toBe(9_007_199_254_740_989);
  expect((await writes.write(space, makeWrite(2)))?.sequence).toBe(9_007_199_254_740_990);
  const refused: unknown = await writes.write(space, makeWrite(3)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(FhirError);
  expect(refused).toMatchObject({ key: 'sequenceExhausted', status: 503 });
  const { rows } = await storage.owner.query('select 1 from andiron.resource where space = $1', [space]);
  expect(rows).toHaveLength(2);
});
