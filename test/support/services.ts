/** PostgreSQL and Redis of one test run: started by jest's global setup, told to its workers by the environment. */
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { loadSettings } from '../../src/config';
import { baseContent } from '../../src/core/base-resources';
import { migrate } from '../../src/core/storage/migrate';
import { startEmbeddedPostgres } from '../../src/embedded/postgres';
import { findProgram, startEmbeddedRedis } from '../../src/embedded/redis';
import { silentLog } from './log';

/** How to reach one database. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export interface Services {
  /** A database from which others can be created and dropped. */
  readonly server: Connection;
  /** Name of the migrated database that each test database is a copy of. */
  readonly template: string;
  readonly redis: { readonly host: string; readonly port: number };
}

const VARIABLE = 'ANDIRON_TEST_SERVICES';

/** Databases of runs that were killed carry the number of a process that is no more. */
const TEST_DATABASE = /^andiron_test_(\d+)_/;

/**
 * The services of this run.
 * @throws Error in a test that jest.config.js counts among the pure ones
 */
export function findServices(): Services {
  const text = process.env[VARIABLE];
  if (text === undefined) {
    throw new Error(
      'This test needs PostgreSQL: it belongs outside the folders of pure tests (jest.config.js)',
    );
  }
  return JSON.parse(text) as Services;
}

async function withClient<Result>(
  server: Connection,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(server);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function runOnServer(server: Connection, statement: string): Promise<void> {
  await withClient(server, (client) => client.query(statement));
}

interface Started {
  readonly services: Services;
  stop(): Promise<void>;
}

async function startDatabase(durable: boolean): Promise<{ server: Connection; stop(): Promise<void> }> {
  const given = process.env['ANDIRON_TEST_DATABASE_URL'];
  if (given !== undefined && given !== '') {
    const url = new URL(given);
    const server = {
      host: url.hostname,
      port: Number(url.port === '' ? 5432 : url.port),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1),
    };
    return { server, stop: async () => undefined };
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-test-'));
  const { stop, ...server } = await startEmbeddedPostgres({ folder, durable, temporary: true });
  return { server: { ...server, database: 'postgres' }, stop };
}

async function startRedis(): Promise<{ redis: Services['redis']; stop(): Promise<void> }> {
  const host = process.env['REDIS_HOST'];
  if (host !== undefined && host !== '') {
    return { redis: { host, port: Number(process.env['REDIS_PORT'] ?? 6379) }, stop: async () => undefined };
  }
  const { host: ownHost, port, stop } = await startEmbeddedRedis(await findRedisProgram());
  return { redis: { host: ownHost, port }, stop };
}

/** A program on the PATH; as root it is installed by `apt-get` where it is missing. */
export async function findOrInstall(program: string, debianPackage: string): Promise<string | undefined> {
  const present = await findProgram(program);
  if (present !== undefined) return present;
  if (process.getuid?.() === 0 && (await findProgram('apt-get')) !== undefined) {
    const run = promisify(execFile);
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update'], { env: environment }).catch(() => undefined);
    await run('apt-get', ['install', '-y', debianPackage], { env: environment }).catch(() => undefined);
  }
  return findProgram(program);
}

/** The machine's redis-server; as root it is installed where it is missing. */
export async function findRedisProgram(): Promise<string> {
  const found = await findOrInstall('redis-server', 'redis-server');
  if (found !== undefined) return found;
  process.stderr.write('The tests need Redis: set REDIS_HOST, or install redis-server on the PATH\n');
  process.exit(1);
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

/** Drops what killed runs left on a server that outlives them. */
async function dropLeftDatabases(server: Connection): Promise<void> {
  await withClient(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database');
    for (const { datname } of rows) {
      const owner = TEST_DATABASE.exec(datname)?.[1];
      if (owner !== undefined && !isAlive(Number(owner)))
        await client.query(`drop database "${datname}" with (force)`);
    }
  });
}

async function makeTemplate(server: Connection): Promise<string> {
  await dropLeftDatabases(server);
  const template = `andiron_test_${process.pid}_template`;
  await runOnServer(server, `drop database if exists "${template}" with (force)`);
  await runOnServer(server, `create database "${template}"`);
  await migrate({
    database: { ...server, database: template, ssl: false },
    base: baseContent(loadSettings({}).FHIR_EXTENSION_BASE),
    log: silentLog,
  });
  return template;
}

/** @param durable true: PostgreSQL syncs to disk, as tests that kill things need it */
export async function startServices(durable: boolean): Promise<Started> {
  const root = path.resolve(__dirname, '..', '..');
  await promisify(execFile)(process.execPath, ['scripts/build.mjs', '--if-stale'], { cwd: root });
  const [database, redis] = await Promise.all([startDatabase(durable), startRedis()]);
  const stop = async (): Promise<void> => {
    await Promise.all([database.stop(), redis.stop()]);
  };
  try {
    const template = await makeTemplate(database.server);
    const services = { server: database.server, template, redis: redis.redis };
    process.env[VARIABLE] = JSON.stringify(services);
    return {
      services,
      stop: async () => {
        await runOnServer(database.server, `drop database if exists "${template}" with (force)`).catch(
          () => undefined,
        );
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
