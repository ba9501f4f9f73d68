/** `andiron migrate` as a Job runs it. */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { startChild } from '../../src/embedded/child';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { toEnvironment } from '../support/environment';

const CLI = path.resolve(__dirname, '..', '..', 'dist', 'src', 'cli.js');
/** The advisory lock of migrations (src/core/storage/schema/migration-lock.ts). */
const LOCK = 7_230_911;

let database: TestDatabase;
let holder: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  holder = new Client(database.settings);
  await holder.connect();
  await holder.query(`select pg_advisory_lock(${LOCK})`);
});
afterAll(async () => {
  await holder.end();
  await database.drop();
});

async function countWaiting(): Promise<number> {
  const { rowCount } = await holder.query(
    `select from pg_stat_activity where datname = current_database() and query like 'select pg_try_advisory_lock%'`,
  );
  return rowCount ?? 0;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 25_000; !(await isSo()); await delay(20))
    if (Date.now() > end) throw new Error('it did not come true');
}

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a migration that is stopped by %s handles the signal, and ends with code 1: a Job has not completed',
  async (signal) => {
    const child = await startChild(process.execPath, [CLI, 'migrate'], {
      cwd: '/',
      env: { PATH: process.env['PATH'], ...toEnvironment(database) },
      stdio: 'ignore',
      lastSignal: 'SIGKILL',
    });
    await until(async () => (await countWaiting()) > 0);
    await child.stop(signal, 5_000);
    // Without a handler it would end by the signal, and as the first process of a container not at all.
    expect(await child.ended).toBe('with code 1');
    await until(async () => (await countWaiting()) === 0);
  },
);
