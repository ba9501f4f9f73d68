import { isIP } from 'node:net';
import { Cluster, type ClusterOptions, Redis, type RedisOptions as ConnectionOptions } from 'ioredis';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** One Redis, a Redis Cluster by some of its nodes, or the master that Sentinels name. */
export type RedisOptions = (
  | RedisAddress
  | { readonly cluster: readonly RedisAddress[] }
  | {
      readonly sentinels: readonly RedisAddress[];
      /** The name of the master at the Sentinels. */
      readonly master: string;
      readonly sentinelUsername?: string;
      readonly sentinelPassword?: string;
    }
) & {
  readonly username?: string;
  readonly password?: string;
  /** False: no TLS. `ca`: the only trusted authorities (PEM); default: those of Node.js. Applies to Sentinels too. */
  readonly tls: false | { readonly ca?: string };
};

export type RedisCommands = Redis | Cluster;

/** Beyond this, the database is as fast. */
const COMMAND_TIMEOUT_MS = 250;
const CONNECT_TIMEOUT_MS = 2_000;
export const MAX_RETRY_MS = 2_000;
const SLOTS = 16_384;

const retryDelay = (attempt: number): number => Math.min(50 * attempt, MAX_RETRY_MS);

/** What every connection has, besides its address. Commands fail at once while Redis is unavailable. */
function commonOptions({ username, password }: RedisOptions): ConnectionOptions {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResubscribe: false,
  };
}

/** Where a connection to one node is: in a cluster, to its first. */
function toSingle(options: RedisOptions): ConnectionOptions {
  const { tls } = options;
  if ('cluster' in options) return { ...options.cluster[0], ...(tls === false ? {} : { tls: { ...tls } }) };
  if ('sentinels' in options) {
    const { sentinels, master, sentinelUsername, sentinelPassword } = options;
    return {
      sentinels: [...sentinels],
      name: master,
      ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
      ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
      sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
      ...(tls === false ? {} : { tls: { ...tls }, sentinelTLS: { ...tls }, enableTLSForSentinelMode: true }),
    };
  }
  const { host, port } = options;
  // The server receives a host name (SNI), which hosts behind one address need, but must not receive an IP
  // address (RFC 6066, 3). ioredis sends nothing by itself.
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return { host, port, ...(tls === false ? {} : { tls: { ...tls, ...servername } }) };
}

/** A connection that tries once, for an inspection. */
export function createInspected(options: RedisOptions, patienceMs: number): RedisCommands {
  const common = {
    ...{ ...commonOptions(options), connectTimeout: patienceMs, commandTimeout: patienceMs },
    ...{ lazyConnect: true, sentinelCommandTimeout: patienceMs },
  };
  const once = { retryStrategy: () => null, sentinelRetryStrategy: () => null };
  if (!('cluster' in options)) return new Redis({ ...toSingle(options), ...common, ...once });
  return new Cluster([...options.cluster], {
    ...clusterOptions(options, common),
    clusterRetryStrategy: () => null,
  });
}

function clusterOptions({ tls }: RedisOptions, common: ConnectionOptions): ClusterOptions {
  return {
    lazyConnect: true,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
    // Names of nodes stay names, because certificates are for names.
    dnsLookup: (host, callback) => callback(null, host),
    redisOptions: { ...common, ...(tls === false ? {} : { tls: { ...tls } }) },
  };
}

/** A connection for commands, which connects with `connect`. */
export function createCommands(options: RedisOptions): RedisCommands {
  const common = { ...commonOptions(options), commandTimeout: COMMAND_TIMEOUT_MS };
  if (!('cluster' in options)) {
    const single = toSingle(options);
    const behaviour = { lazyConnect: true, enableOfflineQueue: false, retryStrategy: retryDelay };
    return new Redis({ ...single, ...common, ...behaviour });
  }
  return new Cluster([...options.cluster], {
    ...clusterOptions(options, common),
    enableOfflineQueue: false,
    clusterRetryStrategy: retryDelay,
  });
}

/**
 * A connection for subscriptions, which connects with `connect`. In a cluster each attempt is at any node that `commands`
 * knows, because every node delivers the notices of all. ioredis' own subscriber of a cluster does not say when it is lost.
 */
export function createSubscriber(options: RedisOptions, commands: RedisCommands): Redis {
  const subscriber: Redis = new Redis({
    ...toSingle(options),
    ...commonOptions(options),
    ...{ lazyConnect: true, enableOfflineQueue: false },
    retryStrategy(attempt) {
      if ('cluster' in options) Object.assign(subscriber.options, anyNode(options.cluster, commands));
      return retryDelay(attempt);
    },
  });
  if ('cluster' in options) Object.assign(subscriber.options, anyNode(options.cluster, commands));
  return subscriber;
}

function anyNode(configured: readonly RedisAddress[], commands: RedisCommands): RedisAddress | undefined {
  const known = commands instanceof Cluster ? commands.nodes().map(({ options }) => options) : [];
  const nodes = known.length > 0 ? known : configured;
  const { host, port } = nodes[Math.floor(Math.random() * nodes.length)] ?? {};
  return host === undefined || port === undefined ? undefined : { host, port };
}

/**
 * Looks for the master anew, or for the nodes of the slots: the present ones may hang, may have become replicas, or their
 * name may lead elsewhere by now.
 */
export function reconnect(redis: RedisCommands): void {
  if (redis instanceof Cluster) redis.refreshSlotsCache(() => undefined);
  // In any other state it looks for the master already, and disconnecting would end that for good.
  else if (redis.status === 'ready' || redis.status === 'connect') redis.disconnect(true);
}

/** The nodes that hold all keys. Throws if a part of a cluster has none, or none that is connected. */
export async function findKeyHolders(redis: RedisCommands): Promise<readonly Redis[]> {
  if (redis instanceof Redis) return [redis];
  const masters = new Map(redis.nodes('master').map((node) => [addressOf(node.options), node]));
  const holders = new Map<string, Redis>();
  let covered = 0;
  for (const [first, last, [host, port]] of await readSlots(redis)) {
    const address = addressOf({ host, port });
    const node = masters.get(address);
    if (node === undefined) throw new Error(`${address} holds keys, and is not connected`);
    holders.set(address, node);
    covered += last - first + 1;
  }
  if (covered !== SLOTS) throw new Error('Some slots of the cluster have no node');
  return [...holders.values()];
}

/** First slot, last slot, master, replicas. */
type SlotRange = readonly [number, number, readonly [string, number], ...(readonly unknown[])];

export async function readSlots(redis: RedisCommands): Promise<readonly SlotRange[]> {
  const ranges: unknown = await redis.cluster('SLOTS');
  if (!Array.isArray(ranges) || !ranges.every(isSlotRange))
    throw new Error('Redis has returned unexpected slots of the cluster');
  return ranges;
}

function isSlotRange(range: unknown): range is SlotRange {
  if (!Array.isArray(range)) return false;
  const members: readonly unknown[] = range;
  const [first, last, master] = members;
  const isRange = typeof first === 'number' && typeof last === 'number' && Array.isArray(master);
  return isRange && typeof master[0] === 'string' && typeof master[1] === 'number';
}

export function addressOf({ host, port }: { readonly host?: string; readonly port?: number }): string {
  return `${host?.includes(':') === true ? `[${host}]` : (host ?? '')}:${port ?? ''}`;
}

/** True for a command that was not answered in time, or whose answer was not read in time. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out';
}

/** Errors of Redis and TLS name hosts, users and certificates, but nothing from a client. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return 'unknown';
  const afterClose = (reason: string | undefined): string =>
    reason === undefined || reason === 'Connection is closed.' ? 'none can be reached' : reason;
  // ioredis hides the reason behind the last node of a cluster.
  if ('lastNodeError' in error && error.lastNodeError instanceof Error)
    return `no node of the cluster can be used: ${afterClose(error.lastNodeError.message)}`;
  const sentinel = /^All sentinels are unreachable.*?(?:Last error: (.*))?$/s.exec(error.message);
  return sentinel === null ? error.message : `no Sentinel names the master: ${afterClose(sentinel[1])}`;
}
