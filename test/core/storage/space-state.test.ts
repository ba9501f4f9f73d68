/** What the tables of spaces and tenants have, and what changes with the data of a space. */
import { openStorage, SYSTEM_R4, type OpenedStorage } from './opened-storage';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

it('each space has a state', async () => {
  const space = await storage.createTenant('created');
  const { rows } = await storage.owner.query(
    'select s.number, t.space from andiron.space s left join andiron.space_state t on t.space = s.number',
  );
  expect(rows).toContainEqual({ number: space, space });
  expect(rows).toContainEqual({ number: SYSTEM_R4, space: SYSTEM_R4 });
  expect(rows.filter((row) => row.space === null)).toEqual([]);
});

it('no trigger acts on a table that is written with the data of a space', async () => {
  const { rows } = await storage.owner.query<{ name: string }>(
    `select t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = 'andiron'::regnamespace and not t.tgisinternal and c.relname <> 'job'`,
  );
  expect(rows).toEqual([]);
});

it('the database chooses no number of a tenant or a space', async () => {
  for (const insert of [
    `insert into andiron.tenant (name) values ('numberless')`,
    `insert into andiron.space (tenant, release) select number, 'r5' from andiron.tenant limit 1`,
  ])
    await expect(storage.owner.query(insert)).rejects.toMatchObject({ code: '23502', column: 'number' });
});
