/** Redis between processes, with a real server, at any moment of a connection. */
import { Redis } from 'ioredis';
import { eventually } from '../../support/eventually';
import { RedisCache } from '../../../src/core/cache/redis-cache';
import { findServices } from '../../support/services';
import { silentLog } from '../../support/log';
import { startTestRedis } from '../../support/redis';

/** Beyond the time limit of a command. */
const LONGER_THAN_A_COMMAND_MS = 500;

const opened: RedisCache[] = [];
afterEach(() => opened.splice(0).forEach((cache) => cache.close()));

function connect(
  prefix: string,
  complaints: string[] = [],
  address: { readonly host: string; readonly port: number } = findServices().redis,
): RedisCache {
  const warn = (details: object): void => void complaints.push(JSON.stringify(details));
  const cache = new RedisCache({ ...address, tls: false }, prefix, { ...silentLog, warn }, () => undefined);
  opened.push(cache);
  return cache;
}

it('receives notices of spaces that were subscribed at any moment while it connects, and never loses the connection', async () => {
  const prefix = `test-connecting-${process.pid}`;
  const complaints: string[] = [];
  const cache = connect(prefix, complaints);
  const heard = new Map<number, number>();
  let spaces = 0;
  while (!cache.isReachable) {
    const space = spaces++;
    cache.listenForChanges(space, () => heard.set(space, (heard.get(space) ?? 0) + 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Each listener is called once for notices that it may have missed.
  await eventually(() => heard.size === spaces);
  const before = new Map(heard);
  const other = connect(prefix);
  await eventually(() => other.isReachable);
  for (let space = 0; space < spaces; space++) other.announceChanges(space);
  await eventually(() => [...heard].every(([space, times]) => times > (before.get(space) ?? 0)));
  expect(complaints).toEqual([]);
});

it('receives notices with a listener from the start', async () => {
  const prefix = `test-notices-${process.pid}`;
  const cache = connect(prefix);
  const subjects: string[] = [];
  cache.listen(({ subject }) => subjects.push(subject));
  const other = connect(prefix);
  let sent = 0;
  await eventually(() => {
    other.announce({ kind: 'tenant-changed', subject: String(sent++) });
    return subjects.length > 0;
  });
});

it('ends the subscription to a space with its last listener', async () => {
  const prefix = `test-leaving-${process.pid}`;
  const cache = connect(prefix);
  const heard: string[] = [];
  const stopFirst = cache.listenForChanges(1, () => heard.push('first'));
  const stopSecond = cache.listenForChanges(1, () => heard.push('second'));
  cache.listenForChanges(2, () => heard.push('other'));
  await eventually(() => heard.length === 3);
  stopFirst();
  heard.length = 0;
  cache.announceChanges(1);
  await eventually(() => heard.includes('second'));
  stopSecond();
  heard.length = 0;
  cache.announceChanges(1);
  cache.announceChanges(2);
  await eventually(() => heard.includes('other'));
  expect(heard).toEqual(['other']);
});

it('does not count Redis as unreachable when this process was too busy to read an answer in time', async () => {
  const complaints: string[] = [];
  const cache = connect(`test-busy-${process.pid}`, complaints);
  await eventually(() => cache.isReachable);
  // Timers run next, before sockets are read.
  await new Promise((resolve) => setImmediate(resolve));
  const answer = cache.get(1, 'key');
  const end = performance.now() + LONGER_THAN_A_COMMAND_MS;
  while (performance.now() < end);
  expect(await answer).toBeUndefined();
  await eventually(() => cache.isReachable);
  expect(complaints).toEqual([]);
});

it('treats a connected Redis that answers only errors as unreachable, logs the reason once, and uses it again', async () => {
  const redis = await startTestRedis();
  const owner = new Redis(redis.port, redis.host);
  try {
    const complaints: string[] = [];
    const cache = connect('test-errors', complaints, redis);
    await eventually(() => cache.isReachable);
    await owner.config('SET', 'replica-serve-stale-data', 'no');
    await owner.replicaof(redis.host, 1);
    // The commands of a rate limit, the cache and a notice.
    const take = () =>
      cache.takeTokens({
        key: 'k',
        quota: 9,
        windowMs: 1_000,
        requested: 1,
        wanted: 1,
        returned: 0,
        upperBound: undefined,
      });
    expect(await take()).toBeUndefined();
    expect(cache.isReachable).toBe(false);
    expect(await cache.get(1, 'key')).toBeUndefined();
    cache.put(1, 'key', 'lost');
    cache.announceChanges(1);
    expect(await cache.removeSpace(1)).toBeUndefined();
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toMatch(/a command failed: .*MASTERDOWN/);
    await owner.replicaof('NO', 'ONE');
    await eventually(() => cache.isReachable);
    expect(await take()).toEqual({ granted: 1, tokens: 8 });
    cache.put(1, 'key', 'kept');
    expect(await cache.get(1, 'key')).toBe('kept');
    expect(complaints).toHaveLength(1);
  } finally {
    owner.disconnect();
    await redis.stop();
  }
});
