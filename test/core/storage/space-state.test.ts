/** What changes with the data of a space, while processes of the version before keep it in the table of spaces. */
import { openStorage, SYSTEM_R4, type OpenedStorage } from './opened-storage';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

const COLUMNS = 'rows_made_with, last_parameter, unversioned_changes, purged_to';

async function both(space: number): Promise<readonly unknown[]> {
  const { owner } = storage;
  const [old] = (await owner.query(`select ${COLUMNS} from andiron.space where number = $1`, [space])).rows;
  const [state] = (await owner.query(`select ${COLUMNS} from andiron.space_state where space = $1`, [space]))
    .rows;
  return [old, state];
}

it('each space has a state, also that of a tenant that the version before creates', async () => {
  const { owner } = storage;
  await storage.createTenant('created');
  await owner.query(
    `with created as (insert into andiron.tenant (name) values ('created-before') returning number)
     insert into andiron.space (tenant, release) select c.number, 'r4' from created c`,
  );
  const { rows } = await owner.query(
    'select s.number from andiron.space s where not exists (select from andiron.space_state t where t.space = s.number)',
  );
  expect(rows).toEqual([]);
});

it('changes of either version are seen by the other', async () => {
  const { owner } = storage;
  await owner.query(
    `update andiron.space set rows_made_with = '{old}', last_parameter = 100007, unversioned_changes = 3, purged_to = 9
     where number = $1`,
    [SYSTEM_R4],
  );
  const old = { rows_made_with: ['old'], last_parameter: 100007, unversioned_changes: 3, purged_to: 9 };
  expect(await both(SYSTEM_R4)).toEqual([old, old]);
  await owner.query(
    `update andiron.space_state
     set rows_made_with = rows_made_with || 'new'::text, unversioned_changes = unversioned_changes + 1
     where space = $1`,
    [SYSTEM_R4],
  );
  const next = { ...old, rows_made_with: ['old', 'new'], unversioned_changes: 4 };
  expect(await both(SYSTEM_R4)).toEqual([next, next]);
});

it('a change of one space leaves the others as they are', async () => {
  const space = await storage.createTenant('beside');
  const before = await both(space);
  await storage.owner.query(
    'update andiron.space_state set unversioned_changes = unversioned_changes + 1 where space = $1',
    [SYSTEM_R4],
  );
  expect(await both(space)).toEqual(before);
});
