/** Tables that are partitioned by tenants' spaces: a row's place (`ctid`) is one of each partition, and others' rows stay what they are. */
import { Client } from 'pg';
import { parseJson } from '../../../src/core';
import { createTestDatabase } from '../../support/database';
import { openCore, type OpenedCore } from '../../support/core';

const INDEXES = ['token_index', 'reference_index', 'range_index', 'string_index', 'uri_index'] as const;
const TABLES = [...INDEXES, 'resource', 'resource_version'] as const;
const PARTITIONS = 8;

const PROFILE = 'http://hl7.org/fhir/StructureDefinition/Patient';

function patientNamed(id: string, family: string): object {
  return {
    resourceType: 'Patient',
    id,
    meta: { profile: [PROFILE] },
    identifier: [{ system: 'urn:example', value: `${id}-${family}` }],
    name: [{ family, given: ['Peter', 'James'] }],
    gender: 'male',
    birthDate: '1974-12-25',
    managingOrganization: { reference: `Organization/${family}` },
  };
}

/** Gives a table partitions by hash of the space, with all that it has: rows, indexes, rights, policies, triggers. */
async function partition(owner: Client, table: string): Promise<void> {
  const name = `andiron.${table}`;
  const statementsOf = async (query: string): Promise<string[]> =>
    (await owner.query<{ statement: string }>(query, [name])).rows.map(({ statement }) => statement);
  const rights = await statementsOf(
    `select format('grant %s on ${name} to %I', a.privilege_type, a.grantee::regrole::text) as statement
     from pg_class c, aclexplode(c.relacl) a where c.oid = $1::regclass and a.grantee <> c.relowner`,
  );
  const policies = await statementsOf(
    `select format('create policy %I on ${name} for %s to %s using (%s)', p.policyname, p.cmd,
                   array_to_string(p.roles, ', '), p.qual) as statement
     from pg_policies p where (p.schemaname || '.' || p.tablename)::regclass = $1::regclass`,
  );
  const triggers = await statementsOf(
    `select pg_get_triggerdef(t.oid) as statement from pg_trigger t where t.tgrelid = $1::regclass and not t.tgisinternal`,
  );
  await owner.query(`
    alter table ${name} rename to whole_${table};
    create table ${name} (like andiron.whole_${table} including all) partition by hash (space)`);
  for (let rest = 0; rest < PARTITIONS; rest++)
    await owner.query(
      `create table ${name}_${rest} partition of ${name} for values with (modulus ${PARTITIONS}, remainder ${rest})`,
    );
  await owner.query(`
    insert into ${name} select * from andiron.whole_${table};
    drop table andiron.whole_${table};
    alter table ${name} enable row level security`);
  for (const statement of [...rights, ...policies, ...triggers]) await owner.query(statement);
}

let opened: OpenedCore;
let owner: Client;
beforeAll(async () => {
  const database = await createTestDatabase();
  owner = new Client(database.settings);
  await owner.connect();
  for (const table of TABLES) await partition(owner, table);
  opened = await openCore({ database, environment: { VALIDATION: 'structure', PURGE_OPEN: 'on' } });
  await createInAnotherPartition('busy', 'system');
  await createInAnotherPartition('third', 'busy');
  // The same in each, so that places are the same too.
  for (const tenant of ['system', 'busy', 'third'])
    for (let number = 0; number < 20; number++) await write(tenant, `p${number}`, 'Chalmers');
});
afterAll(async () => {
  await owner.end();
  await opened.close();
  await opened.database.drop();
});

/**
 * Numbers of spaces are random: creates `tenant` again until its resources are in another partition than those of `other`, and than
 * base resources, behind which they would have other places.
 */
async function createInAnotherPartition(tenant: string, other: string): Promise<void> {
  for (;;) {
    await opened.core.tenants.create(tenant);
    const { rows } = await owner.query(
      `with placed as (
         select s.number, t.name, r.part
         from andiron.space s left join andiron.tenant t on t.number = s.tenant
           cross join generate_series(0, $1 - 1) as r (part)
         where (s.number <= 2 or (t.name in ($2, $3) and s.release = 'r4' and s.kind = 'data'))
           and satisfies_hash_partition('andiron.resource'::regclass, $1, r.part, s.number)
       )
       select 1 from placed own join placed beside on beside.part = own.part and beside.number <> own.number where own.name = $2`,
      [PARTITIONS, tenant, other],
    );
    if (rows.length === 0) return;
    await opened.core.tenants.remove(tenant);
  }
}

async function write(tenant: string, id: string, family: string): Promise<void> {
  const context = await opened.context(tenant, 'r4');
  const document = parseJson(JSON.stringify(patientNamed(id, family)));
  await opened.core.interactions.update(context, { type: 'Patient', id, input: document });
}

/** The numbers of the spaces of the tenant that is busy. */
async function busySpaces(): Promise<string> {
  const { rows } = await owner.query<{ number: number }>(
    `select s.number from andiron.space s join andiron.tenant t on t.number = s.tenant where t.name = 'busy'`,
  );
  return rows.map(({ number }) => number).join(', ');
}

/** Returns the number of rows of other spaces in each table, with position and writer of each: untouched rows keep both. */
async function rowsOfOthers(spaces: string): Promise<string[]> {
  const parts = TABLES.map(
    (table) =>
      `select '${table} ' || count(*) || ' ' || sum(hashtextextended(t.tableoid::text || t.ctid::text || t.xmin::text, 0)) as row
       from andiron.${table} t where space not in (${spaces})`,
  );
  const { rows } = await owner.query<{ row: string }>(parts.join(' union all '));
  // PostgreSQL may give the parts of a union in any order.
  return rows.map(({ row }) => row).sort();
}

it('the rows of several tenants have the same positions in different partitions', async () => {
  const spaces = await busySpaces();
  for (const table of [...INDEXES, 'resource']) {
    const { rows } = await owner.query<{ shared: number }>(
      `select count(*)::int as shared from andiron.${table} a join andiron.${table} b on b.ctid = a.ctid
       where a.space in (${spaces}) and b.space > 2 and b.space not in (${spaces})`,
    );
    expect(rows[0]?.shared).toBeGreaterThan(0);
  }
});

describe('rows of other tenants do not change', () => {
  let spaces: string;
  let before: string[];
  beforeAll(async () => {
    spaces = await busySpaces();
    before = await rowsOfOthers(spaces);
  });
  afterEach(async () => expect(await rowsOfOthers(spaces)).toEqual(before));

  it('by updates and deletions', async () => {
    for (let number = 0; number < 10; number++) await write('busy', `p${number}`, 'Windsor');
    const context = await opened.context('busy', 'r4');
    for (let number = 10; number < 15; number++)
      await opened.core.interactions.delete(context, 'Patient', `p${number}`);
    expect(await opened.differences('busy')).toEqual([]);
  });

  it('by a reindex that removes rows and repairs heads', async () => {
    for (const table of INDEXES)
      await owner.query(
        `insert into andiron.${table} select t.* from andiron.${table} t where t.space in (${spaces}) limit 5`,
      );
    await owner.query(`update andiron.resource set sort_date = 5 where space in (${spaces})`);
    const { losses, removed } = await opened.reindex({ tenant: 'busy' });
    expect(losses).toEqual([]);
    expect(removed).toBeGreaterThan(0);
    expect(await opened.differences('busy')).toEqual([]);
  });

  it('by a purge', async () => {
    const context = await opened.context('busy', 'r4');
    const purge = { level: 'instance', type: 'Patient', id: 'p1', code: 'purge', safe: false } as const;
    await opened.core.interactions.invoke(context, purge);
    expect(await opened.differences('busy')).toEqual([]);
  });

  it('by the removal of the tenant', async () => {
    expect(await opened.core.tenants.remove('busy')).toMatchObject({ isComplete: true });
    for (const tenant of ['system', 'third']) expect(await opened.differences(tenant)).toEqual([]);
  });
});
