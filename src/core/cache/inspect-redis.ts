import { Cluster } from 'ioredis';
import {
  addressOf,
  createInspected,
  findKeyHolders,
  readSlots,
  reasonOf,
  type RedisAddress,
  type RedisCommands,
  type RedisOptions,
} from './redis-connection';

export interface RedisInspection {
  /** `7.0.15`; several, if the masters of a cluster differ. */
  readonly version: string;
  /** The behaviours when memory is full: `allkeys-lru`; empty: Redis does not say. */
  readonly evictionPolicies: readonly string[];
  /** ` at 127.0.0.1:6379`, ` at 127.0.0.1:6380, the master mymaster of 3 Sentinels`, `, a cluster of 3 masters and 3 replicas` */
  readonly place: string;
  /** What hinders its use, such as nodes and Sentinels of the settings that cannot be used. */
  readonly faults: readonly string[];
}

const PATIENCE_MS = 3_000;

/** Where Redis is by the settings, for a message. */
export function describePlace(options: RedisOptions): string {
  if ('cluster' in options) return `The cluster of ${options.cluster.map(addressOf).join(', ')}`;
  if (!('sentinels' in options)) return addressOf(options);
  return `The master ${options.master} of the Sentinels ${options.sentinels.map(addressOf).join(', ')}`;
}

/** Inspects a Redis without changing it. Throws if it cannot be reached, or refuses the user. */
export async function inspectRedis(options: RedisOptions): Promise<RedisInspection> {
  const redis = createInspected(options, PATIENCE_MS);
  let reason: unknown;
  redis.on('error', (error: unknown) => (reason ??= error));
  try {
    await redis.connect();
    const nodes = await Promise.all((await findKeyHolders(redis)).map((node) => node.info()));
    const valuesOf = (name: string): readonly string[] => [
      ...new Set(
        nodes.flatMap((info) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.slice(1, 2) ?? []),
      ),
    ];
    return {
      version: valuesOf('redis_version').join(' and ') || 'unknown',
      evictionPolicies: valuesOf('maxmemory_policy'),
      place: await placeOf(redis, options),
      faults: [...findWrongKind(valuesOf('redis_mode'), options), ...(await findFaults(options))],
    };
  } catch (error) {
    const [fault] = await findFaults(options);
    // `connect` says only that the connection is closed.
    throw new Error(fault ?? reasonOf(reason ?? error), { cause: error });
  } finally {
    redis.disconnect();
  }
}

async function placeOf(redis: RedisCommands, options: RedisOptions): Promise<string> {
  if (redis instanceof Cluster) {
    const ranges = await readSlots(redis);
    const replicas = ranges.flatMap(([, , , ...others]) => others.map(String));
    const masters = new Set(ranges.map(([, , [host, port]]) => addressOf({ host, port })));
    return `, a cluster of ${masters.size} masters and ${new Set(replicas).size} replicas`;
  }
  if (!('sentinels' in options)) return ` at ${addressOf(redis.options)}`;
  const { remoteAddress: host, remotePort: port } = redis.stream;
  return ` at ${addressOf({ host, port })}, the master ${options.master} of ${options.sentinels.length} Sentinels`;
}

/** A node of a cluster and a Sentinel accept connections, and refuse commands. */
function findWrongKind(modes: readonly string[], options: RedisOptions): readonly string[] {
  if ('cluster' in options || 'sentinels' in options) return [];
  if (modes.includes('cluster')) return ['It belongs to a Redis Cluster: set REDIS_CLUSTER, not REDIS_HOST'];
  return modes.includes('sentinel') ? ['It is a Sentinel: set REDIS_SENTINELS, not REDIS_HOST'] : [];
}

/** One Redis has none, because the inspection fails without it. */
async function findFaults(options: RedisOptions): Promise<readonly string[]> {
  const { tls, username, password } = options;
  const probe = async (
    name: string,
    address: RedisAddress,
    as: Pick<RedisOptions, 'username' | 'password'>,
    ask: (redis: RedisCommands) => Promise<string | undefined>,
  ): Promise<readonly string[]> => {
    const redis = createInspected({ ...address, tls, ...as }, PATIENCE_MS);
    let reason: unknown;
    redis.on('error', (error: unknown) => (reason ??= error));
    try {
      await redis.connect();
      const fault = await ask(redis);
      return fault === undefined ? [] : [`${name} ${addressOf(address)}: ${fault}`];
    } catch (error) {
      return [`${name} ${addressOf(address)}: ${reasonOf(reason ?? error)}`];
    } finally {
      redis.disconnect();
    }
  };
  if ('cluster' in options) {
    const ask = async (redis: RedisCommands): Promise<string | undefined> =>
      /cluster_state:(?!ok)\w+/.exec(await redis.cluster('INFO'))?.[0];
    const each = options.cluster.map((address) => probe('the node', address, { username, password }, ask));
    return (await Promise.all(each)).flat();
  }
  if (!('sentinels' in options)) return [];
  const { sentinels, master, sentinelUsername, sentinelPassword } = options;
  const ask = async (redis: RedisCommands): Promise<string | undefined> => {
    // Fails where too few Sentinels or replicas are there for a failover.
    await redis.call('SENTINEL', 'CKQUORUM', master);
    return undefined;
  };
  const ofSentinels = { username: sentinelUsername, password: sentinelPassword };
  const each = sentinels.map((address) => probe('the Sentinel', address, ofSentinels, ask));
  return (await Promise.all(each)).flat();
}
