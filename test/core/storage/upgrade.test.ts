/** A database of the version that landed before this one, upgraded (test/faults/rolling-upgrade.long.ts runs both at once). */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { MIGRATIONS } from '../../../migrations';
import { VACUUMED_EARLIER } from '../../../migrations/0061-earlier-vacuum';
import { lengthenSequences } from '../../../src/core/storage/schema/long-sequences';
import { migrate, type BaseContent } from '../../../src/core/storage/schema/migrate';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { readSchema } from '../../support/database-schema';
import { closedAtEnd } from '../../support/left-open';
import { recordingLog, silentLog } from '../../support/log';

const NO_BASE: BaseContent = { digest: 'none', writes: () => [], types: () => new Set() };

let database: TestDatabase;
let owner: Client;
beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  owner = new Client(database.settings);
  await owner.connect();
  closedAtEnd(() => owner.end());
  await owner.query(await readFile(path.join(__dirname, 'database-of-schema-33.sql'), 'utf8'));
});

/** What an operator does last (test/core/storage/long-sequences.test.ts). */
const lengthen = (): Promise<boolean> =>
  lengthenSequences({ database: database.settings, log: silentLog, waitMs: 60_000 });

const upgrade = (log = silentLog): Promise<unknown> =>
  migrate({ database: database.settings, base: NO_BASE, log, noticeMs: 0 });

async function readRows(statement: string): Promise<readonly unknown[]> {
  const { rows } = await owner.query({ text: statement, rowMode: 'array' });
  return rows;
}

describe('a database of the previous landed version', () => {
  it('has the schema of a new one, once its version-sequences are longer', async () => {
    await upgrade();
    await lengthen();
    const fresh = await createTestDatabase();
    expect(await readSchema(database.settings)).toEqual(await readSchema(fresh.settings));
  });

  it('keeps its resources, index rows and identity', async () => {
    const tables = [
      ...['resource', 'resource_version', 'token_index', 'reference_index', 'range_index', 'string_index'],
      ...['uri_index', 'change_counter'],
    ];
    const ofSpaces =
      'tenant, release, kind, counter, rows_made_with, last_parameter, unversioned_changes, purged_to';
    const read = async (spaces: string): Promise<readonly unknown[]> => {
      const found = [await readRows('select id, hash_key, cursor_key from andiron.installation')];
      for (const table of tables)
        found.push(await readRows(`select * from andiron.${table} t order by t::text`));
      const ofTenants = 'number, name, status, created, settings, display, policies';
      found.push(await readRows(`select ${ofTenants} from andiron.tenant order by number`));
      found.push(await readRows(`select number, ${ofSpaces} from ${spaces} order by number`));
      return found;
    };
    const before = await read('andiron.space');
    expect(await readRows('select id, version from andiron.resource order by id')).toEqual([
      ['mark', 1],
      ['ward-1', 2],
      ['weight', 1],
    ]);
    await upgrade();
    expect(await read('andiron.space s join andiron.space_state t on t.space = s.number')).toEqual(before);
  });

  it('records the steps of this version, and has nothing to do at the next start', async () => {
    await upgrade();
    expect(await readRows('select name from andiron_migration.kysely_migration order by name')).toEqual(
      Object.keys(MIGRATIONS).map((name) => [name]),
    );
    const { log, lines } = recordingLog();
    await upgrade(log);
    expect(lines).toEqual([]);
  });

  it('continues an upgrade that was interrupted after the steps of the baseline were recorded', async () => {
    // A table of this name stops a step.
    await owner.query('create table andiron.sign_in_network ()');
    await expect(upgrade()).rejects.toThrow('relation "sign_in_network" already exists');
    await owner.query('drop table andiron.sign_in_network');
    await upgrade();
    await lengthen();
    const fresh = await createTestDatabase();
    expect(await readSchema(database.settings)).toEqual(await readSchema(fresh.settings));
  });

  it('has dead rows of its indexes vacuumed early; a share that an operator has set stays', async () => {
    await owner.query('alter table andiron.token_index set (autovacuum_vacuum_scale_factor = 0.005)');
    await upgrade();
    const { rows } = await owner.query<{ name: string; options: readonly string[] }>(
      `select c.relname as name, c.reloptions as options from pg_class c
       where c.relnamespace = 'andiron'::regnamespace and c.relname = any($1)`,
      [Object.keys(VACUUMED_EARLIER)],
    );
    expect(
      new Map(rows.map(({ name, options }) => [name, options.filter((each) => /vacuum_scale/.test(each))])),
    ).toEqual(
      new Map(
        Object.entries(VACUUMED_EARLIER).map(([name, share]) => [
          name,
          [`autovacuum_vacuum_scale_factor=${name === 'token_index' ? 0.005 : share}`],
        ]),
      ),
    );
  });

  it('is refused, and stays unchanged, if it is older than schema 33', async () => {
    await owner.query(`delete from andiron_migration.kysely_migration where name like '003%'`);
    const before = await readSchema(database.settings);
    await expect(upgrade()).rejects.toThrow(
      'The database has schema 29, and this program upgrades from schema 33 or later: start an earlier version on it first',
    );
    expect(await readSchema(database.settings)).toEqual(before);
  });
});
