/** What the tables of spaces and tenants have, and what changes with the data of a space. */
import { OwnerSession } from '../../../src/core/storage/connection/owner-session';
import { readOwnedTables, removeSome } from '../../../src/core/storage/schema/owned-tables';
import { findOwned } from '../../../src/core/storage/tenants/tenant-removal';
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
     where c.relnamespace = 'andiron'::regnamespace and not t.tgisinternal`,
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

const COUNTERS = `
  select s.kind, s.counter, s.number, s.tenant, exists (select from andiron.change_counter c where c.tenant = s.counter) as counted
  from andiron.space s join andiron.tenant t on t.number = s.tenant where t.name = $1 order by s.kind, s.release`;

it('the AuditEvents of a new tenant are numbered under the number of their space, its data under its own', async () => {
  await storage.createTenant('numbered');
  const { rows } = await storage.owner.query(COUNTERS, ['numbered']);
  expect(rows).toHaveLength(4);
  for (const { kind, counter, number, tenant, counted } of rows)
    expect([counter, counted]).toEqual([kind === 'audit' ? number : tenant, true]);
});

it('the removal of a tenant takes its counters, and nothing of a tenant that has the number of one', async () => {
  const { owner, settings } = storage;
  await storage.createTenant('leaving');
  const { rows } = await owner.query<{ kind: string; counter: number }>(COUNTERS, ['leaving']);
  const beside = rows.find(({ kind }) => kind === 'audit')?.counter;
  await owner.query(`insert into andiron.tenant (number, name) values ($1, 'staying')`, [beside]);
  await owner.query(`insert into andiron.client_application (tenant, id, name) values ($1, 'app', 'App')`, [
    beside,
  ]);
  const session = await OwnerSession.open(settings);
  const owned = await findOwned(session, 'leaving');
  if (owned === undefined) throw new Error('the tenant exists');
  for (const table of await readOwnedTables(session)) await removeSome(session, table, owned);
  await session.close();
  const left = await owner.query('select tenant from andiron.change_counter where tenant = any($1)', [
    owned.counters,
  ]);
  expect([owned.counters.length, left.rows]).toEqual([3, []]);
  const kept = await owner.query('select id from andiron.client_application where tenant = $1', [beside]);
  expect(kept.rows).toEqual([{ id: 'app' }]);
});

it('the number of changes of the search parameters of a tenant is that of its counter', async () => {
  await storage.createTenant('changed');
  await storage.owner.query(
    `update andiron.change_counter set search_parameters = 7
     where tenant = (select number from andiron.tenant where name = 'changed')`,
  );
  expect((await storage.tenants.find('changed'))?.searchParameters).toBe(7);
  const [listed] = await storage.tenants.list({ after: 'changec', most: 1 });
  expect(listed).toMatchObject({ name: 'changed', searchParameters: 7 });
});

it('leases of processes are in tables of the installation', async () => {
  const { rows } = await storage.owner.query<{ name: string }>(
    `select c.relname::text as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'andiron'::regnamespace and c.relkind = 'r' and a.attname = 'worker' order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(['job', 'subscription_feed']);
});
