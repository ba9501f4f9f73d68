/** Numbers of a tenant and its spaces. */
import { randomInt } from 'node:crypto';
import { chooseNumbers, slotOf } from '../../../src/core/storage/tenants/slot-numbers';
import { openStorage, type OpenedStorage } from './opened-storage';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

it('a slot is the upper half of the hash of PostgreSQL', async () => {
  const random = Array.from({ length: 5_000 }, () => randomInt(0, 2 ** 31));
  const numbers = [0, 1, 2, 99, 100, 2 ** 31 - 1, ...random];
  const { rows } = await storage.owner.query<{ slot: number }>(
    `select ((hashint4(x.number)::bigint & 4294967295) >> 16)::int as slot
     from unnest($1::int[]) with ordinality as x (number, place) order by x.place`,
    [numbers],
  );
  expect(numbers.map(slotOf)).toEqual(rows.map(({ slot }) => slot));
});

it('the creation of a tenant ends where numbers are taken each time', async () => {
  const { owner } = storage;
  await owner.query(
    `create function andiron.skip() returns trigger language plpgsql as $$ begin return null; end $$`,
  );
  await owner.query(
    'create trigger skip before insert on andiron.tenant for each row execute function andiron.skip()',
  );
  await expect(storage.createTenant('never')).rejects.toMatchObject({ key: 'contended' });
  await owner.query('drop trigger skip on andiron.tenant');
  await expect(storage.createTenant('never')).resolves.toBeGreaterThan(99);
});

it('the numbers of a tenant differ, have one slot, and are none of the reserved ones', () => {
  for (let round = 0; round < 20; round++) {
    const numbers = chooseNumbers(5);
    expect(new Set(numbers).size).toBe(5);
    expect(new Set(numbers.map(slotOf)).size).toBe(1);
    for (const number of numbers) expect(number >= 100 && number < 2 ** 31).toBe(true);
  }
});

it('a tenant and its spaces, for data and for AuditEvents, have one slot', async () => {
  await storage.createTenant('one-slot');
  const { rows } = await storage.owner.query<{ tenant: number; space: number }>(
    `select t.number as tenant, s.number as space from andiron.tenant t join andiron.space s on s.tenant = t.number
     where t.name = 'one-slot'`,
  );
  expect(rows).toHaveLength(4);
  const numbers = new Set(rows.flatMap(({ tenant, space }) => [tenant, space]));
  expect(numbers.size).toBe(5);
  expect(new Set([...numbers].map(slotOf)).size).toBe(1);
});
