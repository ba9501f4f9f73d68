import { setTimeout as delay } from 'node:timers/promises';
import { countLiveQueries, startServer, type TestServer } from '../../support/server';
import { gatewayPath } from '../gateway-client';
import { type Subscriber, subscribeByEvents, subscribeBySocket } from './subscriber';
import { ALL_BASICS, putBasic } from './two-servers';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    because: 'MAX_SUBSCRIPTIONS, GRAPHQL_COST_LIMIT and SUBSCRIPTION_PING_MS',
    environment: {
      MAX_SUBSCRIPTIONS: '2',
      GRAPHQL_COST_LIMIT: '500',
      SUBSCRIPTION_PING_MS: '200',
    },
  });
  for (const name of ['few', 'many']) await server.createTenant(name);
});
afterAll(() => server.close());

it('when the server stops, each live query gets the number of the change after which to resume', async () => {
  const stopping = await startServer({ because: 'it is closed', database: server.database });
  const base = stopping.base;
  const subscribers: Subscriber[] = [
    await subscribeByEvents({ base, variables: { type: 'Basic' } }),
    await subscribeBySocket({ base, variables: { type: 'Basic' } }),
  ];
  await putBasic(stopping, 'system', 'last');
  await Promise.all(subscribers.map((one) => one.received(1)));
  // It does not wait for them: the clients keep their connections until the server closes them.
  await stopping.close();
  for (const one of subscribers) {
    while (!one.isOver) await delay(5);
    expect(one.errors[0]?.message).toContain('The server is stopped');
    expect(one.errors[0]?.extensions).toMatchObject({ code: 'transient', after: one.changes[0]?.sequence });
  }
  expect(subscribers[1]?.closed?.code).toBe(1001);
});

it('a live query that begins while the server stops is not over: its client subscribes again', async () => {
  const stopping = await startServer({ because: 'its live queries are ended', database: server.database });
  const { base } = stopping;
  stopping.app.core.streams.end();
  const bySocket = await subscribeBySocket({ base, variables: { type: 'Basic' } });
  while (!bySocket.isOver) await delay(5);
  // After errors a client of graphql-ws does not connect again.
  expect(bySocket.errors).toEqual([]);
  expect(bySocket.closed).toMatchObject({ code: 1013, reason: 'The server is stopping; try again' });
  const byEvents = await fetch(`${base}${gatewayPath('system', 'r4')}/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { resourceChanged(type: Basic) { id } }' }),
  });
  const text = await byEvents.text();
  expect(text).toMatch(/^event: next\ndata: .*"code":"transient","status":503/);
  expect(text).not.toContain('event: complete');
  await stopping.close();
});

it('when a tenant is disabled, its live queries end', async () => {
  await server.request(
    'POST',
    '/w/system/api/v1/tenants',
    { name: 'leaving' },
    { 'content-type': 'application/json' },
  );
  const subscribers = await subscribeByEvents({ base: server.base, tenant: 'leaving' });
  await server.app.core.tenants.disable('leaving');
  while (!subscribers.isOver) await delay(10);
  expect(subscribers.errors[0]?.extensions.code).toBe('not-found');
});

it.each([
  ['server-sent events', subscribeByEvents],
  ['WebSocket', subscribeBySocket],
] as const)(
  'over the cost limit one result is too expensive: there is no subscription for %s',
  async (_name, subscribe) => {
    const document = `subscription($count: Int) {
    resourceChanged(type: Patient) { resource { ... on Patient {
      ObservationList(_reference: subject, _count: $count) { encounter { resource { id } } }
    } } }
  }`;
    const refused = await subscribe({
      base: server.base,
      tenant: 'few',
      document,
      variables: { count: 300 },
    });
    while (!refused.isOver) await delay(5);
    expect(refused.errors[0]?.message).toContain('The operation may cost 612, and the limit is 500');
    expect(refused.errors[0]?.extensions).toMatchObject({ code: 'too-costly' });
    const subscribers = await subscribe({
      base: server.base,
      tenant: 'few',
      document,
      variables: { count: 10 },
    });
    expect(subscribers.errors).toEqual([]);
    subscribers.close();
  },
);

it('a quiet stream has keep-alives, with the number from which to resume', async () => {
  const controller = new AbortController();
  const response = await fetch(
    `${server.base}${gatewayPath('few', 'r4')}/stream?query=${encodeURIComponent(ALL_BASICS)}`,
    {
      signal: controller.signal,
      headers: { accept: 'text/event-stream' },
    },
  );
  const reader = response.body?.getReader();
  let text = '';
  while (!/(:\nid: \d+\n\n[^]*){3}/.test(text))
    text += new TextDecoder().decode((await reader?.read())?.value);
  controller.abort();
  expect(text).toMatch(/^retry: 1000\n:\nid: \d+\n\n/);
});

it('a tenant has a limit of live queries; others are not affected, and a new one is accepted when one has ended', async () => {
  const open = (tenant: string) => subscribeByEvents({ base: server.base, tenant });
  const [first, second, refused] = [await open('many'), await open('many'), await open('many')];
  while (!refused.isOver) await delay(5);
  expect(refused.errors[0]?.extensions.code).toBe('throttled');
  expect(refused.errors[0]?.message).toContain('This tenant has 2 live queries at this server');
  const other = await open('few');
  while (countLiveQueries(server.base)?.current !== 3) await delay(5);
  first.close();
  while (countLiveQueries(server.base)?.current !== 2) await delay(5);
  const third = await open('many');
  await Promise.all([putBasic(server, 'many', 'told'), putBasic(server, 'few', 'told')]);
  await Promise.all([second.received(1), third.received(1), other.received(1)]);
  for (const one of [second, third, other]) one.close();
});
