/** Programs of two versions on one database (docs/run/operations.md, Rolling upgrades). */
import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Kysely, type Migration } from 'kysely';
import { Client } from 'pg';
import { LEAST_SCHEMA, MIGRATIONS, readFunctions } from '../../../migrations';
import { migrate, type BaseContent, type Installation } from '../../../src/core/storage/schema/migrate';
import {
  schemaNumber,
  THIS_SCHEMA,
  type ProgramSchema,
} from '../../../src/core/storage/schema/program-schema';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { closedAtEnd } from '../../support/left-open';
import { recordingLog, silentLog } from '../../support/log';
import { startServer, type TestServer } from '../../support/server';

const NUMBER = schemaNumber(Object.keys(MIGRATIONS));
const OTHER_BASE: BaseContent = { digest: 'of another version', writes: () => [], types: () => new Set() };

let database: TestDatabase;
let owner: Client;
beforeEach(async () => {
  database = await createTestDatabase();
  owner = new Client({ ...database.settings, statement_timeout: 10_000 });
  await owner.connect();
  closedAtEnd(() => owner.end());
});

/** A program of the next schema number, whose step does `up`. */
function newer(up: (db: Kysely<unknown>) => Promise<void>, least = LEAST_SCHEMA): ProgramSchema {
  const step: Migration = { up };
  const steps = { ...MIGRATIONS, [`${String(NUMBER + 1).padStart(4, '0')}-later`]: step };
  return { ...THIS_SCHEMA, steps, least };
}

const nothing = (): Promise<void> => Promise.resolve();

async function start(
  schema: ProgramSchema | undefined,
  base: BaseContent,
  log = silentLog,
): Promise<Installation> {
  return migrate({
    database: database.settings,
    base,
    log,
    noticeMs: 0,
    ...(schema === undefined ? {} : { schema }),
  });
}

async function stored(): Promise<unknown> {
  const { rows } = await owner.query(
    `select i.definitions_digest, i.least_schema,
            (select count(*)::int from andiron.resource where space <= 2) as base,
            has_function_privilege('andiron_application', 'andiron.require(boolean)', 'execute') as granted
     from andiron.installation i`,
  );
  return rows[0];
}

it('a program that is older than the database starts, and changes neither steps nor grants nor base resources', async () => {
  await start(newer(nothing), OTHER_BASE);
  await owner.query('revoke execute on function andiron.require from andiron_application');
  const before = await stored();
  expect(before).toMatchObject({ definitions_digest: OTHER_BASE.digest, base: 0, granted: false });
  const { log, lines } = recordingLog();
  const installation = await start(
    undefined,
    { digest: 'of the older version', writes: () => [], types: () => new Set() },
    log,
  );
  expect(installation.baseReplaced).toBe(false);
  expect(await stored()).toEqual(before);
  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'the database has a newer schema version and is not migrated',
      details: { database: NUMBER + 1, program: NUMBER },
    },
  ]);
});

it('a program that is too old for the database does not start, and says which one does', async () => {
  await start(newer(nothing, NUMBER + 1), OTHER_BASE);
  await expect(start(undefined, OTHER_BASE)).rejects.toThrow(
    `The database has schema ${NUMBER + 1} and needs a program of schema ${NUMBER + 1} or later; this one has ${NUMBER}: start a newer version`,
  );
});

it('the least schema is never lowered', async () => {
  await owner.query('update andiron.installation set least_schema = $1', [NUMBER]);
  await start(undefined, OTHER_BASE);
  expect(await stored()).toMatchObject({ least_schema: NUMBER });
});

describe('the functions of the database', () => {
  const NOTED = 'a lock must stay';
  const readSource = async (name: string): Promise<string> =>
    (await owner.query<{ prosrc: string }>('select prosrc from pg_proc where proname = $1', [name])).rows
      .map(({ prosrc }) => prosrc)
      .join('\n');

  /** A newer program with another text of `lock_resource` and a function of its own. */
  function changed(schema: ProgramSchema): ProgramSchema {
    return {
      ...schema,
      async readFunctions() {
        const own = `create or replace function andiron.later() returns trigger language plpgsql
          as $function$ begin return null; end $function$`;
        const functions = (await readFunctions()).map(({ name, text }) => ({
          name,
          text: name === 'lock_resource' ? text.replace(NOTED, 'the lock must stay') : text,
        }));
        return [...functions, { name: 'later', text: own }];
      },
    };
  }

  it('that only earlier steps use are not made again by a newer program', async () => {
    await start(newer(nothing), OTHER_BASE);
    const { rows } = await owner.query<{ name: string }>(
      `select p.proname as name from pg_proc p where p.pronamespace = 'andiron'::regnamespace`,
    );
    const current = (await readFunctions()).map(({ name }) => name);
    expect(rows.map(({ name }) => name).sort()).toEqual(current.sort());
  });

  it('are replaced by a newer program, keep their rights, and are not put back by an older one', async () => {
    const { log, lines } = recordingLog();
    await start(changed(newer(nothing)), OTHER_BASE, log);
    expect(lines).toContainEqual({
      level: 'info',
      message: 'database functions replaced',
      details: { functions: ['lock_resource', 'later'] },
    });
    expect(await readSource('lock_resource')).toContain('the lock must stay');
    const readRights = async (name: string): Promise<unknown> =>
      (
        await owner.query(
          `select has_function_privilege('andiron_application', oid, 'execute') as application,
                  array_to_string(proacl, ',') ~ '(^|,)=' as public
           from pg_proc where proname = $1`,
          [name],
        )
      ).rows;
    expect(await readRights('lock_resource')).toEqual([{ application: true, public: false }]);
    expect(await readRights('later')).toEqual([{ application: false, public: false }]);

    await start(undefined, OTHER_BASE);
    expect(await readSource('lock_resource')).toContain('the lock must stay');
  });

  it('exist for the steps, and keep their old text until the steps are done', async () => {
    let during = '';
    const step = async (db: Kysely<unknown>): Promise<void> => {
      during = await readSource('lock_resource');
      await sql`
        create trigger later after insert on andiron.tenant for each row execute function andiron.later()`.execute(
        db,
      );
    };
    await start(changed(newer(step)), OTHER_BASE);
    expect(during).toContain(NOTED);
    expect(await readSource('lock_resource')).not.toContain(NOTED);
  });

  it('all stay unchanged if one cannot be replaced', async () => {
    const schema = newer(nothing);
    const broken: ProgramSchema = {
      ...schema,
      async readFunctions() {
        const functions = await changed(schema).readFunctions();
        return functions.map((each) =>
          each.name === 'require'
            ? { ...each, text: each.text.replace('return true;', 'return true') }
            : each,
        );
      },
    };
    await expect(start(broken, OTHER_BASE)).rejects.toThrow(
      /^The database function require could not be replaced: syntax error/,
    );
    expect(await readSource('lock_resource')).toContain(NOTED);
    await start(changed(schema), OTHER_BASE);
    expect(await readSource('lock_resource')).not.toContain(NOTED);
  });

  it('are named as their files, one of each name', async () => {
    for (const { name, text } of await readFunctions())
      expect(
        [...text.matchAll(/^create or replace function andiron\.(\w+)\(/gm)].map(([, found]) => found),
      ).toEqual([name]);
    const { rows } = await owner.query<{ names: string[] }>(
      `select array_agg(proname::text order by proname) as names from pg_proc
       where pronamespace = 'andiron'::regnamespace`,
    );
    expect(rows[0]?.names).toEqual((await readFunctions()).map(({ name }) => name));
  });
});

describe('a server that runs while a newer version removes something', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer({ because: 'its database has an older schema', database });
  });

  it('is not ready before the removal, and writes until then', async () => {
    const isReady = async (): Promise<readonly unknown[]> => {
      const { status, json } = await server.request('GET', '/health/ready');
      return [status, json.notices.filter((notice: string) => notice.includes('schema'))];
    };
    expect(await isReady()).toEqual([200, []]);
    let during: readonly unknown[] = [];
    await start(
      newer(async (db) => {
        during = await isReady();
        const patient = { resourceType: 'Patient', id: 'during' };
        during = [
          ...during,
          (await server.request('PUT', `${server.path('system', 'r4')}/Patient/during`, patient)).status,
        ];
        await sql`drop index andiron.uri_index_by_value`.execute(db);
      }, NUMBER + 1),
      OTHER_BASE,
    );
    expect(during).toEqual([
      503,
      [
        `The database needs a program of schema ${NUMBER + 1} or later, and this one has ${NUMBER}: replace this process by a newer version`,
      ],
      201,
    ]);
    expect((await isReady())[0]).toBe(503);
  });
});

describe('a step that needs a table which a long transaction reads', () => {
  async function startReader(): Promise<Client> {
    const reader = new Client(database.settings);
    await reader.connect();
    closedAtEnd(() => reader.end());
    await reader.query('begin');
    await reader.query('select count(*) from andiron.resource');
    return reader;
  }

  it('does not block other readers, and finishes when the table is free', async () => {
    const reader = await startReader();
    const { log, lines } = recordingLog();
    const migrating = start(
      newer((db) => sql`alter table andiron.resource add column later int`.execute(db).then(() => undefined)),
      OTHER_BASE,
      log,
    );
    const isWaiting = async (): Promise<boolean> =>
      (
        await owner.query(
          `select from pg_locks where not granted and relation = 'andiron.resource'::regclass`,
        )
      ).rowCount !== 0;
    for (let time = 0; time < 2; time++) {
      while (!(await isWaiting())) await delay(10);
      // Behind the step in the queue: answered when the step has stopped waiting, long before the reader is done.
      await owner.query('select count(*) from andiron.resource');
    }
    await reader.query('commit');
    await migrating;
    expect(
      lines.filter(({ message }) => message === 'migration').map(({ details }) => details['status']),
    ).toEqual(['Success']);
    await owner.query('select later from andiron.resource limit 1');
  });

  it('ends the start when its time limit is over', async () => {
    await startReader();
    const schema = newer((db) =>
      sql`alter table andiron.resource add column later int`.execute(db).then(() => undefined),
    );
    await expect(
      migrate({ database: database.settings, base: OTHER_BASE, log: silentLog, schema, waitMs: 500 }),
    ).rejects.toThrow(/^The step \d{4}-later of the migration could not lock a table within 500 ms/);
  });
});
