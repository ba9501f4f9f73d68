/** What the processes of a deployment say of themselves, in Redis: it may be lost, and is new again within seconds. */
import type { ProcessReport, RedisState } from '../api/server';
import type { RedisCache } from './redis-cache';

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
    redis.mget(...read.map((process) => `${prefix}:process:${process}`)),
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

/** Undefined while Redis is unavailable. Cost: two commands. */
export async function readRedisState(cache: RedisCache): Promise<RedisState | undefined> {
  const read = await cache.run(async (redis) => [await redis.info(), await redis.dbsize()] as const);
  if (read === undefined) return undefined;
  const [info, keys] = read;
  const valueOf = (name: string): string => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? '';
  return {
    version: valueOf('redis_version'),
    bytes: Number(valueOf('used_memory')),
    limit: Number(valueOf('maxmemory')),
    evictionPolicy: valueOf('maxmemory_policy'),
    keys,
    clients: Number(valueOf('connected_clients')),
    waiting: Number(valueOf('blocked_clients')),
  };
}
