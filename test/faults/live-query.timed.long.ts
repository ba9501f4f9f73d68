/** Live queries while everything fails: the subscriber is killed again and again, and Redis is restarted. */
import { setTimeout as delay } from 'node:timers/promises';
import { slowness } from '../support/machine-speed';
import { startTestRedis, type TestRedis } from '../support/redis';
import { subscribeByEvents, subscribeBySocket, type ChangeSeen } from '../graphql/live/subscriber';
import { eventually } from '../support/eventually';
import { startTwoServers, type MeasuredServer, type TwoServers } from './two-servers';
import { rounds } from '../support/rounds';

const KILLS = rounds(30, 100);
/** The rate for the machine that the time limits are meant for; a slower one gets proportionally fewer. */
const WRITES_A_SECOND = 500;
/** Changes of one transaction, of which each of two writers begins one in so many milliseconds: 700 changes a second. */
const ENTRIES = 49;
const ROUND_MS = 140;

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

/** Stores so many small resources by one transaction. */
async function put(writer: MeasuredServer, ids: readonly string[]): Promise<void> {
  const { status, text } = await writer.request('POST', writer.path('system', 'r4'), {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: ids.map((id) => ({
      resource: { resourceType: 'Basic', id, code: { text: id } },
      request: { method: 'PUT', url: `Basic/${id}` },
    })),
  });
  if (status !== 200) throw new Error(text);
}

it('misses nothing and keeps the order, killed again and again under 500 writes a second, with Redis restarted', async () => {
  const { first, second } = servers;
  let isOver = false;
  const written: string[] = [];
  const slower = slowness();
  const began = performance.now();
  // More than are asserted, so that a round that took long is caught up with; one writer at each process.
  const write = async (writer: MeasuredServer, name: string): Promise<void> => {
    for (let round = 0; !isOver; round++) {
      await delay(Math.max(0, began + round * ROUND_MS * slower - performance.now()));
      const ids = Array.from({ length: ENTRIES }, (_unused, index) => `${name}-${round}-${index}`);
      await put(writer, ids);
      written.push(...ids);
    }
  };
  const writing = Promise.all([write(first, 'first'), write(second, 'second')]);
  const seen: ChangeSeen[] = [];
  const variables = { type: 'Basic', after: 0 };
  for (let kill = 0; kill < KILLS; kill++) {
    if (kill === Math.floor(KILLS * 0.3)) await redis.stop();
    if (kill === Math.floor(KILLS * 0.6)) await redis.restart();
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
  // The last write is reported last: any repetition came before it.
  const theLast = 'the-last';
  await put(first, [theLast]);
  written.push(theLast);
  await eventually(() => last.changes.at(-1)?.id === theLast, 30_000);
  last.close();
  seen.push(...last.changes);
  const sequences = seen.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  expect(new Set(sequences).size).toBe(sequences.length);
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(written));
  expect(seen).toHaveLength(written.length);
  // Fewer would not be the load that is meant.
  expect((written.length / seconds) * slower).toBeGreaterThanOrEqual(WRITES_A_SECOND);
});
