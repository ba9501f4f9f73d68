/** One start at a time brings a database to its schema; the others wait, say for whom, and can be stopped. */
import { mkdtemp, open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { eventually } from '../../support/eventually';
import { takeMigrationLock } from '../../../src/core/storage/schema/migration-lock';
import { startChild, type Child } from '../../../src/embedded/child';
import { runHere } from '../../support/command-here';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { recordingLog } from '../../support/log';
import { toEnvironment } from '../../support/server';

const LOCK = 7_230_911;
const ROOT = path.resolve(__dirname, '..', '..', '..');

let database: TestDatabase;
let holder: Client;
let holderPid: number;
beforeAll(async () => {
  database = await createTestDatabase();
  holder = new Client({ ...database.settings, application_name: 'another start' });
  await holder.connect();
  const { rows } = await holder.query<{ pid: number }>(
    `select pg_backend_pid() as pid, pg_advisory_lock(${LOCK})`,
  );
  holderPid = rows[0]?.pid ?? 0;
});
afterAll(async () => {
  await holder.end();
  await database.drop();
});

/** A start as its user makes it, without waiting until it is ready. */
async function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ child: Child; output(): Promise<string> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-waiting-'));
  const file = path.join(folder, 'output');
  const log = await open(file, 'w');
  const child = await startChild(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...toEnvironment(database), LOG_LEVEL: 'info', ...environment },
    stdio: ['ignore', log.fd, log.fd],
    lastSignal: 'SIGKILL',
    lastFolder: folder,
  });
  await log.close();
  return { child, output: () => readFile(file, 'utf8') };
}

it('a waiting start logs the holder of the lock repeatedly, and takes the lock when it is free', async () => {
  const client = new Client(database.settings);
  await client.connect();
  const other = new Client({ ...database.settings, application_name: 'short start' });
  await other.connect();
  // Another database's lock of the same number is another lock.
  const { rows } = await other.query<{ free: boolean }>(`select pg_try_advisory_lock(${LOCK}) as free`);
  expect(rows).toEqual([{ free: false }]);
  const { log, lines } = recordingLog();
  const waiting = takeMigrationLock(client, { log, waitMs: 20_000, logEveryMs: 150 });
  await eventually(async () => lines.length >= 3);
  await holder.query(`select pg_advisory_unlock(${LOCK})`);
  await waiting;
  expect(lines.at(-1)).toEqual({
    level: 'warn',
    message: 'waiting for the migration lock: another process migrates the database',
    details: {
      waitedMs: expect.any(Number),
      pid: holderPid,
      applicationName: 'another start',
      since: expect.any(Date),
    },
  });
  expect((await other.query<{ free: boolean }>(`select pg_try_advisory_lock(${LOCK}) as free`)).rows).toEqual(
    [{ free: false }],
  );
  await Promise.all([client.end(), other.end()]);
  await holder.query(`select pg_advisory_lock(${LOCK})`);
});

it('a start that has waited for MIGRATION_WAIT_MS ends and names the holder', async () => {
  const environment = { ...toEnvironment(database), MIGRATION_WAIT_MS: '300' };
  const handlers = process.listenerCount('SIGTERM');
  const { code, errors } = await runHere(['migrate'], { environment });
  expect(code).toBe(1);
  // A handler that is left would end the worker of the tests with code 1 where jest replaces it.
  expect(process.listenerCount('SIGTERM')).toBe(handlers);
  expect(errors).toMatch(
    new RegExp(
      `^andiron: The migration lock was not free within 300 ms \\(MIGRATION_WAIT_MS\\): PostgreSQL session ${holderPid} \\(another start\\), open since \\d{4}-[^ ]+Z, holds it\n$`,
    ),
  );
});

// process/migrate.test.ts ends a command by SIGTERM and SIGHUP; all signals have one handler (src/cli/process-end.ts).
it('SIGINT ends a waiting start immediately, with a line in the log', async () => {
  const { child, output } = await start([path.join(ROOT, 'dist', 'src', 'main.js')], {});
  await eventually(async () => {
    const { rowCount } = await holder.query(
      `select from pg_stat_activity where datname = current_database() and query like 'select pg_try_advisory_lock%'`,
    );
    return rowCount !== 0;
  });
  await child.stop('SIGINT', 3_000);
  expect(await child.ended).toBe('with code 0');
  expect(await output()).toContain('"msg":"stopped while waiting for the migration lock"');
  await eventually(async () => {
    const { rowCount } = await holder.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'andiron'`,
    );
    return rowCount === 0;
  });
});
