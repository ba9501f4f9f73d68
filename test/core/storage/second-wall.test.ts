/** Row-level security: what the database itself shows and refuses, whatever the SQL says (storage.md, correction 9). */
import { Client } from 'pg';
import { ensureApplicationRole } from '../../../src/core/storage/schema/application-role';
import { migrate } from '../../../src/core/storage/schema/migrate';
import { Connections } from '../../../src/core/storage/connection/connections';
import { APPLICATION_ROLE } from '../../../src/core/storage/connection/database';
import { VersionReader } from '../../../src/core/storage/read/version-read';
import { WriteQueues } from '../../../src/core/storage/write/write-queues';
import { baseContent } from '../../../src/core/conformance/base-resources';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { silentLog } from '../../support/log';
import { asApplicationRole, type RunText } from './as-application-role';
import {
  BARE_ROWS,
  makeWrite,
  openStorage,
  SOME_TYPE,
  SYSTEM_R4,
  SYSTEM_R4B,
  type OpenedStorage,
} from './opened-storage';

const TABLES = [
  ...['resource', 'resource_version', 'space_state'],
  ...['token_index', 'reference_index', 'range_index', 'string_index', 'uri_index'],
  ...['search_parameter', 'job', 'job_content'],
];
const FULL_ROWS = {
  ...BARE_ROWS,
  tokens: [{ parameter: 1, valueHigh: 1, valueLow: 2, system: 3 }],
  references: [{ parameter: 2, targetType: 4, targetHigh: 5, targetLow: 6 }],
  ranges: [
    {
      ...{ parameter: 3, qualifierHigh: 0, qualifierLow: 0, qualifierSystem: 0, low: 1, high: 2 },
      ...{ unitSystem: 0, unitCode: 0, unitName: 0, isLowest: true, isHighest: true },
    },
  ],
  strings: [{ parameter: 4, value: 'mine', exact: 1, isWhole: true, isLowest: true, isHighest: true }],
  uris: [{ parameter: 5, value: 'urn:mine', version: '' }],
};
const BASE_R4 = 1;
const REFUSED = { code: '42501' };

let storage: OpenedStorage;
let other: number;
beforeAll(async () => {
  storage = await openStorage();
  other = await storage.createTenant('other');
  const writes = new WriteQueues(storage.database, 100, () => undefined);
  for (const space of [SYSTEM_R4, SYSTEM_R4B, other]) {
    await writes.write(space, makeWrite(1, { rows: FULL_ROWS }));
    // As the owner: all later writes would have to use a registered one.
    await storage.owner.query(
      `insert into andiron.search_parameter (space, number, resource_type, slot, code, url, owner, state, pending, definition)
       values ($1, 100000, 1, 0, 'mine', 'urn:mine', 'mine', 'active', false, '{}')`,
      [space],
    );
    await storage.owner.query(
      `with content as (insert into andiron.job_content (space, id, request) values ($1, 'mine', '{}'))
       insert into andiron.job (space, id, tenant, kind, expires)
       select s.number, 'mine', s.tenant, 'request', now() from andiron.space s where s.number = $1`,
      [space],
    );
  }
});
afterAll(() => storage.close());

/** Work of the application role in a space (or without one), undone afterwards. */
function asApplication<Result>(
  space: number | undefined,
  work: (run: RunText) => Promise<Result>,
): Promise<Result> {
  return asApplicationRole(storage.owner, space === undefined ? {} : { 'andiron.space': space }, work);
}

const count = (table: string, where = 'true'): string =>
  `select count(*)::int as n from andiron.${table} where ${where}`;

describe.each(TABLES)('table %s', (table) => {
  it('shows nothing while no space is set', async () => {
    expect(await asApplication(undefined, (run) => run(count(table)))).toEqual([{ n: 0 }]);
    const emptied = asApplication(undefined, async (run) => {
      await run(`select set_config('andiron.space', '', true)`);
      return run(count(table));
    });
    expect(await emptied).toEqual([{ n: 0 }]);
  });

  it('shows the rows of the space that is set, and no other', async () => {
    for (const space of [SYSTEM_R4, SYSTEM_R4B, other]) {
      const [all] = await asApplication(space, (run) => run(count(table)));
      expect(all).toEqual({ n: 1 });
      expect(await asApplication(space, (run) => run(count(table, `space = ${space}`)))).toEqual([{ n: 1 }]);
    }
  });

  it('shows nothing under a wrong setting, although the SQL names the right space', async () => {
    expect(await asApplication(other, (run) => run(count(table, `space = ${SYSTEM_R4}`)))).toEqual([
      { n: 0 },
    ]);
    expect(await asApplication(SYSTEM_R4B, (run) => run(count(table, `space = ${SYSTEM_R4}`)))).toEqual([
      { n: 0 },
    ]);
  });

  it('accepts no row of another space', async () => {
    const copy = `insert into andiron.${table} select (jsonb_populate_record(t, jsonb_build_object('space', ${other}))).* from andiron.${table} t`;
    await expect(asApplication(SYSTEM_R4, (run) => run(copy))).rejects.toMatchObject(REFUSED);
  });

  it('shows the base space, and accepts no writes there', async () => {
    const [before] = (await storage.owner.query(count(table, `space = ${BASE_R4}`))).rows;
    expect(await asApplication(BASE_R4, (run) => run(count(table)))).toEqual([before]);
    if (['resource', 'resource_version', 'token_index', 'uri_index', 'string_index'].includes(table)) {
      expect(before).not.toEqual({ n: 0 });
    }
    const outcomes: unknown[] = [];
    for (const statement of [
      `insert into andiron.${table} select (jsonb_populate_record(t, '{"space": 1}')).* from andiron.${table} t limit 1`,
      `update andiron.${table} set space = space`,
      `delete from andiron.${table}`,
    ]) {
      outcomes.push(
        await asApplication(BASE_R4, async (run) => {
          await run(statement);
          const [after] = await run(count(table));
          return after;
        }).catch((error: unknown) => error),
      );
    }
    for (const outcome of outcomes) {
      if (outcome instanceof Error) expect(outcome).toMatchObject(REFUSED);
      else expect(outcome).toEqual(before);
    }
  });
});

it('rows cannot be moved to another space', async () => {
  await expect(
    asApplication(SYSTEM_R4, (run) => run(`update andiron.resource set space = ${other}`)),
  ).rejects.toMatchObject(REFUSED);
});

it('the application role cannot read the keys of the installation', async () => {
  for (const column of ['*', 'hash_key', 'cursor_key']) {
    await expect(
      asApplication(SYSTEM_R4, (run) => run(`select ${column} from andiron.installation`)),
    ).rejects.toMatchObject(REFUSED);
  }
});

it('the application role cannot create tenants, or read or change a counter of changes', async () => {
  for (const statement of [
    `insert into andiron.tenant (number, name) values (99, 'sly')`,
    'select * from andiron.change_counter',
    'update andiron.change_counter set last_sequence = 0',
    `update andiron.tenant set status = 'active'`,
  ]) {
    await expect(asApplication(SYSTEM_R4, (run) => run(statement))).rejects.toMatchObject(REFUSED);
  }
});

it('the application role records indexing rules of its own space only', async () => {
  const note = (space: number) =>
    `select andiron.note_rows_made_with(${space}, array['r4'], array['a rule of the test'])`;
  for (const space of [SYSTEM_R4, BASE_R4]) {
    await expect(asApplication(other, (run) => run(note(space)))).rejects.toMatchObject(REFUSED);
  }
  await expect(asApplication(BASE_R4, (run) => run(note(BASE_R4)))).rejects.toMatchObject(REFUSED);
  const marked = `select space as number from andiron.space_state where 'a rule of the test' = any (rows_made_with)`;
  const noted = asApplication(other, async (run) => {
    await run(note(other));
    await run(note(other));
    return run(`${marked} and cardinality(rows_made_with) = 1`);
  });
  expect(await noted).toEqual([{ number: other }]);
});

it('the application role registers, restarts and fails search parameters of its own space only', async () => {
  const calls = (space: number): readonly string[] => [
    `select andiron.register_search_parameters(${space}, 'mine', '[]')`,
    `select andiron.restart_search_parameters(${space}, null)`,
    `select andiron.fail_search_parameter(${space}, 1, 'a test')`,
    `select andiron.add_job(${space}, 'new', 'reindex', 3, null, 10, '{}', null, null)`,
    `select andiron.cancel_job(${space}, 'new', array['reindex'], false)`,
  ];
  for (const call of [...calls(SYSTEM_R4), ...calls(BASE_R4)])
    await expect(asApplication(other, (run) => run(call))).rejects.toMatchObject(REFUSED);
  for (const call of calls(BASE_R4))
    await expect(asApplication(BASE_R4, (run) => run(call))).rejects.toMatchObject(REFUSED);
  const own = asApplication(other, async (run) => {
    for (const call of calls(other)) await run(call);
    return run('select state from andiron.search_parameter');
  });
  expect(await own).toEqual([{ state: 'removing' }]);
  const counting = `select andiron.count_search_parameters(${other})`;
  await expect(asApplication(other, (run) => run(counting))).rejects.toMatchObject(REFUSED);
});

describe('the statements of the server', () => {
  /** The connection's setting is that of `own`; the statement is given another space's number. */
  class Mistaken extends Connections {
    own = 0;
    override run(
      ...[{ lane }, statement, bound]: Parameters<Connections['run']>
    ): ReturnType<Connections['run']> {
      return super.run({ lane, space: this.own }, statement, bound);
    }
    override write(...[lane, , written]: Parameters<Connections['write']>): ReturnType<Connections['write']> {
      return super.write(lane, this.own, written);
    }
  }
  let mistaken: Mistaken;
  beforeAll(() => {
    mistaken = new Mistaken({ ...settings(), connections: 4 }, silentLog, true);
    mistaken.own = other;
  });
  afterAll(() => mistaken.close());
  const settings = () => ({
    host: storage.owner.host,
    port: storage.owner.port,
    user: storage.owner.user ?? '',
    password: storage.owner.password ?? '',
    database: storage.owner.database ?? '',
    ssl: false as const,
  });

  it('with a wrong space number read nothing and write nothing', async () => {
    const reader = new VersionReader(mistaken, () => undefined);
    const address = { type: SOME_TYPE, key: { high: 0, low: 1 } };
    expect(await reader.current(SYSTEM_R4, address)).toBeUndefined();
    expect(await reader.version(SYSTEM_R4, address, 1)).toBeUndefined();
    const range = { before: 99, since: 0, sinceSequence: 0, limit: 9 };
    expect(await reader.history(SYSTEM_R4, address, range)).toEqual([]);
    expect((await reader.current(other, address))?.version).toBe(1);

    const writes = new WriteQueues(mistaken, 100, () => undefined);
    await expect(writes.write(SYSTEM_R4, makeWrite(77, { rows: FULL_ROWS }))).rejects.toThrow('42501');
    const update = makeWrite(1, { expected: 1, change: 'update', replaced: FULL_ROWS });
    await expect(writes.write(SYSTEM_R4, update)).rejects.toThrow('42501');
    await expect(writes.write(BASE_R4, makeWrite(77))).rejects.toThrow('42501');
    mistaken.own = BASE_R4;
    await expect(writes.write(BASE_R4, makeWrite(77))).rejects.toThrow('42501');
    mistaken.own = other;
    for (const table of TABLES) {
      const { rows } = await storage.owner.query(count(table, `space = ${SYSTEM_R4}`));
      expect(rows).toEqual([{ n: 1 }]);
    }
  });

  it('run as the application role, although the server connects as superuser', async () => {
    const { rows } = await storage.owner.query<{ usesuper: boolean }>(
      'select usesuper from pg_user where usename = current_user',
    );
    expect(rows).toEqual([{ usesuper: true }]);
    const active = await storage.owner.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'andiron'`,
    );
    expect(active.rows[0]?.n).toBeGreaterThan(0);
  });
});

describe('a server whose database user is no superuser', () => {
  const OWNER = `andiron_test_owner_${process.pid}`;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
    await storage.owner.query(`create role ${OWNER} login password 'plain'`);
    await storage.owner.query(`alter database "${database.settings.database}" owner to ${OWNER}`);
  });
  afterAll(async () => {
    await database.drop();
    await storage.owner.query(`drop role ${OWNER}`);
  });
  const start = () =>
    migrate({
      database: { ...database.settings, user: OWNER, password: 'plain' },
      base: baseContent('https://andiron.example/fhir/StructureDefinition'),
      log: silentLog,
    });

  it('reports that row-level security is off if it may not take the role', async () => {
    expect((await start()).hasRowSecurity).toBe(false);
  });

  it('has row-level security once it is a member of the role', async () => {
    await storage.owner.query(`grant ${APPLICATION_ROLE} to ${OWNER}`);
    expect((await start()).hasRowSecurity).toBe(true);
    const plain = new Connections({ ...database.settings, user: OWNER, password: 'plain' }, silentLog, true);
    const writes = new WriteQueues(plain, 100, () => undefined);
    expect((await writes.write(SYSTEM_R4, makeWrite(1)))?.version).toBe(1);
    await plain.close();
    const client = new Client({ ...database.settings, user: OWNER, password: 'plain' });
    await client.connect();
    await client.query(`set role ${APPLICATION_ROLE}`);
    expect((await client.query(count('resource'))).rows).toEqual([{ n: 0 }]);
    await client.end();
  });

  it('grants the role what it lacks, such as rights on objects that a migration has created anew', async () => {
    const owner = new Client({ ...database.settings, user: OWNER, password: 'plain' });
    await owner.connect();
    /** Each as what is written between `revoke` and `from`. */
    const rights = async (): Promise<string[]> => {
      const { rows } = await owner.query<{ right: string }>(
        `with given as (
           select null as columns, 'function ' || p.oid::regprocedure as object, p.proacl as acl
           from pg_proc p where p.pronamespace = 'andiron'::regnamespace
           union all
           select null, 'table ' || c.oid::regclass, c.relacl from pg_class c where c.relnamespace = 'andiron'::regnamespace
           union all
           select '(' || quote_ident(a.attname) || ') ', 'table ' || c.oid::regclass, a.attacl
           from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = 'andiron'::regnamespace
         )
         select lower(r.privilege_type) || ' ' || coalesce(g.columns, '') || 'on ' || g.object as right
         from given g, aclexplode(g.acl) r where r.grantee = '${APPLICATION_ROLE}'::regrole order by 1`,
      );
      return rows.map(({ right }) => right);
    };
    const all = await rights();
    expect(all).toEqual(
      expect.arrayContaining([
        expect.stringContaining('execute on function andiron.store_versions('),
        'select on table andiron.resource_version',
        'select (definitions_digest) on table andiron.installation',
      ]),
    );
    for (const right of all) {
      await owner.query(`revoke ${right} from ${APPLICATION_ROLE}`);
      expect(await rights()).toEqual(all.filter((other) => other !== right));
      await ensureApplicationRole(owner, silentLog);
      expect([right, await rights()]).toEqual([right, all]);
    }
    await owner.query(`revoke all on all tables in schema andiron from ${APPLICATION_ROLE}`);
    await start();
    expect(await rights()).toEqual(all);
    await owner.end();
  });
});
