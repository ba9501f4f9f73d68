import { request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { countLiveQueries, startServer, type TestServer } from '../../support/server';
import { gatewayPath } from '../gateway-client';
import {
  connectSocket,
  SUBSCRIPTION,
  subscribeBySocket,
  type SubscribeOptions,
  type Subscriber,
} from './subscriber';
import { putBasic as storeBasic, startTwoServers, type TwoServers } from './two-servers';

const PROTOCOL = 'graphql-transport-ws';
const PAGE = 'https://page.example';

let two: TwoServers;
let server: TestServer;
let other: TestServer;
const subscribers: Subscriber[] = [];
beforeAll(async () => {
  const environment = { CORS_ORIGINS: PAGE, MAX_SUBSCRIPTIONS_PER_CONNECTION: '3' };
  two = await startTwoServers(environment);
  ({ server, other } = two);
});
afterEach(() => {
  for (const subscriber of subscribers.splice(0)) subscriber.close();
});
afterAll(() => two.close());

const socketUrl = (of = server): string => of.base.replace('http', 'ws') + gatewayPath('north', 'r4');

async function subscribe(options: Partial<SubscribeOptions> = {}, client?: ReturnType<typeof connectSocket>) {
  const subscriber = await subscribeBySocket({ base: server.base, tenant: 'north', ...options }, client);
  subscribers.push(subscriber);
  return subscriber;
}
async function putBasic(id: string, tenant = 'north', of = server): Promise<void> {
  await storeBasic(of, tenant, id, String(Math.random()));
}

/** A plain socket, and its received messages. */
async function openSocket(protocols: readonly string[], of = server) {
  const socket = new WebSocket(socketUrl(of), [...protocols]);
  const received: string[] = [];
  socket.on('message', (data: Buffer) => received.push(data.toString()));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { socket, heard: received, closed };
}

describe('a WebSocket', () => {
  it('carries several live queries, which end one by one', async () => {
    const client = connectSocket({ base: server.base, tenant: 'north' });
    const [all, one] = [
      await subscribe({}, client),
      await subscribe({ variables: { type: 'Basic', id: 'one' } }, client),
    ];
    await putBasic('two');
    await putBasic('one', 'north', other);
    await putBasic('theirs', 'south');
    await Promise.all([all.received(2), one.received(1)]);
    one.close();
    await putBasic('one');
    await all.received(3);
    expect(all.changes.map(({ id }) => id)).toEqual(['two', 'one', 'one']);
    expect(one.changes).toHaveLength(1);
    await client.dispose();
  });

  it('resumes after a number, in order and without a gap', async () => {
    const first = await subscribe({ variables: { type: 'Basic' } });
    await putBasic('g1');
    const after = (await first.received(1))[0]?.sequence;
    first.close();
    for (const id of ['g2', 'g3', 'g4']) await putBasic(id);
    const second = await subscribe({ variables: { type: 'Basic', after } });
    await second.received(3);
    expect(second.changes.map(({ id }) => id)).toEqual(['g2', 'g3', 'g4']);
  });

  it('keeps the digits of decimals', async () => {
    const { socket, heard: received } = await openSocket([PROTOCOL]);
    socket.send('{"type":"connection_init"}');
    while (received.length === 0) await delay(5);
    const before = countLiveQueries(server.base)?.begun;
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: SUBSCRIPTION } }));
    while (countLiveQueries(server.base)?.begun === before) await delay(5);
    const text =
      '{"resourceType":"Observation","id":"d","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.00}}';
    await server.request('PUT', `${server.path('north', 'r4')}/Observation/d`, text);
    while (!received.some((message) => message.includes('"next"'))) await delay(5);
    expect(received[1]).toContain('"valueQuantity":{"value":1.00}');
    expect(JSON.parse(received[1] ?? '')).toMatchObject({
      id: '1',
      type: 'next',
      payload: { data: { resourceChanged: { id: 'd' } } },
    });
    socket.close();
  });

  it('gets the errors of a subscription, with an OperationOutcome, and stays open', async () => {
    const client = connectSocket({ base: server.base, tenant: 'north' });
    for (const [document, code] of [
      ['subscription { resourceChanged(type: Patient, query: "nmae=x") { id } }', 'not-supported'],
      ['subscription { resourceChanged { nothing } }', 'invalid'],
      ['subscription { resourceChanged {', 'structure'],
      ['mutation { delete(type: Basic, id: "one") { versionId } }', 'not-supported'],
    ] as const) {
      const refused = await subscribe({ document }, client);
      while (!refused.isOver) await delay(5);
      expect(refused.errors[0]?.extensions).toMatchObject({
        code,
        resource: { resourceType: 'OperationOutcome' },
      });
    }
    const all = await subscribe({}, client);
    await putBasic('after-all');
    await all.received(1);
    await client.dispose();
  });

  it('has a limit of live queries, and accepts another when one has ended', async () => {
    const client = connectSocket({ base: server.base, tenant: 'north' });
    const three = [await subscribe({}, client), await subscribe({}, client), await subscribe({}, client)];
    const fourth = await subscribe({}, client);
    expect(fourth.errors[0]?.message).toBe('This connection has 3 live queries, which is the limit');
    expect(fourth.errors[0]?.extensions.code).toBe('throttled');
    while (countLiveQueries(server.base)?.current !== 3) await delay(5);
    three[0]?.close();
    while (countLiveQueries(server.base)?.current !== 2) await delay(5);
    const fifth = await subscribe({}, client);
    await putBasic('room');
    await fifth.received(1);
    await client.dispose();
  });
});

describe('a connection is closed', () => {
  it.each([
    ['before it is acknowledged', PROTOCOL, ['{"id":"1","type":"subscribe","payload":{"query":"x"}}'], 4401],
    ['with what is no message', PROTOCOL, ['{'], 4400],
    [
      'with a message that is too long',
      PROTOCOL,
      [`{"type":"connection_init","payload":{"x":"${'x'.repeat(2_200_000)}"}}`],
      1009,
    ],
    ['without the name of the protocol', undefined, [], 4406],
  ])('%s', async (_reason, protocol, messages, code) => {
    const { socket, closed } = await openSocket(protocol === undefined ? [] : [protocol]);
    for (const message of messages) socket.send(message);
    expect(await closed).toBe(code);
  });

  /** A server on the same database, with a time limit that only its test may reach. */
  const hasty = (environment: Readonly<Record<string, string>>): Promise<TestServer> =>
    startServer({ because: 'a time limit', database: server.database, environment });

  it('without connection_init in time', async () => {
    const of = await hasty({ HEADERS_TIMEOUT_MS: '1000' });
    const { closed } = await openSocket([PROTOCOL], of);
    expect(await closed).toBe(4408);
    await of.close();
  });

  it('when its client answers no ping', async () => {
    const of = await hasty({ SUBSCRIPTION_PING_MS: '300' });
    // Answers no ping, as a computer that was switched off.
    const socket = new WebSocket(socketUrl(of), [PROTOCOL], { autoPong: false });
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.send('{"type":"connection_init"}');
    expect(await closed).toBe(1006);
    await of.close();
  });
});

describe('the handshake', () => {
  const handshake = (path: string, headers: Record<string, string> = {}) =>
    new Promise<[number | undefined, string]>((resolve, reject) => {
      const { hostname, port } = new URL(server.base);
      const request = sendRequest({
        hostname,
        port,
        path,
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          'sec-websocket-protocol': PROTOCOL,
          ...headers,
        },
      });
      request.once('response', (response) => {
        let text = '';
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.once('end', () => resolve([response.statusCode, text]));
      });
      request.once('upgrade', (response, socket) => {
        socket.destroy();
        resolve([response.statusCode, '']);
      });
      request.once('error', reject);
      request.end();
    });

  it('is refused for unknown tenants and releases as any request', async () => {
    for (const path of [gatewayPath('nobody', 'r4'), '/w/north/api/v1/graphql/r9']) {
      const [status, text] = await handshake(path);
      expect([status, (JSON.parse(text) as { resourceType: string }).resourceType]).toEqual([
        404,
        'OperationOutcome',
      ]);
    }
  });

  it('is refused for pages of other origins, because browsers send no preflight before they open one', async () => {
    const path = gatewayPath('north', 'r4');
    expect((await handshake(path, { origin: 'https://evil.example' }))[0]).toBe(403);
    expect((await handshake(path, { origin: 'null' }))[0]).toBe(403);
    expect((await handshake(path, { origin: PAGE }))[0]).toBe(101);
    expect((await handshake(path, { origin: server.base }))[0]).toBe(101);
    expect((await handshake(path))[0]).toBe(101);
  });

  it('of anything else is a plain request: a client that offers HTTP/2 is answered, with its body', async () => {
    const { hostname, port } = new URL(server.base);
    const body = '{"resourceType":"Basic","id":"h2c","code":{"text":"x"}}';
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (part) => (text += part.toString()));
      socket.once('error', reject);
      socket.once('close', () => resolve(text));
      const head = `PUT ${server.path('north', 'r4')}/Basic/h2c HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Type: application/fhir+json\r\nContent-Length: ${body.length}\r\n\r\n`;
      socket.write(head + body.slice(0, 10));
      setTimeout(() => socket.write(body.slice(10)), 50);
      // A second request on the same connection, after the answer to the first.
      const next = `GET ${server.path('north', 'r4')}/Basic/h2c HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`;
      socket.once('data', () => socket.write(next));
    });
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200']);
    expect((await handshake(`${server.path('north', 'r4')}/Basic/h2c`))[0]).toBe(200);
  });
});
