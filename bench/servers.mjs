/** The two sides of a bench: a server of this build, and the limit server, each over its own database. */
import path from 'node:path';
import { createClient } from './drive.mjs';
import {
  findFreePort,
  repository,
  requireBuilt,
  startNode,
  stopAtEnd,
  waitUntilReady,
} from './processes.mjs';

const START_MS = 180_000;
/** The address that the driver uses. */
export const ROOT = '/w/system/api/v1/fhir/r4';

/** redis-server without persistence; undefined where there is none on the PATH. */
export async function startRedis() {
  const { findProgram, startEmbeddedRedis } = requireBuilt('embedded/redis.js');
  const program = await findProgram('redis-server');
  return program && stopAtEnd(startEmbeddedRedis(program), (redis) => redis.stop());
}

/** True when the server responds; a bench waits for it. */
const answers = (client) => async () =>
  (await client.send({ method: 'GET', path: '/metadata' })).status === 200;

/**
 * Starts `dist/src/main.js`; `bench` is its environment: `{ folder, postgres, clients }`. Without `redisPort` it gets a port
 * without a listener, so that it uses no other Redis of the machine. The database may begin as a copy of `template`;
 * `checkout` is the folder of another build. `environment` overrides the other settings.
 * @returns a side for the driver, with `base` (the address before ROOT), `child`, `database`, `logFile` and how long the start
 *   took (ms)
 */
export async function startAndironServer(
  { folder, postgres, clients },
  {
    name = 'andiron',
    database = name,
    template,
    checkout = repository,
    redisPort,
    nodeArguments = [],
    environment = {},
  } = {},
) {
  await postgres.createDatabase(database, template);
  const port = await findFreePort();
  const child = await startNode({
    name,
    args: [...nodeArguments, path.join(checkout, 'dist', 'src', 'main.js')],
    folder,
    logName: `${name}.log`,
    env: await environmentOf(postgres, { database, port, redisPort, environment }),
  });
  const base = `http://127.0.0.1:${port}`;
  const client = createClient(`${base}${ROOT}`, clients);
  const startMs = await waitUntilReady(child, answers(client), START_MS);
  const { processId: serverPid, logFile } = child;
  const postgresPid = postgres.processId;
  return { name, base, client, child, serverPid, postgresPid, database, startMs, logFile };
}

/**
 * Starts servers of this build in one process (bench/servers-in-one.mjs), which differ only in their settings: the same
 * compiled code, the same memory. `bench`: see above.
 * @param given for each `{ name, template, environment }`; its database has its name
 * @returns sides like those of `startAndironServer`, with one `child`
 */
export async function startAndironServersInOne(
  { folder, postgres, clients },
  given,
  { redisPort, nodeArguments = [] } = {},
) {
  const servers = [];
  for (const { name, template, environment } of given) {
    await postgres.createDatabase(name, template);
    const port = await findFreePort();
    const own = await environmentOf(postgres, { database: name, port, redisPort, environment });
    servers.push({ name, base: `http://127.0.0.1:${port}`, own });
  }
  const child = await startNode({
    name: 'servers in one',
    args: [...nodeArguments, path.join(repository, 'bench', 'servers-in-one.mjs')],
    folder,
    logName: 'servers-in-one.log',
    env: { BENCH_SERVERS: JSON.stringify(servers.map(({ own }) => own)) },
  });
  const sides = [];
  for (const { name, base } of servers) {
    const client = createClient(`${base}${ROOT}`, clients);
    const startMs = await waitUntilReady(child, answers(client), START_MS);
    const { processId: serverPid, logFile } = child;
    const postgresPid = postgres.processId;
    sides.push({ name, base, client, child, serverPid, postgresPid, database: name, startMs, logFile });
  }
  return sides;
}

async function environmentOf(postgres, { database, port, redisPort, environment }) {
  return {
    FHIR_DATABASE_HOST: '127.0.0.1',
    FHIR_DATABASE_PORT: String(postgres.port),
    FHIR_DATABASE_NAME: database,
    FHIR_DATABASE_USERNAME: 'postgres',
    FHIR_DATABASE_PASSWORD: postgres.password,
    REDIS_HOST: '127.0.0.1',
    REDIS_PORT: String(redisPort ?? (await findFreePort())),
    PORT: String(port),
    METRICS_ADDRESS: 'off',
    LOG_LEVEL: 'info',
    ...environment,
  };
}

/** Starts bench/limit-server.mjs over `database`; see `startAndironServer`. */
export async function startLimitServer(
  { folder, postgres, clients },
  { database = 'limit_bench', metadataFile, nodeArguments = [] } = {},
) {
  await postgres.createDatabase(database);
  const port = await findFreePort();
  const child = await startNode({
    name: `limit server of ${database}`,
    args: [...nodeArguments, path.join(repository, 'bench', 'limit-server.mjs'), String(port)],
    folder,
    logName: `${database}-limit.log`,
    env: {
      LIMIT_DATABASE_URL: postgres.url(database),
      ...(metadataFile ? { LIMIT_METADATA_FILE: metadataFile } : {}),
    },
  });
  const client = createClient(`http://127.0.0.1:${port}/fhir/R4`, clients);
  const startMs = await waitUntilReady(child, answers(client));
  const { processId: serverPid, logFile } = child;
  return { name: 'limit', client, serverPid, postgresPid: postgres.processId, database, startMs, logFile };
}
