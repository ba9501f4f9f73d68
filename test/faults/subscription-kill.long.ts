/**
 * kill -9 of servers at random moments, while changes are written and delivered: each acknowledged change arrives at
 * least once, in the order of the numbers, which have no gaps; and another process goes on within five seconds.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '../support/database';
import { startEndpoint } from '../support/endpoint';
import { eventually } from '../support/eventually';
import { createHttpClient } from '../support/http';
import { slowness } from '../support/machine-speed';
import { startProcess, type ServerProcess } from '../support/process';
import { IS_FULL, IS_LANDING, killRounds } from '../support/rounds';
import { makeSubscription, readNotification, sender, subscription, TOPIC } from '../support/subscriptions';

const KILLS = killRounds(6, 100);
const TAKE_OVER_MS = 5_000;
/** Paths of the endpoint; the last refuses every fifth request. */
const PATHS = ['/one', '/two', '/flaky'];

it(
  'no kill loses an event, repeats its number for another, or stops the deliveries',
  async () => {
    const database = await createTestDatabase();
    let count = 0;
    const endpoint = await startEndpoint(({ path }, response) => {
      if (path === '/flaky' && ++count % 5 === 0) response.statusCode = 503;
      response.end();
    });
    const start = (): Promise<ServerProcess> =>
      startProcess({
        database,
        environment: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1:*', VALIDATION: 'structure' },
      });
    const servers: ServerProcess[] = await Promise.all([start(), start()]);
    const [first] = servers;
    if (first === undefined) throw new Error('no server was started');
    const root = first.path('system', 'r4');
    for (const path of PATHS)
      await makeSubscription(
        sender(first),
        root,
        subscription({ endpoint: endpoint.base + path, criteria: `${TOPIC}/Device` }),
      );

    const acknowledged = new Set<string>();
    let isOver = false;
    const writing = Array.from({ length: 3 }, async (_, writer) => {
      for (let step = 0; !isOver; step++) {
        const id = `device-${writer}-${step}`;
        const { base } = servers[step % 2] ?? first;
        const client = createHttpClient(base);
        try {
          const { status } = await client.request('PUT', `${root}/Device/${id}`, {
            resourceType: 'Device',
            id,
          });
          if (status === 201) acknowledged.add(id);
        } catch {
          // That server was killed; nobody was told that it has stored the change.
        }
        client.close();
        await delay(15);
      }
    });

    let longest = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      await delay(Math.random() * 500);
      const place = Math.random() < 0.5 ? 0 : 1;
      await servers[place]?.kill();
      const before = endpoint.received.length;
      const killed = performance.now();
      await eventually(() => endpoint.received.length > before + 3, 60_000);
      longest = Math.max(longest, performance.now() - killed);
      servers[place] = await start();
    }
    isOver = true;
    await Promise.all(writing);

    const eventsAt = (path: string): { number: number; focus: string | undefined }[] =>
      endpoint.received
        .filter((one) => one.path === path)
        .map((one) => readNotification('r4', one))
        .flatMap(({ numbers, focus }) =>
          numbers.map((number, index) => ({ number, focus: focus[index]?.split('/').at(-1) })),
        );
    for (const path of PATHS) {
      const arrived = (): Set<string | undefined> => new Set(eventsAt(path).map(({ focus }) => focus));
      await eventually(async () => {
        const ids = arrived();
        return [...acknowledged].every((id) => ids.has(id));
      }, 60_000);
      const first = new Map<number, string | undefined>();
      for (const { number, focus } of eventsAt(path)) {
        if (!first.has(number)) first.set(number, focus);
        // An event that is repeated is the same one.
        expect([number, focus]).toEqual([number, first.get(number)]);
      }
      // In order and without gaps: each number comes for the first time after all smaller ones.
      expect([...first.keys()]).toEqual(Array.from({ length: first.size }, (_, index) => index + 1));
      expect(new Set(first.values()).size).toBe(first.size);
    }
    process.stdout.write(
      `${KILLS} kills, ${acknowledged.size} changes, longest pause ${longest.toFixed(0)} ms\n`,
    );
    if (!IS_LANDING) expect(longest).toBeLessThan(TAKE_OVER_MS * slowness());
    await Promise.all(servers.map((server) => server.close()));
    await endpoint.close();
    await database.drop();
  },
  IS_FULL ? 1_800_000 : 240_000,
);
