/** Transactions of which everything goes out in one packet, the commit too (src/core/storage/connection/connection.ts, `runWhole`). */
import { isLostRequirement } from '../../../src/core/storage/connection/database-error';
import { encodeWrites } from '../../../src/core/storage/write/version-write';
import { toOutcomes, wholeWrite } from '../../../src/core/storage/write/write-statements';
import { makeWrite, openStorage, SYSTEM_R4, type OpenedStorage } from './opened-storage';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

function writeOf(...keys: number[]) {
  return wholeWrite(
    encodeWrites(
      SYSTEM_R4,
      keys.map((key) => makeWrite(key)),
    ),
    keys.length,
  );
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'nothing',
    (error: unknown) => (isLostRequirement(error) ? 'lost' : error),
  );
}

/** Keys that are there, and the last number of the tenant's sequence. */
async function kept(): Promise<readonly [keys: readonly number[], last: number]> {
  const { rows } = await storage.owner.query<{ keys: string[]; last: number }>(
    `select array(select r.resource_key::text from andiron.resource r where r.space = $1 order by r.resource_key) as keys,
            (select max(c.last_sequence)::int from andiron.change_counter c) as last`,
    [SYSTEM_R4],
  );
  return [rows[0]?.keys.map(Number) ?? [], rows[0]?.last ?? 0];
}

it('all of its statements are stored, or none if one of them fails', async () => {
  const rows = await storage.database.runWhole(SYSTEM_R4, [writeOf(1, 2), writeOf(3)]);
  const outcomes = [toOutcomes(rows[0] ?? [], 2), toOutcomes(rows[1] ?? [], 1)].flat();
  expect(outcomes.map((outcome) => outcome?.sequence)).toEqual([1, 2, 3]);
  expect(await kept()).toEqual([[1, 2, 3], 3]);
  // 3 is there already.
  const refused = storage.database.runWhole(SYSTEM_R4, [writeOf(4), writeOf(5, 3), writeOf(6)]);
  expect(await errorOf(refused)).toBe('lost');
  expect(await kept()).toEqual([[1, 2, 3], 3]);
  // The connections are as good as before.
  await Promise.all([7, 8, 9, 10].map((key) => storage.database.runWhole(SYSTEM_R4, [writeOf(key)])));
  expect(await kept()).toEqual([[1, 2, 3, 7, 8, 9, 10], 7]);
});

it('none of its writes has an effect if the transaction could not begin', async () => {
  const before = await kept();
  const { statement, bound } = writeOf(20);
  const alone = storage.database.run({ lane: 'write', space: SYSTEM_R4 }, statement, bound);
  expect(await errorOf(alone)).toBe('lost');
  expect(await kept()).toEqual(before);
});
