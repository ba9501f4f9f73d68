/** Starts PostgreSQL and Redis for one test run, and the servers that its workers share. */
import { startEmbeddedRedis } from '../../src/embedded/redis';
import { distributeTables } from '../../src/core/storage/nodes/distribute';
import { makeTemplate, migrateTemplate, PREPARED_TEMPLATE } from './make-template';
import { startPreparedPostgres } from './prepared-cluster';
import { findRedisProgram } from './programs';
import { readWorkers, runOnNodes, VARIABLE, withClient, type Connection, type Services } from './services';
import { openSharedServers } from './shared-servers';

/** Databases of runs that were killed carry the number of a process that is no more. */
const TEST_DATABASE = /^andiron_test_(\d+)_/;

interface Started {
  stop(): Promise<void>;
}

interface StartedDatabase {
  readonly server: Connection;
  readonly workers: Services['workers'];
  readonly template: string;
  stop(): Promise<void>;
}

/** The database that ANDIRON_TEST_DATABASE_URL names, or one of this run. */
async function startDatabase(durable: boolean): Promise<StartedDatabase> {
  const given = process.env['ANDIRON_TEST_DATABASE_URL'];
  if (given === undefined || given === '') {
    const started = await startPreparedPostgres(durable);
    return { ...started, template: PREPARED_TEMPLATE, workers: [] };
  }
  const url = new URL(given);
  const server = {
    host: url.hostname,
    port: Number(url.port === '' ? 5432 : url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  };
  const template = `andiron_test_${process.pid}_template`;
  const workers = readWorkers();
  const nodes = [server, ...workers.map((worker) => ({ ...server, ...worker }))];
  const drop = async (isOf: (processId: number) => boolean): Promise<void> => {
    for (const node of nodes) await dropDatabases(node, isOf);
  };
  await drop((owner) => !isAlive(owner));
  if (workers.length === 0) await makeTemplate(server, template);
  else await makeDistributedTemplate(server, workers, template);
  return {
    ...{ server, template, workers },
    stop: () => drop((owner) => owner === process.pid),
  };
}

async function startRedis(): Promise<{ redis: Services['redis']; stop(): Promise<void> }> {
  const host = process.env['REDIS_HOST'];
  if (host !== undefined && host !== '') {
    return { redis: { host, port: Number(process.env['REDIS_PORT'] ?? 6379) }, stop: async () => undefined };
  }
  const { host: ownHost, port, stop } = await startEmbeddedRedis(await findRedisProgram());
  return { redis: { host: ownHost, port }, stop };
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

/** Drops the databases of test runs on a server that outlives them. */
async function dropDatabases(server: Connection, isOf: (processId: number) => boolean): Promise<void> {
  await withClient(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database');
    for (const { datname } of rows) {
      const owner = TEST_DATABASE.exec(datname)?.[1];
      if (owner !== undefined && isOf(Number(owner)))
        await client.query(`drop database "${datname}" with (force)`);
    }
  });
}

/** Few groups: each takes some seconds. */
const GROUPS = 4;

async function makeDistributedTemplate(
  server: Connection,
  workers: Services['workers'],
  template: string,
): Promise<void> {
  await runOnNodes(server, workers, `create database "${template}"`);
  await runOnNodes({ ...server, database: template }, workers, 'create extension citus');
  await migrateTemplate(server, template);
  await withClient({ ...server, database: template }, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [server.host, server.port]);
    for (const { host, port } of workers) await client.query('select citus_add_node($1, $2)', [host, port]);
    await distributeTables(client, { shards: GROUPS, told: () => undefined });
  });
  // A database is copied while nobody is connected, and the daemon of Citus is.
  await runOnNodes(server, workers, `alter database "${template}" with allow_connections false`);
  await runOnNodes(
    server,
    workers,
    `select pg_terminate_backend(a.pid) from pg_stat_activity a where a.datname = '${template}'`,
  );
}

/** @param durable true: PostgreSQL syncs to disk, as tests that kill things need it */
export async function startServices(durable: boolean): Promise<Started> {
  const [database, redis] = await Promise.all([startDatabase(durable), startRedis()]);
  const stop = async (): Promise<void> => {
    await Promise.all([database.stop(), redis.stop()]);
  };
  try {
    const shared = await openSharedServers();
    const services: Services = {
      ...{ server: database.server, workers: database.workers, template: database.template },
      redis: redis.redis,
      sharedServers: shared.address,
    };
    process.env[VARIABLE] = JSON.stringify(services);
    return {
      stop: async () => {
        await shared.stop();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
