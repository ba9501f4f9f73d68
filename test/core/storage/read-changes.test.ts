/** Changes as their readers get them: live queries and Subscriptions. */
import { readChanges } from '../../../src/core/change-feed/read-changes';
import { WriteQueues } from '../../../src/core/storage/write/write-queues';
import { makeWrite, openStorage, SOME_TYPE, SYSTEM_R4, type OpenedStorage } from './opened-storage';

const MEGABYTE = 1024 * 1024;
const LARGE = 12;

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
  const writes = new WriteQueues(storage.database, 10_000, () => undefined);
  for (let key = 1; key <= LARGE; key++) {
    const write = makeWrite(key);
    await writes.write(SYSTEM_R4, { ...write, body: (write.body ?? '').padEnd(MEGABYTE) });
  }
});
afterAll(() => storage.close());

it('a reader of large changes is told that there are more, and reads on until there are none', async () => {
  const seen: number[] = [];
  let pages = 0;
  for (let since = 0; ; pages++) {
    const types = new Set([SOME_TYPE]);
    const { rows, isMore } = await readChanges(storage.database, SYSTEM_R4, { types, since });
    seen.push(...rows.map(({ sequence }) => sequence));
    since = rows.at(-1)?.sequence ?? since;
    if (!isMore) break;
  }
  expect(seen).toHaveLength(LARGE);
  expect(new Set(seen).size).toBe(LARGE);
  expect(pages).toBeGreaterThan(0);
});

it('a reader of another type gets the same changes in one page, without their texts', async () => {
  const types = new Set([SOME_TYPE + 1]);
  const { rows, isMore } = await readChanges(storage.database, SYSTEM_R4, { types, since: 0 });
  expect(rows.map(({ body }) => body)).toEqual(Array.from({ length: LARGE }, () => ''));
  expect(isMore).toBe(false);
});
