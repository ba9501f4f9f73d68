/** The set of cached sequences that statements are bound to; it never has a wrong entry. */
import { isCachedSql, CachedSequences, NO_SEQUENCES } from '../../../src/core/storage/write/cached-sequences';
import { sql } from 'kysely';
import { bind, defineStatement, template } from '../../../src/core/storage/connection/statement';
import { openStorage, SYSTEM_R4, type OpenedStorage } from './opened-storage';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

const FIND_KNOWN = defineStatement(
  template(sql`
    select s.sequence
    from (select unnest(${bind('asked')}::bigint[]) as sequence, ${bind('known')}::bytea as known) s
    where ${isCachedSql(sql`s.known`, sql`s.sequence`)}
    order by 1`),
);

async function known(numbers: readonly number[], by: Buffer): Promise<number[]> {
  const rows = await storage.database.run({ lane: 'read', space: SYSTEM_R4 }, FIND_KNOWN, {
    asked: [...numbers],
    known: by,
  });
  return rows.map(([sequence]) => Number(sequence));
}

const EDGES = [
  ...[0, 1, 30, 31, 32, 33, 63, 64, 255, 256, 257, 8191, 8192, 131_071, 131_072, 2 ** 31 - 1, 2 ** 31],
  ...[2 ** 31 + 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 33, 2 ** 36 + 64],
];
const upTo = (length: number, step = 1): number[] => Array.from({ length }, (_, index) => (index + 1) * step);

it('a new set is empty', async () => {
  expect(await known(EDGES, NO_SEQUENCES)).toEqual([]);
  expect(await known(EDGES, new CachedSequences().buffer)).toEqual([]);
});

it('the set distinguishes each number from all others; 0, which many versions have, is never in it', async () => {
  for (const sequence of EDGES) {
    const sequences = new CachedSequences();
    sequences.add(sequence);
    expect(await known(EDGES, sequences.buffer)).toEqual(sequence === 0 ? [] : [sequence]);
  }
});

it('a removed number is no longer in the set, and can be added again', async () => {
  const sequences = new CachedSequences();
  for (const sequence of upTo(100)) sequences.add(sequence);
  for (const sequence of upTo(50, 2)) sequences.remove(sequence);
  sequences.remove(5_000);
  expect(await known(upTo(200), sequences.buffer)).toEqual(upTo(100).filter((each) => each % 2 === 1));
  for (const sequence of upTo(50, 2)) sequences.add(sequence);
  expect(await known(upTo(200), sequences.buffer)).toEqual(upTo(100));
});

it('numbers up to the last safe integer are found', async () => {
  const sequences = new CachedSequences();
  const last = [Number.MAX_SAFE_INTEGER - 33, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER];
  for (const sequence of last) sequences.add(sequence);
  expect(await known([...EDGES, ...last, Number.MAX_SAFE_INTEGER - 2], sequences.buffer)).toEqual(last);
});

it('131,072 consecutive numbers fit, in 32 kB', async () => {
  const sequences = new CachedSequences();
  const all = upTo(131_071);
  for (const sequence of all) sequences.add(sequence);
  expect(await known(upTo(140_000), sequences.buffer)).toEqual(all);
  expect(sequences.buffer.length).toBe(32_768);
});

it('the set has the latest of many distant numbers, and none that was not added', async () => {
  const sequences = new CachedSequences();
  const far = upTo(20_000, 32 * 37 + 5);
  for (const sequence of far) sequences.add(sequence);
  const found = await known(
    [...far, ...far.map((each) => each + 1), ...far.map((each) => each - 1)],
    sequences.buffer,
  );
  const some = new Set(far);
  expect(found.every((each) => some.has(each))).toBe(true);
  expect(found.length).toBeGreaterThan(2_000);
  expect(found).toContain(far.at(-1));
  expect(sequences.buffer.length).toBe(32_768);
});
