/** The index of `:contains`. */
import { openStorage, SYSTEM_R4, type OpenedStorage } from './opened-storage';

const PAGES_OF_256_KB = 32;

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

it('a write sorts at most 256 kB of strings of others into the index', async () => {
  const { owner } = storage;
  for (let from = 0; from < 2_000; from += 100) {
    await owner.query(
      `insert into andiron.string_index (space, parameter, resource_key, exact_hash, extremes, value)
       select $1, 1, n, n, 0, md5(n::text) || md5((-n)::text) from generate_series($2::int, $2::int + 99) n`,
      [SYSTEM_R4, from],
    );
  }
  const { rows } = await owner.query<{ pages: string }>(
    `select gin_clean_pending_list('andiron.string_index_by_trigram') as pages`,
  );
  expect(Number(rows[0]?.pages)).toBeLessThanOrEqual(2 * PAGES_OF_256_KB);
});
