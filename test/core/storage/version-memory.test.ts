/** Texts that were read before are not sent again, and never stand for another version than the current one. */
import { VersionCache } from '../../../src/core/storage/read/version-cache';
import type { Database, Row } from '../../../src/core/storage/connection/database';
import { VersionReader } from '../../../src/core/storage/read/version-read';
import { WriteQueues } from '../../../src/core/storage/write/write-queues';
import { makeWrite, openStorage, SOME_TYPE, SYSTEM_R4, type OpenedStorage } from './opened-storage';

const RESOURCES = 40;
let storage: OpenedStorage;
let writes: WriteQueues;
let another: number;
beforeAll(async () => {
  storage = await openStorage();
  writes = new WriteQueues(storage.database, 10_000, () => undefined);
  another = await storage.createTenant('another');
  for (const space of [SYSTEM_R4, another])
    await Promise.all(Array.from({ length: RESOURCES }, (_, key) => writes.write(space, makeWrite(key + 1))));
});
afterAll(() => storage.close());

const address = (key: number) => ({ type: SOME_TYPE, key: { high: 0, low: key } });
const ALL = Array.from({ length: RESOURCES }, (_, index) => address(index + 1));

/** A reader with a cache, and the rows with texts that its statements returned. */
function cachingReader(cache = new VersionCache(1_000_000)): {
  reader: VersionReader;
  readonly texts: Row[];
} {
  const texts: Row[] = [];
  const database: Database = {
    async run(context, statement, bound) {
      const rows = await storage.database.run(context, statement, bound);
      texts.push(...rows.filter((row) => row.some((column) => String(column).startsWith('{'))));
      return rows;
    },
  };
  return { reader: new VersionReader(database, () => undefined, cache), texts };
}

async function readAll(reader: VersionReader, space = SYSTEM_R4): Promise<string[]> {
  const rows = await Promise.all(ALL.map((each) => reader.current(space, each)));
  return rows.map((row) => `${row?.version} ${row?.sequence} ${row?.change} ${row?.body}`);
}

const plain = (): VersionReader => new VersionReader(storage.database, () => undefined);

/** From here on most of the versions are cached. */
async function warm(reader: VersionReader, space = SYSTEM_R4): Promise<void> {
  for (let round = 0; round < 20; round++) await readAll(reader, space);
}

it('a version that is read often comes without its text, and is the same', async () => {
  const { reader, texts } = cachingReader();
  await warm(reader);
  texts.length = 0;
  expect(await readAll(reader)).toEqual(await readAll(plain()));
  expect((await reader.readCurrent(SYSTEM_R4, ALL)).map((row) => row?.body)).toEqual(
    (await plain().readCurrent(SYSTEM_R4, ALL)).map((row) => row?.body),
  );
  expect(texts).toEqual([]);
});

it('a change or deletion by another process is seen', async () => {
  const { reader, texts } = cachingReader();
  await warm(reader);
  for (let round = 1; round <= 10; round++) {
    const [changed, deleted] = [round, round + 20];
    await writes.write(SYSTEM_R4, makeWrite(changed, { expected: 1, change: 'update' }));
    await writes.write(SYSTEM_R4, makeWrite(deleted, { expected: 1, change: 'delete', body: null }));
    texts.length = 0;
    expect(await readAll(reader)).toEqual(await readAll(plain()));
    expect(texts).toHaveLength(1);
  }
});

it('after a restore a version with the number of a cached one is another one', async () => {
  const { reader } = cachingReader();
  await warm(reader, another);
  await storage.owner.query(
    `update andiron.resource_version set body = '{"restored":true}', sequence = sequence + 1
     where space = $1 and resource_key = 7`,
    [another],
  );
  const [row] = await reader.readCurrent(another, [address(7)]);
  expect(row?.body).toBe('{"restored":true}');
});

it('spaces share no cached versions', async () => {
  const { reader, texts } = cachingReader();
  await warm(reader);
  texts.length = 0;
  expect(await readAll(reader, another)).toEqual(await readAll(plain(), another));
  expect(texts).toHaveLength(RESOURCES);
});

it('reads of a transaction are not cached, because it may never be committed', async () => {
  const { reader, texts } = cachingReader();
  await warm(reader.over(storage.database), another);
  await readAll(reader, another);
  expect(texts).toHaveLength(RESOURCES);
});

it('the cache respects its limit, and used versions stay', () => {
  const cache = new VersionCache(100_000);
  const ofType = cache.of(1, 2);
  const mark = { version: 1, lastUpdated: 5, sequence: 9 };
  const row = (body: string) => ({
    ...{
      id: null,
      key: { high: 0, low: 1 },
      type: 2,
      metaOffset: 0,
      change: 'create' as const,
      author: null,
    },
    ...mark,
    body,
  });
  ofType.put('used', row('u'));
  for (let key = 0; key < 1000; key++) {
    cache.of(1, key % 3).put(`${key}`, row('x'.repeat(500)));
    expect(ofType.find('used', mark)).toBeDefined();
  }
  const kept = Array.from({ length: 1000 }, (_, key) => cache.of(1, key % 3).find(`${key}`, mark)).filter(
    Boolean,
  );
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.length * 1000).toBeLessThan(100_000);
  ofType.put('long', row('x'.repeat(70_000)));
  expect(ofType.find('long', mark)).toBeUndefined();
  const none = new VersionCache(0);
  none.of(1, 2).put('1', row('x'));
  expect(none.of(1, 2).find('1', mark)).toBeUndefined();
});

it('versions that a statement was bound to are still cached when it answers, even after another version or many others', () => {
  const cache = new VersionCache(100_000);
  const row = (version: number) => ({
    ...{
      id: null,
      key: { high: 0, low: 1 },
      type: 2,
      metaOffset: 0,
      change: 'create' as const,
      author: null,
    },
    ...{ version, lastUpdated: version, sequence: version, body: 'x'.repeat(500) },
  });
  cache.of(1, 2).put('1', row(1));
  cache.of(1, 2).put('2', row(2));
  expect(cache.cachedSequences(1)).not.toEqual(cache.cachedSequences(3));
  // The first is changed, and then so much is read that the second is old.
  cache.of(1, 2).put('1', row(3));
  for (let version = 4; version < 50; version++) cache.of(1, 2).put(`${version}`, row(version));
  expect(cache.of(1, 2).find('1', row(1))).toEqual(row(1));
  expect(cache.of(1, 2).find('2', row(2))).toEqual(row(2));
  expect(cache.of(1, 2).find('1', row(3))).toEqual(row(3));
  cache.evictSpaces(new Set([1]));
  for (const version of [1, 2, 3]) expect(cache.of(1, 2).find('1', row(version))).toBeUndefined();
  expect(cache.cachedSequences(1)).toEqual(cache.cachedSequences(3));
});
