/** Live queries while everything breaks: the one who follows is killed again and again, and Redis is restarted. */
import { setTimeout as delay } from 'node:timers/promises';
import { slowness } from '../support/machine-speed';
import { startTestRedis, type TestRedis } from '../support/redis';
import { subscribeByEvents, subscribeBySocket, type ChangeSeen } from '../graphql/live/subscriber';
import { startTwoServers, type TwoServers } from './two-servers';

const KILLS = 100;
/** Changes of one transaction, of which there are ten a second. */
const ENTRIES = 50;

let redis: TestRedis;
let servers: TwoServers;
beforeAll(async () => {
  redis = await startTestRedis();
  servers = await startTwoServers({ REDIS_HOST: redis.host, REDIS_PORT: String(redis.port) });
});
afterAll(async () => {
  await servers.close();
  await redis.stop();
});

it('misses nothing and keeps the order, killed 100 times under 500 writes a second, with Redis restarted', async () => {
  const { first, second } = servers;
  let isOver = false;
  const written: string[] = [];
  const write = async (): Promise<void> => {
    for (let round = 0; !isOver; round++) {
      const until = performance.now() + 100;
      const ids = Array.from({ length: ENTRIES }, (_unused, index) => `w-${round}-${index}`);
      const writer = round % 2 === 0 ? first : second;
      const { status, text } = await writer.request('POST', writer.path('system', 'r4'), {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: ids.map((id) => ({
          resource: { resourceType: 'Basic', id, code: { text: id } },
          request: { method: 'PUT', url: `Basic/${id}` },
        })),
      });
      if (status !== 200) throw new Error(text);
      written.push(...ids);
      await delay(Math.max(0, until - performance.now()));
    }
  };
  const writing = write();
  const began = performance.now();
  const seen: ChangeSeen[] = [];
  const variables = { type: 'Basic', after: 0 };
  for (let kill = 0; kill < KILLS; kill++) {
    if (kill === 30) await redis.stop();
    if (kill === 60) await redis.restart();
    const subscribe = kill % 3 === 0 ? subscribeBySocket : subscribeByEvents;
    const follower = await subscribe({ base: (kill % 2 === 0 ? first : second).base, variables });
    await delay(20 + (kill % 7) * 15);
    follower.close();
    expect(follower.errors).toEqual([]);
    seen.push(...follower.changes);
    variables.after = seen.at(-1)?.sequence ?? 0;
  }
  isOver = true;
  await writing;
  const seconds = (performance.now() - began) / 1000;
  const last = await subscribeByEvents({ base: first.base, variables });
  while (seen.length + last.changes.length < written.length) await delay(20);
  await delay(500);
  last.close();
  seen.push(...last.changes);
  const sequences = seen.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  expect(new Set(sequences).size).toBe(sequences.length);
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(written));
  expect(seen).toHaveLength(written.length);
  // Fewer would not be the load that is meant.
  expect((written.length / seconds) * slowness()).toBeGreaterThan(100);
}, 120_000);
