/** Slow readers and many idle ones, measured when nothing else runs. */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { countLiveQueries, startServer, type TestServer } from '../../support/server';
import { eventually } from '../../support/eventually';
import { gatewayPath } from '../gateway-client';
import { SUBSCRIPTION, subscribeByEvents } from './subscriber';
import { ALL_BASICS, putBasic } from './two-servers';

const PATIENCE_MS = 20_000;
/** In which statements are counted. */
const WINDOW_MS = 2_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    environment: {
      MAX_SUBSCRIPTIONS: '1000',
      SUBSCRIPTION_QUEUE_BYTES: '20000',
      SUBSCRIPTION_STALL_MS: '1500',
    },
  });
  for (const name of ['few', 'slow']) await server.createTenant(name);
});
afterAll(() => server.close());

/** A connection that requests a stream and then reads on demand. */
async function readSlowly(tenant: string): Promise<Socket> {
  const { hostname, port } = new URL(server.base);
  const socket = connect(Number(port), hostname);
  const path = `${gatewayPath(tenant, 'r4')}/stream?query=${encodeURIComponent(ALL_BASICS)}`;
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  return socket;
}

/** Waits until so many live queries are open. */
async function followed(count: number): Promise<void> {
  const current = (): number | undefined => countLiveQueries(server.base)?.current;
  await eventually(() => current() === count, PATIENCE_MS);
}

it('a slow reader affects no others: they get changes at once, and it is disconnected and may resume', async () => {
  const slow = await readSlowly('slow');
  const fast = await subscribeByEvents({ base: server.base, tenant: 'slow', document: ALL_BASICS });
  const text = 'x'.repeat(900_000);
  for (let index = 0; index < 20; index++) await putBasic(server, 'slow', `big-${index}`, text);
  await fast.received(20);
  let received = '';
  const closed = new Promise((resolve) => slow.once('close', resolve));
  // It reads nothing until the server has closed it, and then the data that had been sent.
  await followed(1);
  slow.on('data', (part: Buffer) => (received += part.toString()));
  slow.on('error', () => undefined);
  slow.resume();
  await closed;
  const subscribers = [
    ...received.matchAll(/id: (\d+)\nevent: next\ndata: \{"data":\{"resourceChanged":\{"id":"big/g),
  ].map(([, id]) => Number(id));
  expect(subscribers.length).toBeLessThan(20);
  // The last of them may have come in part: the one before it is whole.
  const whole = subscribers.slice(0, -1);
  const after = whole.at(-1) ?? 0;
  const rest = await subscribeByEvents({
    base: server.base,
    tenant: 'slow',
    document: SUBSCRIPTION,
    variables: { type: 'Basic', after },
  });
  await rest.received(20 - whole.length);
  expect([...whole, ...rest.changes.map(({ sequence }) => sequence)]).toEqual(
    fast.changes.map(({ sequence }) => sequence),
  );
  for (const subscriber of [fast, rest]) subscriber.close();
});

it('a thousand idle live queries cost one statement per second, and all get a change', async () => {
  const clients = Array.from({ length: 10 }, () =>
    createClient({
      url: server.base.replace('http', 'ws') + gatewayPath('few', 'r4'),
      webSocketImpl: WebSocket,
      lazy: true,
    }),
  );
  let subscribers = 0;
  let refused = '';
  const subscribe = (client: (typeof clients)[number], id: string): (() => void) =>
    client.subscribe(
      { query: 'subscription($id: ID) { resourceChanged(type: Basic, id: $id) { id } }', variables: { id } },
      {
        next: () => (subscribers += 1),
        error: (error) => (refused = JSON.stringify(error)),
        complete: () => undefined,
      },
    );
  const stops = clients.flatMap((client) =>
    Array.from({ length: 100 }, (_unused, index) => subscribe(client, `idle-${index}`)),
  );
  const further = createClient({
    url: server.base.replace('http', 'ws') + gatewayPath('few', 'r4'),
    webSocketImpl: WebSocket,
    lazy: true,
  });
  await followed(1_000);
  const stopFurther = subscribe(further, 'x');
  await eventually(() => refused !== '', PATIENCE_MS);
  expect(refused).toContain('This tenant has 1000 live queries at this server, the most that it may have');

  const database = new Client({ ...server.database.settings });
  await database.connect();
  const transactions = async (): Promise<number> => {
    const { rows } = await database.query<{ count: string }>(
      'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
    );
    return Number(rows[0]?.count);
  };
  let counted = await transactions();
  // Two statements a second; the counts of PostgreSQL are seconds late, so that there are more at first, of earlier
  // ones.
  await eventually(async () => {
    await delay(WINDOW_MS);
    const before = counted;
    counted = await transactions();
    return ((counted - before) / WINDOW_MS) * 1000 < 20;
  }, PATIENCE_MS);
  await database.end();

  await putBasic(server, 'few', 'idle-7');
  await eventually(() => subscribers >= 10, PATIENCE_MS);
  expect(subscribers).toBe(10);
  stopFurther();
  for (const stop of stops) stop();
  for (const client of [...clients, further]) await client.dispose();
});
