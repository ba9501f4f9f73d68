/** Slow readers and many idle ones, measured when nothing else runs. */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startServer, type TestServer } from '../../support/server';
import { gatewayPath } from '../gateway-client';
import { SUBSCRIPTION, subscribeByEvents } from './subscriber';
import { ALL_BASICS, putBasic } from './two-servers';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    environment: {
      MAX_SUBSCRIPTIONS: '1000',
      SUBSCRIPTION_QUEUE_BYTES: '20000',
      SUBSCRIPTION_STALL_MS: '1500',
      SUBSCRIPTION_PING_MS: '200',
    },
  });
  for (const name of ['few', 'slow']) await server.createTenant(name);
});
afterAll(() => server.close());

/** A connection that asks for a stream and then reads what it is told to read. */
async function askSlowly(tenant: string): Promise<Socket> {
  const { hostname, port } = new URL(server.base);
  const socket = connect(Number(port), hostname);
  const path = `${gatewayPath(tenant, 'r4')}/stream?query=${encodeURIComponent(ALL_BASICS)}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAccept: text/event-stream\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  return socket;
}

it('a slow reader hurts nobody: others are told at once, and it is cut off and may go on where it was', async () => {
  const slow = await askSlowly('slow');
  const fast = await subscribeByEvents({ base: server.base, tenant: 'slow', document: ALL_BASICS });
  const text = 'x'.repeat(900_000);
  for (let index = 0; index < 20; index++) await putBasic(server, 'slow', `big-${index}`, text);
  await fast.received(20);
  const began = Date.now();
  let received = '';
  const closed = new Promise((resolve) => slow.once('close', resolve));
  await delay(4_500);
  slow.on('data', (part: Buffer) => (received += part.toString()));
  slow.on('error', () => undefined);
  slow.resume();
  await closed;
  expect(Date.now() - began).toBeLessThan(8_000);
  const told = [
    ...received.matchAll(/id: (\d+)\nevent: next\ndata: \{"data":\{"resourceChanged":\{"id":"big/g),
  ].map(([, id]) => Number(id));
  expect(told.length).toBeLessThan(20);
  // The last of them may have come in part: the one before it is whole.
  const whole = told.slice(0, -1);
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
}, 30_000);

it('a thousand idle live queries cost a look each second, and are all told when there is something', async () => {
  const clients = Array.from({ length: 10 }, () =>
    createClient({
      url: server.base.replace('http', 'ws') + gatewayPath('few', 'r4'),
      webSocketImpl: WebSocket,
      lazy: true,
    }),
  );
  let told = 0;
  let refused = '';
  const subscribe = (client: (typeof clients)[number], id: string): (() => void) =>
    client.subscribe(
      { query: 'subscription($id: ID) { resourceChanged(type: Basic, id: $id) { id } }', variables: { id } },
      {
        next: () => (told += 1),
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
  await delay(3_000);
  const stopFurther = subscribe(further, 'x');
  const began = Date.now();
  while (refused === '' && Date.now() - began < 5_000) await delay(10);
  expect(refused).toContain('This tenant has 1000 live queries at this server, the most that it may have');

  const database = new Client({ ...server.database.settings });
  await database.connect();
  const transactions = async (): Promise<number> => {
    const { rows } = await database.query<{ count: string }>(
      'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
    );
    return Number(rows[0]?.count);
  };
  const before = await transactions();
  await delay(3_000);
  // Two statements a second; what PostgreSQL counts comes late, and the last of what was before may be among it.
  expect((await transactions()) - before).toBeLessThan(60);
  await database.end();

  await putBasic(server, 'few', 'idle-7');
  while (told < 10) await delay(10);
  expect(told).toBe(10);
  stopFurther();
  for (const stop of stops) stop();
  for (const client of [...clients, further]) await client.dispose();
}, 30_000);
