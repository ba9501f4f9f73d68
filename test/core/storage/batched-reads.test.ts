/** Concurrent reads share one statement, which is sent after all of them have come. */
import { VersionReader } from '../../../src/core/storage/read/version-read';
import { keyText } from '../../../src/core/storage/read/version-row';
import { WriteQueues } from '../../../src/core/storage/write/write-queues';
import {
  makeWrite,
  openStorage,
  SOME_TYPE,
  SYSTEM_R4,
  SYSTEM_R4B,
  type OpenedStorage,
} from './opened-storage';

let storage: OpenedStorage;
let reader: VersionReader;
let writes: WriteQueues;
let batches: number[] = [];
beforeAll(async () => {
  storage = await openStorage();
  reader = new VersionReader(storage.database, (reads) => batches.push(reads));
  writes = new WriteQueues(storage.database, 10_000, () => undefined);
  await Promise.all(Array.from({ length: 40 }, (_, key) => writes.write(SYSTEM_R4, makeWrite(key + 1))));
});
afterAll(() => storage.close());
beforeEach(() => {
  batches = [];
});

const address = (key: number) => ({ type: SOME_TYPE, key: { high: 0, low: key } });
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('concurrent reads share one statement, and each returns its own resource', async () => {
  const rows = await Promise.all(
    Array.from({ length: 40 }, (_, key) => reader.current(SYSTEM_R4, address(key + 1))),
  );
  expect(batches).toEqual([40]);
  expect(rows.map((row) => JSON.parse(row?.body ?? '{}').note)).toEqual(
    Array.from({ length: 40 }, (_, key) => key + 1),
  );
});

it('a resource that is requested twice, and a missing one, are each answered', async () => {
  const rows = await Promise.all([1, 999, 1].map((key) => reader.current(SYSTEM_R4, address(key))));
  expect(rows.map((row) => row?.version)).toEqual([1, undefined, 1]);
  expect(keyText(rows[0]?.key ?? { high: 9, low: 9 })).toBe('1');
});

it('reads of two spaces are never one statement', async () => {
  const rows = await Promise.all([
    reader.current(SYSTEM_R4, address(1)),
    reader.current(SYSTEM_R4B, address(1)),
  ]);
  expect(batches).toEqual([1, 1]);
  expect(rows.map((row) => row?.version)).toEqual([1, undefined]);
});

it('reads that come while statements are under way share the next one', async () => {
  await storage.owner.query(
    'begin; lock table andiron.resource, andiron.resource_version in access exclusive mode',
  );
  const reads: Promise<unknown>[] = [];
  for (let key = 1; key <= 6; key++) {
    reads.push(reader.current(SYSTEM_R4, address(key)));
    await turn();
    await turn();
  }
  const sent = [...batches];
  await storage.owner.query('commit');
  expect(sent).toEqual([1, 1]);
  await Promise.all(reads);
  expect(batches).toEqual([1, 1, 4]);
});

it('a read is in the next statement however many of another tenant wait (docs/run/limits.md, Turns)', async () => {
  await storage.owner.query(
    'begin; lock table andiron.resource, andiron.resource_version in access exclusive mode',
  );
  const flood = Array.from({ length: 50 * 64 }, () => reader.current(SYSTEM_R4, address(1)));
  await turn();
  await turn();
  const read = reader.current(SYSTEM_R4B, address(1));
  await turn();
  await turn();
  expect(batches).toEqual([64, 64]);
  await storage.owner.query('commit');
  await Promise.all([...flood, read]);
  expect(batches).toEqual([64, 64, 1, ...Array.from({ length: 48 }, () => 64)]);
});

it('a read that begins after the answer of a write sees it, however many reads are under way', async () => {
  const key = 500;
  await writes.write(SYSTEM_R4, makeWrite(key));
  let stop = false;
  const crowd = Array.from({ length: 30 }, async () => {
    while (!stop) await reader.current(SYSTEM_R4, address(key));
  });
  for (let version = 1; version <= 60; version++) {
    const written = await writes.write(SYSTEM_R4, makeWrite(key, { expected: version, change: 'update' }));
    const read = await reader.current(SYSTEM_R4, address(key));
    expect(read?.version).toBe(written?.version);
  }
  stop = true;
  await Promise.all(crowd);
  expect(Math.max(...batches)).toBeGreaterThan(1);
});
