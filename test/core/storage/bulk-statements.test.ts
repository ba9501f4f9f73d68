/** Statements of bulk data beside the searches of people. */
import { readHeadKeys, LEAST } from '../../../src/core/storage/jobs/export-candidates';
import { readLastSequence } from '../../../src/core/storage/read/feed';
import { openStorage, SOME_TYPE, SYSTEM_R4, type OpenedStorage } from './opened-storage';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

it('a search finds a connection while many exports of its tenant wait for PostgreSQL', async () => {
  const { database, owner } = storage;
  await owner.query('begin');
  await owner.query('lock table andiron.resource in access exclusive mode');
  const page = { type: SOME_TYPE, after: LEAST, limit: 10 };
  const exports = Array.from({ length: 20 }, () => readHeadKeys(database, SYSTEM_R4, page));
  // It needs no table that is locked.
  await readLastSequence(database, SYSTEM_R4);
  expect(database.usage().search.total).toBeLessThan(database.usage().search.limit);
  await owner.query('rollback');
  expect(await Promise.all(exports)).toEqual(exports.map(() => []));
});
