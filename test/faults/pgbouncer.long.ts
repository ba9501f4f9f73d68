/** PgBouncer between the server and PostgreSQL: in session mode all works, in the other modes no start goes on. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { openCore } from '../support/core';
import { startPgBouncer } from '../support/pgbouncer';
import { startProcess } from '../support/process';
import { toEnvironment } from '../support/server';
import { rounds } from '../support/rounds';

const REFUSAL =
  'andiron: The connection to PostgreSQL goes through a pool that shares sessions between transactions or statements, which is not supported: set its pool mode to session (PgBouncer: pool_mode=session), or connect to PostgreSQL itself\n';
const DIST = path.resolve(__dirname, '..', '..', 'dist', 'src');

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The error of a program that does not start. */
async function failureOf(program: string, args: readonly string[], behind: TestDatabase): Promise<unknown> {
  const run = promisify(execFile);
  const env = { PATH: process.env['PATH'], ...toEnvironment(behind) };
  return run(process.execPath, [path.join(DIST, program), ...args], { cwd: '/', env, timeout: 60_000 }).then(
    () => 'it started',
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

describe.each(['transaction', 'statement'] as const)('in %s mode', (mode) => {
  it('the server and the commands are refused with one line, and the migration lock is not acquired', async () => {
    const pool = await startPgBouncer(database, mode);
    for (const [program, args] of [
      ['main.js', []],
      ['cli.js', ['migrate']],
      ['cli.js', ['tenant', 'list']],
    ] as const)
      expect(await failureOf(program, args, pool.database)).toEqual({ code: 1, stdout: '', stderr: REFUSAL });
    const owner = new Client(database.settings);
    await owner.connect();
    const { rowCount } = await owner.query(
      `select from pg_locks l where l.locktype = 'advisory'
         and l.database = (select d.oid from pg_database d where d.datname = current_database())`,
    );
    expect(rowCount).toBe(0);
    await owner.end();
    await pool.close();
  });

  it('the same holds while other clients of the pool are at work', async () => {
    const pool = await startPgBouncer(database, mode);
    let isWorking = true;
    const clients = Array.from({ length: 8 }, async () => {
      const client = new Client(pool.database.settings);
      await client.connect();
      while (isWorking) await client.query('select pg_sleep(0.005)');
      await client.end();
    });
    for (let time = 0; time < rounds(3, 20); time++)
      expect(await failureOf('cli.js', ['migrate'], pool.database)).toMatchObject({ stderr: REFUSAL });
    isWorking = false;
    await Promise.all(clients);
    await pool.close();
  });
});

describe('in session mode', () => {
  it('reads, writes, searches, transactions and row-level security work, and so does a restart', async () => {
    const pool = await startPgBouncer(database, 'session');
    const patient = (id: string) => ({ resourceType: 'Patient', id, name: [{ family: `Pooled${id}` }] });
    for (const id of ['first', 'second']) {
      // Without it the port decides which references are local, and the second process has another one.
      const environment = { PUBLIC_URL: 'http://localhost' };
      const server = await startProcess({ database: pool.database, environment });
      const root = server.path('system', 'r4');
      expect((await server.request('GET', '/health/ready')).json).toEqual({ status: 'ready', notices: [] });
      expect((await server.request('PUT', `${root}/Patient/${id}`, patient(id))).status).toBe(201);
      expect((await server.request('GET', `${root}/Patient/${id}`)).json.name).toEqual(patient(id).name);
      const found = await server.request('GET', `${root}/Patient?name=Pooled${id}`);
      expect(found.json.entry).toHaveLength(1);
      const bundle = {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: Array.from({ length: 20 }, (_, place) => ({
          resource: patient(`${id}-${place}`),
          request: { method: 'PUT', url: `Patient/${id}-${place}` },
        })),
      };
      expect((await server.request('POST', root, bundle)).status).toBe(200);
      const many = await Promise.all(
        Array.from({ length: 60 }, (_, place) =>
          server.request('GET', `${root}/Patient/${id}-${place % 20}`),
        ),
      );
      expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]));
      expect(await server.terminate()).toBe('with code 0');
      await server.close();
    }
    const opened = await openCore({ database: pool.database });
    expect(await opened.differences('system')).toEqual([]);
    await opened.close();
    await pool.close();
  });

  it('a cancelled search is cancelled in PostgreSQL', async () => {
    const pool = await startPgBouncer(database, 'session');
    const server = await startProcess({
      database: pool.database,
      environment: { REQUEST_TIMEOUT_MS: '1000' },
    });
    const blocker = new Client(database.settings);
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('lock table andiron.string_index in access exclusive mode');
    const path = `${server.path('system', 'r4')}/Patient?name=Pooled`;
    expect((await server.request('GET', path)).status).toBe(503);
    const isGone = async (): Promise<boolean> =>
      (
        await blocker.query(
          `select from pg_locks where not granted and relation = 'andiron.string_index'::regclass`,
        )
      ).rowCount === 0;
    while (!(await isGone())) await new Promise((resolve) => setTimeout(resolve, 20));
    await blocker.query('rollback');
    await blocker.end();
    expect((await server.request('GET', path)).status).toBe(200);
    await server.close();
    await pool.close();
  });
});
