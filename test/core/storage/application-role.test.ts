/** The role of all requests, for an owner of the database that is no superuser (docs/run/postgresql.md, Rights). */
import { Client } from 'pg';
import { APPLICATION_ROLE } from '../../../src/core/storage/connection/database';
import { migrate, type Installation } from '../../../src/core/storage/schema/migrate';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { closedAtEnd } from '../../support/left-open';
import { recordingLog, type LoggedLine } from '../../support/log';

const OWNER = `andiron_test_role_owner_${process.pid}`;
const PASSWORD = 'plain';

let database: TestDatabase;
let superuser: Client;
beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  superuser = new Client(database.settings);
  await superuser.connect();
  // Called after each test.
  closedAtEnd(async () => {
    await superuser.end();
    await database.drop();
    const client = new Client({ ...database.settings, database: 'postgres' });
    await client.connect();
    await client.query(`drop role if exists ${OWNER}`);
    await client.end();
  });
  await superuser.query(`create role ${OWNER} login password '${PASSWORD}'`);
  await superuser.query(`grant create on database "${database.settings.database}" to ${OWNER}`);
});

const asOwner = () => ({ ...database.settings, user: OWNER, password: PASSWORD });

async function migrateAsOwner(): Promise<{ installation: Installation; warnings: readonly LoggedLine[] }> {
  const { log, lines } = recordingLog();
  const base = { digest: 'none', writes: () => [], types: () => new Set<string>() };
  const installation = await migrate({ database: asOwner(), base, log });
  return { installation, warnings: lines.filter(({ level }) => level === 'warn') };
}

async function takeRole(): Promise<void> {
  const client = new Client(asOwner());
  await client.connect();
  try {
    await client.query(`set role ${APPLICATION_ROLE}`);
    await client.query('select from andiron.resource');
  } finally {
    await client.end();
  }
}

async function isSixteenOrLater(): Promise<boolean> {
  const { rows } = await superuser.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  return (rows[0]?.version ?? 0) >= 160_000;
}

it('an owner that is a member of the role already migrates an empty database without a warning', async () => {
  await superuser.query(`grant ${APPLICATION_ROLE} to ${OWNER}`);
  const { installation, warnings } = await migrateAsOwner();
  expect(warnings).toEqual([]);
  expect(installation.hasRowSecurity).toBe(true);
  await takeRole();
});

it('an owner that may only grant the role, as one that has created it, grants it to itself', async () => {
  const options = (await isSixteenOrLater()) ? 'admin true, inherit false, set false' : 'admin option';
  await superuser.query(`grant ${APPLICATION_ROLE} to ${OWNER} with ${options}`);
  const { installation, warnings } = await migrateAsOwner();
  expect(warnings).toEqual([]);
  expect(installation.hasRowSecurity).toBe(true);
  await takeRole();
});

it('an owner that is no member is warned of it', async () => {
  const { installation, warnings } = await migrateAsOwner();
  expect(warnings).toEqual([
    {
      level: 'warn',
      message: 'the application role could not be set up',
      details: { code: '42501', step: 'member' },
    },
  ]);
  expect(installation.hasRowSecurity).toBe(false);
});

it('a membership without the right to take the role, which PostgreSQL 16 and later have, is no row-level security', async () => {
  const mayLackIt = await isSixteenOrLater();
  await superuser.query(
    `grant ${APPLICATION_ROLE} to ${OWNER} ${mayLackIt ? 'with inherit false, set false' : ''}`,
  );
  const { installation, warnings } = await migrateAsOwner();
  expect(installation.hasRowSecurity).toBe(!mayLackIt);
  expect(warnings.length > 0).toBe(mayLackIt);
});
