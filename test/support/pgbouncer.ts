/** Debian's PgBouncer in front of the run's PostgreSQL. */
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startChild } from '../../src/embedded/child';
import { findFreePort } from '../../src/embedded/free-port';
import { findServiceUser } from '../../src/embedded/service-user';
import type { TestDatabase } from './database';
import { eventually } from './eventually';
import { closedAtEnd } from './left-open';
import { findOrInstall } from './programs';

const START_TIMEOUT_MS = 20_000;

export interface PgBouncer {
  /** The database behind it, reached through it. */
  readonly database: TestDatabase;
  close(): Promise<void>;
}

/** `mode`: of its pool, as `pool_mode` has it. */
export async function startPgBouncer(
  database: TestDatabase,
  mode: 'session' | 'transaction' | 'statement',
): Promise<PgBouncer> {
  const program = await findOrInstall('pgbouncer', 'pgbouncer');
  if (program === undefined) throw new Error('This test needs PgBouncer: apt-get install pgbouncer');
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-pgbouncer-'));
  const port = await findFreePort();
  const { host, port: serverPort, user, password, database: name } = database.settings;
  const users = path.join(folder, 'users.txt');
  const configuration = path.join(folder, 'pgbouncer.ini');
  await writeFile(users, `"${user}" "${password}"\n`, { mode: 0o600 });
  await writeFile(
    configuration,
    [
      '[databases]',
      `${name} = host=${host} port=${serverPort} user=${user} password=${password}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${users}`,
      `pool_mode = ${mode}`,
      'max_client_conn = 200',
      'default_pool_size = 60',
      '',
    ].join('\n'),
    { mode: 0o600 },
  );
  // It refuses to run as root.
  const account = await findServiceUser();
  if (account !== undefined)
    await Promise.all([folder, users, configuration].map((file) => chown(file, account.uid, account.gid)));
  const child = await startChild(program, [configuration], {
    cwd: folder,
    ...account,
    stdio: 'ignore',
    lastSignal: 'SIGTERM',
    lastFolder: folder,
  });
  const close = closedAtEnd(async () => {
    await child.stop('SIGTERM', 5_000);
    await rm(folder, { recursive: true, force: true });
  });
  const settings = { ...database.settings, host: '127.0.0.1', port };
  const isOver = async (): Promise<boolean> => !child.isRunning() || (await answers(settings));
  await eventually(isOver, START_TIMEOUT_MS).catch(() => undefined);
  if (!(await answers(settings))) {
    await close();
    throw new Error('PgBouncer does not answer');
  }
  return {
    database: {
      settings,
      environment: {
        ...database.environment,
        FHIR_DATABASE_HOST: '127.0.0.1',
        FHIR_DATABASE_PORT: String(port),
      },
      drop: () => database.drop(),
    },
    close,
  };
}

async function answers(settings: TestDatabase['settings']): Promise<boolean> {
  const client = new Client(settings);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
