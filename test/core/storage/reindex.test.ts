/** `andiron reindex`: whatever was done to the index, it becomes what the stored versions give, and nothing else changes. */
import { Client } from 'pg';
import { parseJson } from '../../../src/core';
import { baseContent } from '../../../src/core/conformance/base-resources';
import { migrate } from '../../../src/core/storage/schema/migrate';
import { openCore, type OpenedCore } from '../../support/core';
import { silentLog } from '../../support/log';
import { makeSettings } from '../../support/server';

const TABLES = ['token_index', 'reference_index', 'range_index', 'string_index', 'uri_index'] as const;

const PATIENT = {
  resourceType: 'Patient',
  id: 'example',
  meta: { profile: ['http://hl7.org/fhir/StructureDefinition/Patient|4.0.1'] },
  identifier: [{ system: 'urn:oid:1.2.36.146.595.217.0.1', value: '12345' }],
  name: [{ family: 'Chalmers', given: ['Peter', 'James'] }],
  gender: 'male',
  birthDate: '1974-12-25',
  managingOrganization: { reference: 'Organization/1' },
};
const OBSERVATION = {
  resourceType: 'Observation',
  id: 'weight',
  meta: { profile: ['http://hl7.org/fhir/StructureDefinition/vitalsigns'] },
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }], text: 'Body weight' },
  subject: { reference: 'Patient/example' },
  effectiveDateTime: '2016-03-28',
  valueQuantity: { value: 185, unit: 'lbs', system: 'http://unitsofmeasure.org', code: '[lb_av]' },
};

let opened: OpenedCore;
let owner: Client;
beforeAll(async () => {
  // The resources of this test do not conform to profiles.
  opened = await openCore({ environment: { VALIDATION: 'structure' } });
  owner = new Client(opened.database.settings);
  await owner.connect();
  await opened.core.tenants.create('other');
  for (const tenant of ['system', 'other']) {
    for (const release of ['r4', 'r4b'] as const) {
      const context = await opened.context(tenant, release);
      for (const resource of [PATIENT, OBSERVATION, { ...PATIENT, id: 'gone' }]) {
        const document = parseJson(JSON.stringify(resource));
        await opened.core.interactions.update(context, {
          type: resource.resourceType,
          id: resource.id,
          input: document,
        });
      }
      await opened.core.interactions.create(context, 'Patient', parseJson(JSON.stringify(PATIENT)));
      await opened.core.interactions.delete(context, 'Patient', 'gone');
    }
  }
});
afterAll(async () => {
  await owner.end();
  await opened.close();
});

/** Rows of the tenants (bounded, so that their index is used); rows of the tenant `system`, and three of them. */
const OWN = 'space > 2';
const OWN_SYSTEM = 'space in (3, 4)';
const some = (table: string): string =>
  `ctid in (select ctid from andiron.${table} where ${OWN_SYSTEM} limit 3)`;

/** All index rows and heads, in an order of their own. */
async function contents(where = OWN): Promise<string[]> {
  const parts = [...TABLES, 'resource'].map(
    (table) => `select '${table} ' || t::text as row from andiron.${table} t where ${where}`,
  );
  const { rows } = await owner.query<{ row: string }>(`${parts.join(' union all ')} order by row`);
  return rows.map(({ row }) => row);
}

/** Returns the number of rows of each table, and a hash of them in any order. */
async function hashes(row: string, where: string): Promise<string[]> {
  const parts = [...TABLES, 'resource'].map(
    (table) =>
      `select '${table} ' || count(*) || ' ' || coalesce(sum(hashtextextended(${row}, 0)), 0) as hash
       from andiron.${table} t where ${where}`,
  );
  const { rows } = await owner.query<{ hash: string }>(`${parts.join(' union all ')} order by hash`);
  return rows.map(({ hash }) => hash);
}

/** Returns a hash of position and writer of each index row and head: it stays the same while nothing is touched. */
const places = (where: string): Promise<string[]> => hashes('ctid::text || xmin::text', where);

const SYSTEM = { tenant: 'system' };

/** Runs statements on the tables, and puts the index of the tenant `system` right again; tells what it took. */
async function damage(
  ...statements: string[]
): Promise<{ repaired: number; added: number; removed: number }> {
  const before = await contents();
  for (const statement of statements) {
    const { rowCount } = await owner.query(statement);
    expect(rowCount).toBeGreaterThan(0);
  }
  expect(await contents()).not.toEqual(before);
  expect(await opened.differences('system')).not.toEqual([]);
  const { losses, ...counts } = await opened.reindex(SYSTEM);
  expect(losses).toEqual([]);
  expect(await contents()).toEqual(before);
  expect(await opened.differences('system')).toEqual([]);
  return counts;
}

it('a repair changes no rows that the server has written', async () => {
  expect(await opened.differences('system')).toEqual([]);
  const before = await places(OWN);
  expect(await opened.reindex(SYSTEM)).toEqual({ repaired: 0, added: 0, removed: 0, losses: [] });
  expect(await places(OWN)).toEqual(before);
});

describe('rows of contained resources', () => {
  const CONTAINER = {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'x' },
    contained: [{ ...PATIENT, id: 'p' }],
    subject: { reference: '#p' },
  };
  /** The condition for rows of contained resources. */
  const IN_BLOCKS = `parameter >= 20000000 and ${OWN_SYSTEM}`;

  it.each(TABLES)('in %s are added again, and removed if nothing is contained', async (table) => {
    const context = await opened.context('system', 'r4');
    const write = (type: string, id: string, resource: object): Promise<unknown> =>
      opened.core.interactions.update(context, {
        type,
        id,
        input: parseJson(JSON.stringify({ ...resource, id })),
      });
    const created = await opened.core.interactions.create(
      context,
      'Observation',
      parseJson(JSON.stringify(CONTAINER)),
    );
    const { id } = created.version;
    // An id of our own that another type has too: both resources have the same key.
    const other = { ...CONTAINER, resourceType: 'Condition', code: undefined, status: undefined };
    await write('Condition', id, other);
    expect(await opened.differences('system')).toEqual([]);
    if (table !== 'uri_index') {
      await damage(`delete from andiron.${table} where ${IN_BLOCKS}`);
      await damage(`update andiron.${table} set parameter = parameter + 200000 where ${IN_BLOCKS}`);
      await damage(`insert into andiron.${table} select * from andiron.${table} where ${IN_BLOCKS}`);
    }
    await write('Observation', id, OBSERVATION);
    expect(await opened.differences('system')).toEqual([]);
    await opened.core.interactions.delete(context, 'Condition', id);
    await opened.core.interactions.delete(context, 'Observation', id);
    expect(await opened.differences('system')).toEqual([]);
    const { rows } = await owner.query<{ count: string }>(
      `select count(*) from andiron.${table} where ${IN_BLOCKS}`,
    );
    expect(rows).toEqual([{ count: '0' }]);
  });
});

describe.each(TABLES)('rows of %s', (table) => {
  const ALTERED: Readonly<Record<(typeof TABLES)[number], readonly string[]>> = {
    token_index: ['value_hash = value_hash + 1', 'system_hash = 7', 'sort_date = 5', 'resource_key = 5'],
    reference_index: ['target_key = 5', 'target_type = 9', 'sort_date = 5', 'parameter = parameter + 1'],
    range_index: [
      ...["low = '-infinity'", 'high = high + 0.5', 'qualifier = 4', 'unit_system = 3', 'unit_code = 3'],
      ...['unit_name = 3', 'extremes = extremes + 8'],
    ],
    string_index: [
      `value = E'O''\\\\"{},NULL'`,
      'exact_hash = 5',
      'extremes = extremes + 8',
      'parameter = 999999',
    ],
    uri_index: [`value = 'urn:x y'`, `version = E'1 \\n"2'`],
  };

  it('that are missing are added again', async () => {
    const counts = await damage(`delete from andiron.${table} where ${some(table)}`);
    expect(counts).toMatchObject({ added: 3, removed: 0 });
  });

  it('are added again if all of them are missing', async () => {
    await damage(`delete from andiron.${table} where ${OWN_SYSTEM}`);
  });

  it.each(ALTERED[table])('that were altered (%s) are repaired', async (change) => {
    const counts = await damage(`update andiron.${table} set ${change} where ${some(table)}`);
    expect(counts).toMatchObject({ added: 3, removed: 3 });
  });

  it('that are duplicated are stored once again', async () => {
    const counts = await damage(
      `insert into andiron.${table} select * from andiron.${table} where ${some(table)}`,
    );
    expect(counts).toMatchObject({ added: 0, removed: 3 });
  });

  it('for resources that never existed or are deleted are removed', async () => {
    const columns = await owner.query<{ name: string }>(
      `select column_name as name from information_schema.columns where table_schema = 'andiron'
         and table_name = '${table}' and column_name <> 'resource_key' order by ordinal_position`,
    );
    const names = columns.rows.map(({ name }) => name).join(', ');
    const copy = (key: string): string =>
      `insert into andiron.${table} (${names}, resource_key) select ${names}, ${key} from andiron.${table} t where ${some(table)}`;
    const counts = await damage(
      copy('-987654321'),
      copy(`(select r.resource_key from andiron.resource r where r.space = t.space and r.deleted limit 1)`),
    );
    expect(counts).toMatchObject({ added: 0, removed: 6 });
  });
});

it.each(["presence = presence || '\\x01'", 'sort_date = 5', 'last_updated = 1', 'deleted = not deleted'])(
  'heads that were altered (%s) are repaired',
  async (change) => {
    const counts = await damage(`update andiron.resource set ${change} where ${some('resource')}`);
    expect(counts).toEqual({ repaired: 3, added: 0, removed: 0 });
  },
);

it('rows with an unknown parameter number are removed', async () => {
  await damage(
    `insert into andiron.token_index select space, 999999, value_hash, sort_date, resource_key, system_hash
       from andiron.token_index where ${some('token_index')}`,
  );
});

it('base conformance resources are repaired too', async () => {
  const base = 'space <= 2';
  const before = await hashes('t::text', base);
  const many = (table: string): string =>
    `ctid in (select ctid from andiron.${table} where ${base} order by ctid limit 200)`;
  await owner.query(`delete from andiron.uri_index where ${many('uri_index')}`);
  await owner.query(`update andiron.string_index set value = 'wrong' where ${many('string_index')}`);
  await owner.query(`update andiron.resource set presence = '' where ${many('resource')}`);
  const { added, removed, losses } = await opened.reindex();
  expect({ added, removed, losses }).toEqual({ added: 400, removed: 200, losses: [] });
  expect(await hashes('t::text', base)).toEqual(before);
});

it('extensive damage is repaired without changing the texts', async () => {
  const texts = 'select md5(string_agg(v::text, chr(10) order by v::text)) from andiron.resource_version v';
  const before = (await owner.query(texts)).rows;
  await damage(
    ...TABLES.map(
      (table) =>
        `delete from andiron.${table} where ${OWN_SYSTEM} and resource_key in (select resource_key from andiron.resource where id = 'example')`,
    ),
    `update andiron.token_index set sort_date = 0 where ${OWN_SYSTEM}`,
    `update andiron.resource set presence = '' where ${OWN_SYSTEM}`,
  );
  expect((await owner.query(texts)).rows).toEqual(before);
});

describe('a reindex of one tenant or release', () => {
  const spaceOf = async (tenant: string, release: string): Promise<number> => {
    const { rows } = await owner.query<{ number: number }>(
      `select s.number from andiron.space s join andiron.tenant t on t.number = s.tenant
       where t.name = '${tenant}' and s.release = '${release}' and s.kind = 'data'`,
    );
    return rows[0]?.number ?? 0;
  };

  it('leaves the rows of all others unchanged, even wrong ones', async () => {
    const before = await contents();
    await owner.query(`update andiron.string_index set value = 'wrong' where ${OWN}`);
    const own = await spaceOf('other', 'r4b');
    const untouched = await places(`space <> ${own}`);
    const { repaired } = await opened.reindex({ tenant: 'other', release: 'r4b' });
    expect(repaired).toBe(2);
    expect(await places(`space <> ${own}`)).toEqual(untouched);
    expect(await opened.differences('other')).not.toEqual([]);
    await opened.reindex({ tenant: 'other' });
    expect(await opened.differences('other')).toEqual([]);
    expect(await opened.differences('system')).not.toEqual([]);
    await opened.reindex({ tenant: 'system', release: 'r4' });
    expect(await opened.differences('system')).not.toEqual([]);
    await opened.reindex(SYSTEM);
    expect(await contents()).toEqual(before);
  });
});

it('may be stopped at any time and started again', async () => {
  await opened.core.tenants.create('large');
  const context = await opened.context('large', 'r4');
  const { number } = context.space;
  const document = parseJson(JSON.stringify(PATIENT));
  await Promise.all(
    Array.from({ length: 320 }, () => opened.core.interactions.create(context, 'Patient', document)),
  );
  const before = await contents(`space = ${number}`);
  await owner.query(`delete from andiron.token_index where space = ${number}`);
  let pieces = 0;
  for await (const progress of opened.core.jobs.reindex({ tenant: 'large', release: 'r4' })) {
    expect(progress.repaired).toBeGreaterThan(0);
    if (++pieces === 3) break;
  }
  const { repaired } = await opened.reindex({ tenant: 'large', release: 'r4' });
  expect(repaired).toBeGreaterThan(100);
  expect(await contents(`space = ${number}`)).toEqual(before);
});

it('runs once at a time', async () => {
  const first = opened.core.jobs.reindex({ tenant: 'system' })[Symbol.asyncIterator]();
  await first.next();
  await expect(opened.reindex({ tenant: 'system' })).rejects.toThrow('Another reindex is running on system');
  await first.return?.();
  expect(await opened.reindex({ tenant: 'system' })).toMatchObject({ repaired: 0 });
});

it('a repair waits for a locked resource only', async () => {
  const before = await contents();
  await owner.query(`delete from andiron.token_index where ${OWN_SYSTEM}`);
  await owner.query('begin');
  await owner.query(`select from andiron.resource where ${OWN_SYSTEM} and id = 'weight' for update`);
  let isDone = false;
  const reindexing = opened.reindex(SYSTEM).then(() => (isDone = true));
  const looker = new Client(opened.database.settings);
  await looker.connect();
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await looker.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };
  while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 10));
  const { rows } = await looker.query<{ id: string | null }>(
    `select distinct r.id from andiron.token_index t join andiron.resource r using (space, resource_key) where ${OWN_SYSTEM}`,
  );
  expect(rows.map(({ id }) => id)).toContain('example');
  expect(rows.map(({ id }) => id)).not.toContain('weight');
  expect(isDone).toBe(false);
  await owner.query('rollback');
  await reindexing;
  await looker.end();
  expect(await contents()).toEqual(before);
});

describe('a lost version', () => {
  // Last: nothing brings it back.
  it('is reported, and its rows stay unchanged', async () => {
    await owner.query(`delete from andiron.resource where ${OWN_SYSTEM} and id = 'weight'`);
    await owner.query(`delete from andiron.resource_version where ${OWN_SYSTEM} and id = 'example' and resource_key in
      (select resource_key from andiron.resource where ${OWN_SYSTEM} and id = 'example' and presence is not null)`);
    const before = await places(OWN_SYSTEM);
    const { losses, repaired } = await opened.reindex(SYSTEM);
    expect(repaired).toBe(0);
    expect(losses).toContainEqual(
      expect.objectContaining({
        type: 'Observation',
        table: 'resource_version',
        superfluous: ['versions without a head'],
      }),
    );
    expect(losses).toContainEqual(
      expect.objectContaining({ type: 'Patient', id: 'example', missing: ['versions 1 to 1'] }),
    );
    expect(await places(OWN_SYSTEM)).toEqual(before);
  });
});

it('base conformance resources of another version of the program replace the former ones completely', async () => {
  const base = baseContent(makeSettings(opened.database).core.extensionBase);
  const database = { ...opened.database.settings, ssl: false as const };
  await migrate({ database, base: { ...base, digest: `${base.digest} of another` }, log: silentLog });
  const { rows } = await owner.query<{ version: number }>(
    'select distinct version from andiron.resource where space <= 2',
  );
  expect(rows).toEqual([{ version: 2 }]);
  // The tenants' spaces have been damaged beyond repair by the tests before.
  const inBase = ({ space }: { space: number }): boolean => space <= 2;
  expect((await opened.differences()).filter(inBase)).toEqual([]);
  expect((await opened.reindex()).losses.filter(inBase)).toEqual([]);
  await owner.query(
    'delete from andiron.resource_version where ctid in (select ctid from andiron.resource_version where space = 1 limit 1)',
  );
  expect((await opened.reindex()).losses.filter(inBase)).toHaveLength(1);
});
