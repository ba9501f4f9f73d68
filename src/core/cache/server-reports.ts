/** What the processes of a deployment say of themselves, in Redis: it may be lost, and is new again within seconds. */
import type { ProcessReport, RedisState } from '../api/server';
import type { RedisCache } from './redis-cache';
import { findKeyHolders } from './redis-connection';

/** Three reports may be lost. */
const REPORT_SECONDS = 20;
/** Processes whose reports are read. */
const MOST_REPORTS = 500;

export async function putReport(cache: RedisCache, process: string, report: ProcessReport): Promise<void> {
  await cache.run((redis, prefix) =>
    redis.set(`${prefix}:process:${process}`, JSON.stringify(report), 'EX', REPORT_SECONDS),
  );
}

/** Returns the reports of processes by their ids; none while Redis is unavailable. */
export async function readReports(
  cache: RedisCache,
  processes: readonly string[],
): Promise<ReadonlyMap<string, ProcessReport>> {
  const read = processes.slice(0, MOST_REPORTS);
  if (read.length === 0) return new Map();
  const found = await cache.run((redis, prefix) =>
    // A command of a cluster is about keys of one slot.
    Promise.all(read.map((process) => redis.get(`${prefix}:process:${process}`))),
  );
  return new Map(
    (found ?? []).flatMap((text, index) => {
      const [process, report] = [read[index], text === null ? undefined : parseReport(text)];
      return process === undefined || report === undefined ? [] : [[process, report] as const];
    }),
  );
}

/** Undefined: it is of a version that says other things. */
function parseReport(text: string): ProcessReport | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isReport(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const SHAPE: Readonly<Record<keyof ProcessReport, 'string' | 'number' | 'boolean' | 'object'>> = {
  ...{ version: 'string', node: 'string', host: 'string', pid: 'number', port: 'number', started: 'number' },
  ...{ memory: 'object', requests: 'number', connections: 'object', isRedisReachable: 'boolean' },
  ...{ subscriptions: 'number', failingSubscriptions: 'number', liveQueries: 'number' },
  ...{ searches: 'object', limits: 'object' },
};

function isReport(value: unknown): value is ProcessReport {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map<string, unknown>(Object.entries(value));
  return (
    Object.entries(SHAPE).every(([name, type]) => typeof members.get(name) === type) &&
    Array.isArray(members.get('searches')) &&
    Array.isArray(members.get('limits'))
  );
}

/** The sums over the nodes that hold keys; undefined while Redis is unavailable. Cost: two commands of each node. */
export async function readRedisState(cache: RedisCache): Promise<RedisState | undefined> {
  const nodes = await cache.run(async (redis) =>
    Promise.all(
      (await findKeyHolders(redis)).map(async (node) => ({
        info: await node.info(),
        keys: await node.dbsize(),
      })),
    ),
  );
  if (nodes === undefined) return undefined;
  const valuesOf = (name: string): readonly string[] =>
    nodes.map(({ info }) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? '');
  const distinct = (name: string): string => [...new Set(valuesOf(name))].join(', ');
  const total = (values: readonly (string | number)[]): number =>
    values.reduce<number>((sum, value) => sum + Number(value), 0);
  return {
    version: distinct('redis_version'),
    bytes: total(valuesOf('used_memory')),
    limit: total(valuesOf('maxmemory')),
    evictionPolicy: distinct('maxmemory_policy'),
    keys: total(nodes.map(({ keys }) => keys)),
    clients: total(valuesOf('connected_clients')),
    waiting: total(valuesOf('blocked_clients')),
  };
}
