/** A write removes index rows of its own space alone, although another space has the same resource with the same values. */
import { WriteQueues } from '../../../src/core/storage/write/write-queues';
import { BARE_ROWS, makeWrite, openStorage, SYSTEM_R4, type OpenedStorage } from './opened-storage';

const ROWS = {
  ...BARE_ROWS,
  tokens: [{ parameter: 1, valueHigh: 1, valueLow: 2, system: 3 }],
  references: [{ parameter: 2, targetType: 4, targetHigh: 5, targetLow: 6 }],
  ranges: [
    {
      ...{ parameter: 3, qualifierHigh: 0, qualifierLow: 0, qualifierSystem: 0, low: 1, high: 2 },
      ...{ unitSystem: 0, unitCode: 0, unitName: 0, isLowest: true, isHighest: true },
    },
  ],
  strings: [{ parameter: 4, value: 'same', exact: 1, isWhole: true, isLowest: true, isHighest: true }],
  uris: [{ parameter: 5, value: 'urn:same', version: '' }],
};
const TABLES = ['token_index', 'reference_index', 'range_index', 'string_index', 'uri_index'];

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

it('a deletion in one space leaves the index rows of the others', async () => {
  const other = await storage.createTenant('other');
  const writes = new WriteQueues(storage.database, 100, () => undefined);
  for (const space of [SYSTEM_R4, other]) await writes.write(space, makeWrite(1, { rows: ROWS }));
  const countRows = async (space: number): Promise<readonly number[]> => {
    const counts: number[] = [];
    for (const table of TABLES) {
      const text = `select count(*)::int as n from andiron.${table} where space = $1`;
      const { rows } = await storage.owner.query<{ n: number }>(text, [space]);
      counts.push(rows[0]?.n ?? NaN);
    }
    return counts;
  };
  for (const space of [SYSTEM_R4, other]) expect(await countRows(space)).toEqual([1, 1, 1, 1, 1]);
  const deletion = makeWrite(1, { expected: 1, change: 'delete', body: null, replaced: ROWS });
  expect((await writes.write(SYSTEM_R4, deletion))?.version).toBe(2);
  expect(await countRows(SYSTEM_R4)).toEqual([0, 0, 0, 0, 0]);
  expect(await countRows(other)).toEqual([1, 1, 1, 1, 1]);
});
