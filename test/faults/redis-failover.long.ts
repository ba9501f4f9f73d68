/** A Redis Cluster, and a Redis with Sentinels: a master dies or hangs, another takes its place, and nothing is lost. */
import { loadSettings } from '../../src/config';
import { redisOptions } from '../../src/app';
import { inspectRedis } from '../../src/core/cache/inspect-redis';
import { RedisCache } from '../../src/core/cache/redis-cache';
import { subscribeByEvents } from '../graphql/live/subscriber';
import { eventually } from '../support/eventually';
import { closedAtEnd } from '../support/left-open';
import { silentLog } from '../support/log';
import {
  startRedisCluster,
  startRedisSentinels,
  type RedisNode,
  type RedisTopology,
} from '../support/redis-topologies';
import { startTwoServers, type MeasuredServer, type TwoServers } from './two-servers';

const REACHABLE = 'andiron_redis_reachable';
const HITS = 'andiron_cache_lookups_total{outcome="hit"}';
const WAIT_MS = 60_000;
/** Longer than the test: a live query learns of changes by notices alone. */
const SETTINGS = { SUBSCRIPTION_POLL_MS: '3600000' };

const valueSet = (version: number): Record<string, unknown> => ({
  ...{ resourceType: 'ValueSet', id: 'changing', url: 'http://example.org/changing', status: 'active' },
  compose: { include: [{ system: 'http://example.org/codes', concept: [{ code: `version-${version}` }] }] },
});

async function expandedCode(server: MeasuredServer): Promise<unknown> {
  const { status, json } = await server.request(
    'GET',
    `${server.path('system', 'r4')}/ValueSet/$expand?url=http://example.org/changing`,
  );
  expect(status).toBe(200);
  return json.expansion.contains[0].code;
}

describe.each([
  ['a cluster', startRedisCluster, /^, a cluster of 3 masters and 3 replicas$/],
  [
    'a master with Sentinels',
    startRedisSentinels,
    /^ at 127\.0\.0\.1:\d+, the master records of 3 Sentinels$/,
  ],
])('with %s', (_name, start, place) => {
  let redis: RedisTopology;
  let servers: TwoServers;
  let version = 0;
  const written: string[] = [];
  beforeAll(async () => {
    redis = await start();
    servers = await startTwoServers({ ...redis.environment, ...SETTINGS });
    await eventually(isUsed, WAIT_MS);
  });
  afterAll(async () => {
    await servers.close();
    await redis.stop();
  });

  async function isUsed(): Promise<boolean> {
    const { first, second } = servers;
    return (await Promise.all([first.metric(REACHABLE), second.metric(REACHABLE)])).every(
      (value) => value === 1,
    );
  }

  /** Each server writes a Basic and replaces the value set in turn, and both answer the value set as it was written. */
  async function write(): Promise<void> {
    const { first, second } = servers;
    version++;
    const [writer, other] = version % 2 === 0 ? [first, second] : [second, first];
    const id = `basic-${version}`;
    const root = writer.path('system', 'r4');
    const resource = { resourceType: 'Basic', id, code: { text: id } };
    expect((await writer.request('PUT', `${root}/Basic/${id}`, resource)).status).toBe(201);
    written.push(id);
    const put = await writer.request('PUT', `${root}/ValueSet/changing`, valueSet(version));
    expect(put.status).toBeLessThan(300);
    expect(await expandedCode(other)).toBe(`version-${version}`);
    expect(await expandedCode(writer)).toBe(`version-${version}`);
  }

  async function failsOver(fail: (master: RedisNode) => void): Promise<RedisNode> {
    const { first, second } = servers;
    const followers = await Promise.all(
      [first, second].map(({ base }) => subscribeByEvents({ base, variables: { type: 'Basic', after: 0 } })),
    );
    const sees = (): boolean => followers.every(({ changes }) => changes.at(-1)?.id === written.at(-1));
    await write();
    await eventually(sees, WAIT_MS);
    const before = await redis.masters();
    const [master] = before;
    if (master === undefined) throw new Error('Redis has no master');
    fail(master);
    // Other nodes than before: the replica has become a master.
    await eventually(async () => {
      await write();
      const now = await redis.masters();
      return now.length === before.length && !now.includes(master);
    }, WAIT_MS);
    await eventually(isUsed, WAIT_MS);
    // Without a further write: what was written without notices is told.
    await eventually(sees, WAIT_MS);
    await write();
    await eventually(sees, WAIT_MS);
    for (const follower of followers) {
      follower.close();
      expect(follower.errors).toEqual([]);
      expect(follower.changes.map(({ id }) => id)).toEqual(written);
    }
    for (const server of [first, second]) {
      expect((await server.request('GET', '/health/ready')).json).toMatchObject({
        status: 'ready',
        notices: [],
      });
      const hits = await server.metric(HITS);
      await eventually(async () => {
        await expandedCode(server);
        return (await server.metric(HITS)) > hits;
      }, WAIT_MS);
    }
    return master;
  }

  it('andiron doctor says what it is, and finds no fault', async () => {
    const inspection = await inspectRedis(redisOptions(loadSettings(redis.environment)));
    expect(inspection).toMatchObject({ place: expect.stringMatching(place), faults: [] });
  });

  it('nothing is lost or stale when the master is killed, and live queries go on', async () => {
    const master = await failsOver((each) => each.signal('SIGKILL'));
    await master.start();
    await eventually(async () => /master_link_status:up/.test(await infoOf(master)), WAIT_MS);
  });

  it('nothing is lost or stale when the master hangs, and live queries go on', async () => {
    const master = await failsOver((each) => each.signal('SIGSTOP'));
    master.signal('SIGCONT');
    await eventually(async () => /master_link_status:up/.test(await infoOf(master)), WAIT_MS);
  });

  it('all texts of a tenant are found and removed, and limits are counted', async () => {
    const options = redisOptions(loadSettings(redis.environment));
    const cache = new RedisCache(options, 'test-removal', silentLog, () => undefined);
    closedAtEnd(() => Promise.resolve(cache.close()));
    await eventually(() => cache.isReachable, WAIT_MS);
    const keys = Array.from({ length: 100 }, (_, number) => `key-${number}`);
    const read = (space: number) => Promise.all(keys.map((key) => cache.get(space, key)));
    for (const space of [1, 2]) {
      for (const key of keys) cache.put(space, key, key);
      await eventually(async () => (await read(space)).every((text) => text !== undefined), WAIT_MS);
    }
    expect(await cache.removeSpace(1)).toBe(100);
    expect(await read(1)).toEqual(keys.map(() => undefined));
    expect(await read(2)).toEqual(keys);
    const asked = { requested: 1, wanted: 1, returned: 0, upperBound: undefined };
    const taken = await Promise.all(
      keys.map((key) => cache.takeTokens({ key, quota: 9, windowMs: 3_600_000, ...asked })),
    );
    expect(taken.map((answer) => answer?.granted)).toEqual(keys.map(() => 1));
  });
});

const infoOf = (node: RedisNode): Promise<string> =>
  node.ask((redis) => redis.info('replication')).catch(() => '');
