/** Real Redis servers with replicas: a cluster, and a master with Sentinels. Their nodes can be killed and stopped. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { startChild } from '../../src/embedded/child';
import { findFreePort } from '../../src/embedded/free-port';
import { eventually } from './eventually';
import { closedAtEnd } from './left-open';
import { findRedisProgram } from './programs';

const PASSWORD = 'of-redis';
const SENTINEL_PASSWORD = 'of-sentinels';
const MASTER_NAME = 'records';
const HOST = '127.0.0.1';
/** Silence in milliseconds after which a node counts as dead. */
const SILENCE_MS = 2_000;

export interface RedisNode {
  readonly port: number;
  signal(name: NodeJS.Signals): void;
  /** Starts it again after SIGKILL, with the same folder. */
  start(): Promise<void>;
  /** Runs commands on a connection of their own. */
  ask<T>(commands: (redis: Redis) => Promise<T>): Promise<T>;
}

export interface RedisTopology {
  /** The settings of a server. */
  readonly environment: Readonly<Record<string, string>>;
  readonly nodes: readonly RedisNode[];
  /** The present masters, as `nodes` that run and are not stopped see them. */
  masters(): Promise<readonly RedisNode[]>;
  stop(): Promise<void>;
}

async function startNode(password: string, words: (folder: string) => Promise<readonly string[]>) {
  const program = await findRedisProgram();
  const port = await findFreePort();
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-redis-node-'));
  const ask: RedisNode['ask'] = async (commands) => {
    const redis = new Redis({
      ...{ host: HOST, port, password, commandTimeout: 1_000, connectTimeout: 1_000 },
      ...{ retryStrategy: () => null, maxRetriesPerRequest: 0 },
    });
    redis.on('error', () => undefined);
    try {
      return await commands(redis);
    } finally {
      redis.disconnect();
    }
  };
  const isAnswering = (): Promise<boolean> =>
    ask((redis) => redis.ping()).then(
      () => true,
      () => false,
    );
  const begin = async () => {
    const child = await startChild(program, [...(await words(folder)), '--port', String(port)], {
      ...{ cwd: folder, stdio: 'ignore', lastSignal: 'SIGKILL' },
    });
    await eventually(isAnswering, 30_000);
    return child;
  };
  let child = await begin();
  const stop = closedAtEnd(async () => {
    await child.stop('SIGKILL', 5_000);
    await rm(folder, { recursive: true, force: true });
  });
  const node: RedisNode = {
    port,
    ask,
    signal: (name) => process.kill(child.processId, name),
    async start() {
      await child.ended;
      child = await begin();
    },
  };
  return { node, stop };
}

const common = (folder: string): readonly string[] => [
  ...['--bind', HOST, '--dir', folder, '--save', '', '--appendonly', 'no'],
  ...['--requirepass', PASSWORD, '--masterauth', PASSWORD],
];

async function mastersOf(nodes: readonly RedisNode[]): Promise<readonly RedisNode[]> {
  const roles = await Promise.all(
    nodes.map((node) => node.ask(async (redis) => String((await redis.role())[0])).catch(() => 'gone')),
  );
  return nodes.filter((_node, index) => roles[index] === 'master');
}

/** Three masters with a replica each. */
export async function startRedisCluster(): Promise<RedisTopology> {
  const started = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const bus = await findFreePort();
      return startNode(PASSWORD, (folder) =>
        Promise.resolve([
          ...common(folder),
          ...['--cluster-enabled', 'yes', '--cluster-port', String(bus)],
          ...['--cluster-node-timeout', String(SILENCE_MS), '--cluster-config-file', 'nodes.conf'],
        ]),
      );
    }),
  );
  const nodes = started.map(({ node }) => node);
  const addresses = nodes.map(({ port }) => `${HOST}:${port}`);
  const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes'];
  await promisify(execFile)('redis-cli', ['--no-auth-warning', '-a', PASSWORD, ...create]);
  await eventually(async () => {
    const states = await Promise.all(nodes.map((node) => node.ask((redis) => redis.cluster('INFO'))));
    const replicas = await nodes[0]?.ask((redis) => redis.cluster('NODES'));
    const linked = /(slave .* connected\n[^]*){3}/.test(String(replicas));
    return linked && states.every((state) => String(state).includes('cluster_state:ok'));
  }, 60_000);
  return {
    // Some of the nodes, as an operator would write them.
    environment: {
      REDIS_HOST: '',
      REDIS_PORT: '',
      REDIS_CLUSTER: addresses.slice(0, 3).join(),
      REDIS_PASSWORD: PASSWORD,
    },
    nodes,
    masters: () => mastersOf(nodes),
    async stop() {
      await Promise.all(started.map(({ stop }) => stop()));
    },
  };
}

/** A master with a replica, and three Sentinels. */
export async function startRedisSentinels(): Promise<RedisTopology> {
  const master = await startNode(PASSWORD, (folder) => Promise.resolve(common(folder)));
  const replica = await startNode(PASSWORD, (folder) => Promise.resolve(common(folder)));
  const nodes = [master.node, replica.node];
  await replica.node.ask((redis) => redis.replicaof(HOST, master.node.port));
  await eventually(
    async () => /state=online/.test(await master.node.ask((redis) => redis.info('replication'))),
    60_000,
  );
  const sentinels = await Promise.all(
    Array.from({ length: 3 }, () =>
      startNode(SENTINEL_PASSWORD, async (folder) => {
        const file = path.join(folder, 'sentinel.conf');
        const settings = [
          ...[`bind ${HOST}`, `dir ${folder}`, `requirepass ${SENTINEL_PASSWORD}`],
          ...[`sentinel sentinel-pass ${SENTINEL_PASSWORD}`],
          `sentinel monitor ${MASTER_NAME} ${HOST} ${master.node.port} 2`,
          `sentinel auth-pass ${MASTER_NAME} ${PASSWORD}`,
          `sentinel down-after-milliseconds ${MASTER_NAME} ${SILENCE_MS}`,
          `sentinel failover-timeout ${MASTER_NAME} ${5 * SILENCE_MS}`,
        ];
        await writeFile(file, `${settings.join('\n')}\n`);
        return [file, '--sentinel'];
      }),
    ),
  );
  await eventually(async () => {
    const answers = await Promise.all(
      sentinels.map(({ node }) =>
        node.ask((redis) => redis.call('SENTINEL', 'CKQUORUM', MASTER_NAME)).catch(() => 'not yet'),
      ),
    );
    return answers.every((answer) => String(answer).startsWith('OK 3'));
  }, 60_000);
  return {
    environment: {
      ...{ REDIS_HOST: '', REDIS_PORT: '', REDIS_PASSWORD: PASSWORD, REDIS_SENTINEL_NAME: MASTER_NAME },
      REDIS_SENTINELS: sentinels.map(({ node }) => `${HOST}:${node.port}`).join(),
      REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD,
    },
    nodes,
    masters: () => mastersOf(nodes),
    async stop() {
      await Promise.all([...sentinels, master, replica].map(({ stop }) => stop()));
    },
  };
}
