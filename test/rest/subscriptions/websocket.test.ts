import { createHash } from 'node:crypto';
import type { Release } from '../../../src/core';
import { sealBindingToken } from '../../../src/core/fhir-subscriptions/sockets/socket-token';
import { eventually } from '../../support/eventually';
import { openNotificationSocket, type NotificationSocket } from '../../support/notification-socket';
import { startServer, type TestServer } from '../../support/server';
import {
  BACKPORT,
  makeSubscription,
  sender,
  subscription,
  TOPIC,
  type Sender,
  type Wanted,
} from '../../support/subscriptions';
import { TESTED_RELEASES } from '../../support/releases';

const SECRET = 'a secret of the tests that signs tokens';

let server: TestServer;
/** On the same database. */
let other: TestServer;
let send: Sender;
const opened: NotificationSocket[] = [];
beforeAll(async () => {
  const environment = {
    SECRET_KEYS: SECRET,
    MAX_SUBSCRIPTIONS_PER_CONNECTION: '2',
  };
  server = await startServer({ because: 'MAX_SUBSCRIPTIONS_PER_CONNECTION', environment });
  other = await startServer({
    because: 'it is another process of the same database',
    database: server.database,
    environment,
  });
  for (const name of ['north', 'south']) await server.createTenant(name);
  send = sender(server);
});
afterEach(() => {
  for (const { socket } of opened.splice(0)) socket.terminate();
});
afterAll(async () => {
  await other.close();
  await server.close();
});

async function open(release: Release, tenant = 'north', of = server): Promise<NotificationSocket> {
  const client = await openNotificationSocket(of, tenant, release);
  opened.push(client);
  return client;
}

interface IssuedParameter {
  readonly name: string;
  readonly valueString?: string;
  readonly valueUrl?: string;
  readonly valueDateTime?: string;
}

describe.each(TESTED_RELEASES)('%s', (release) => {
  const root = (tenant = 'north'): string => server.path(tenant, release);

  const make = (wanted: Wanted = {}, tenant = 'north'): Promise<string> =>
    makeSubscription(send, root(tenant), subscription({ type: 'websocket', ...wanted }));

  async function issue(path: string): Promise<readonly IssuedParameter[]> {
    const { status, json } = await send('GET', `${root()}/${path}`);
    expect([status, json['resourceType']]).toEqual([200, 'Parameters']);
    return json['parameter'] as readonly IssuedParameter[];
  }

  const tokenOf = async (...ids: readonly string[]): Promise<string> =>
    (await issue(`Subscription/$get-ws-binding-token?${ids.map((id) => `id=${id}`).join('&')}`)).find(
      ({ name }) => name === 'token',
    )?.valueString ?? '';

  async function makeClassic(criteria: string): Promise<string> {
    return makeSubscription(send, root(), {
      resourceType: 'Subscription',
      status: 'requested',
      reason: 'A dashboard wants to know when to look',
      criteria,
      channel: { type: 'websocket' },
    });
  }

  const patient = (family: string): Promise<unknown> =>
    send('POST', `${root()}/Patient`, { resourceType: 'Patient', name: [{ family }] });

  it('a token binds a Subscription to a WebSocket, which gets its events in their order', async () => {
    const id = await make({ content: 'full-resource' });
    const issued = await issue(`Subscription/${id}/$get-ws-binding-token`);
    expect(issued.map(({ name }) => name)).toEqual(['token', 'expiration', 'subscription', 'websocket-url']);
    const [token, expiration, bound, url] = issued;
    expect(bound?.valueString).toBe(id);
    expect(url?.valueUrl?.replace('localhost', '127.0.0.1')).toBe(
      `${server.root('north', release).replace('http', 'ws')}/websocket`,
    );
    expect(Date.parse(expiration?.valueDateTime ?? '') - Date.now()).toBeLessThanOrEqual(30_000);

    const client = await open(release);
    client.send(`bind-with-token: ${token?.valueString}`);
    await client.until(1);
    for (const family of ['One', 'Two', 'Three']) await patient(family);
    await client.until(2);
    while (client.notified().flatMap(({ numbers }) => numbers).length < 3)
      await client.until(client.received.length + 1);
    const [handshake, ...events] = client.notified();
    expect(handshake).toMatchObject({ type: 'handshake', status: 'active', numbers: [] });
    expect(events.map(({ type }) => type)).toEqual(events.map(() => 'event-notification'));
    expect(events.flatMap(({ numbers }) => numbers)).toEqual([1, 2, 3]);
    expect(
      events
        .flatMap(({ entries }) => entries)
        .map(({ resource }) => (resource?.['name'] as { family: string }[])[0]?.family),
    ).toEqual(['One', 'Two', 'Three']);
  });

  it('a WebSocket is bound to several Subscriptions, and hears only what happens from then on', async () => {
    const ids = [await make(), await make({ criteria: `${TOPIC}/Device` })];
    await patient('Before');
    const numberOf = async (id = ''): Promise<string> =>
      JSON.stringify((await send('GET', `${root()}/Subscription/${id}/$status`)).json);
    await eventually(async () => /since-?subscription-?start[^}]*"1"/i.test(await numberOf(ids[0])));
    const client = await open(release);
    const token = await tokenOf(...ids);
    // The form of Medplum's clients.
    client.send(JSON.stringify({ type: 'bind-with-token', payload: { token } }));
    await client.until(2);
    await send('POST', `${root()}/Device`, { resourceType: 'Device' });
    await client.until(3);
    const [, , event] = client.notified();
    expect(event).toMatchObject({ type: 'event-notification', numbers: [1] });
    expect(event?.focus[0]).toContain('/Device/');
    client.send(`bind-with-token: ${await tokenOf(ids[1] ?? '')}`);
    await client.until(4);
    expect(client.notified()[3]).toMatchObject({ type: 'handshake' });
    const third = await make();
    client.send(`bind-with-token ${await tokenOf(third)}`);
    expect(await client.closed).toEqual([
      4429,
      'This connection is bound to 2 Subscriptions, and 2 is the limit',
    ]);
  });

  it('a WebSocket at one server hears of a write at another', async () => {
    const id = await make({ criteria: `${TOPIC}/Location` });
    const client = await open(release, 'north', other);
    client.send(`bind-with-token: ${await tokenOf(id)}`);
    await client.until(1);
    await send('POST', `${root()}/Location`, { resourceType: 'Location' });
    await client.until(2);
    expect(client.notified()[1]).toMatchObject({ type: 'event-notification', numbers: [1] });
  });

  it('a heartbeat comes where the Subscription asks for it', async () => {
    const id = await make({
      criteria: `${TOPIC}/Schedule`,
      extension: [{ url: `${BACKPORT}/backport-heartbeat-period`, valueUnsignedInt: 1 }],
    });
    const client = await open(release);
    client.send(`bind-with-token: ${await tokenOf(id)}`);
    await client.until(2);
    expect(client.notified().map(({ type }) => type)).toEqual(['handshake', 'heartbeat']);
  });

  it('a token is good for one connection, for 30 seconds, in its tenant and release', async () => {
    const id = await make();
    const token = await tokenOf(id);
    const refused = [4401, 'The token is not valid here, was used, or has expired'];
    const elsewhere = await Promise.all([open(release, 'south'), open(release === 'r4' ? 'r4b' : 'r4')]);
    for (const client of elsewhere) {
      client.send(`bind-with-token: ${token}`);
      expect(await client.closed).toEqual(refused);
    }
    const first = await open(release);
    first.send(`bind-with-token: ${token}`);
    await first.until(1);
    for (const at of [server, other]) {
      const second = await open(release, 'north', at);
      second.send(`bind-with-token: ${token}`);
      expect(await second.closed).toEqual(refused);
    }

    const keys = [createHash('sha256').update(SECRET, 'utf8').digest()];
    const space = await server.app.core.access.findSpace('north', release);
    const forge = (age: number): string =>
      sealBindingToken(
        keys,
        { number: space?.number ?? 0 },
        { actor: 'anonymous', subscriptions: [{ id, version: 1 }] },
        Date.now() - age,
      ).token;
    const late = await open(release);
    late.send(`bind-with-token: ${forge(31_000)}`);
    expect(await late.closed).toEqual(refused);
    const inTime = await open(release);
    inTime.send(`bind-with-token: ${forge(20_000)}`);
    await inTime.until(1);
  });

  it('the end of a Subscription is the last notification, and closes the WebSocket', async () => {
    for (const end of ['DELETE', 'PUT'] as const) {
      const id = await make({ criteria: `${TOPIC}/Group` });
      const client = await open(release);
      client.send(`bind-with-token: ${await tokenOf(id)}`);
      await client.until(1);
      const { json } = await send('GET', `${root()}/Subscription/${id}`);
      await send(end, `${root()}/Subscription/${id}`, end === 'PUT' ? { ...json, status: 'off' } : undefined);
      expect(await client.closed).toEqual([1000, `Subscription/${id} is off`]);
      expect(client.notified().map(({ type, status }) => [type, status])).toEqual([
        ['handshake', 'active'],
        ['heartbeat', 'off'],
      ]);
    }
  });

  it('a Subscription that was written again must be bound again', async () => {
    const id = await make({ criteria: `${TOPIC}/Group` });
    const token = await tokenOf(id);
    const client = await open(release);
    client.send(`bind-with-token: ${await tokenOf(id)}`);
    await client.until(1);
    const { json } = await send('GET', `${root()}/Subscription/${id}`);
    await send('PUT', `${root()}/Subscription/${id}`, { ...json, reason: 'Another ward' });
    expect(await client.closed).toEqual([1000, `Subscription/${id} was written again: bind it again`]);
    const late = await open(release);
    late.send(`bind-with-token: ${token}`);
    expect(await late.closed).toEqual([4422, `Subscription/${id} was written again: get a new token`]);
  });

  it('a classic Subscription is bound by its id, and says that something has happened', async () => {
    const id = await makeClassic('Organization?name=North');
    const client = await open(release);
    client.send(`bind ${id}`);
    expect(await client.until(1)).toEqual([`bound ${id}`]);
    await send('POST', `${root()}/Organization`, { resourceType: 'Organization', name: 'South' });
    await send('POST', `${root()}/Organization`, { resourceType: 'Organization', name: 'North' });
    expect(await client.until(2)).toEqual([`bound ${id}`, `ping ${id}`]);
  });

  it('tokens are only for running Subscriptions with the channel websocket', async () => {
    const hook = await send('POST', `${root()}/Subscription`, {
      ...subscription({ endpoint: 'http://127.0.0.1:9/' }),
      status: 'off',
    });
    const off = await send('POST', `${root()}/Subscription`, {
      ...subscription({ type: 'websocket' }),
      status: 'off',
    });
    const refusalOf = async (path: string): Promise<unknown> => {
      const { status, json } = await send('GET', `${root()}/Subscription/${path}`);
      return [status, (json['issue'] as { diagnostics: string }[])[0]?.diagnostics];
    };
    const hookId = String(hook.json['id']);
    const offId = String(off.json['id']);
    expect(await refusalOf(`${hookId}/$get-ws-binding-token`)).toEqual([
      422,
      `Subscription/${hookId} has not the channel websocket`,
    ]);
    expect(await refusalOf(`${offId}/$get-ws-binding-token`)).toEqual([
      422,
      `Subscription/${offId} does not run: its status must be requested or active`,
    ]);
    expect(await refusalOf('nobody/$get-ws-binding-token')).toEqual([
      404,
      'Subscription/nobody does not exist',
    ]);
    expect(await refusalOf('$get-ws-binding-token')).toEqual([
      400,
      "The parameter 'id' must name at least one Subscription",
    ]);
  });

  it('the CapabilityStatement has the address of WebSockets', async () => {
    const { json } = await send('GET', `${root()}/metadata`);
    const [rest] = json['rest'] as { extension: { url: string; valueUri: string }[] }[];
    expect(rest?.extension).toEqual([
      {
        url: 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-websocket',
        valueUri: `${server.root('north', release).replace('http', 'ws')}/websocket`,
      },
    ]);
  });
});

describe('a WebSocket of Subscriptions is closed', () => {
  const MESSAGES = 'Send "bind-with-token: {token}" or "bind {id}"';

  it.each([
    ['text that is no message', ['hello'], 4400, MESSAGES],
    ['an empty message', [''], 4400, MESSAGES],
    ['JSON that is no message', ['{"type":"bind-with-token","payload":null}'], 4400, MESSAGES],
    ['half of a JSON', ['{"type":'], 4400, MESSAGES],
    ['JSON of another shape', ['{"type":"bind-with-token","payload":{"token":{}}}'], 4400, MESSAGES],
    ['bytes', [Buffer.from([0, 255, 1])], 1003, MESSAGES],
    ['a long message', ['x'.repeat(70_000)], 1009, ''],
    ['many messages', Array.from({ length: 500 }, () => 'bind nobody'), undefined, undefined],
    [
      'a token of nobody',
      ['bind-with-token: abc'],
      4401,
      'The token is not valid here, was used, or has expired',
    ],
    ['an unknown Subscription', ['bind nobody'], 4404, 'Subscription/nobody does not exist'],
  ])('for %s, and the server goes on', async (_what, messages, code, reason) => {
    const client = await open('r4');
    for (const message of messages) client.send(message);
    const [found, text] = await client.closed;
    expect(found).toBe(code ?? found);
    expect(text).toBe(reason ?? text);
    expect((await send('GET', `${server.path('north', 'r4')}/Patient?_count=1`)).status).toBe(200);
  });

  it('when the server stops', async () => {
    const third = await startServer({ because: 'it is closed', database: server.database });
    const client = await open('r4', 'north', third);
    await third.close();
    expect(await client.closed).toEqual([1001, 'The server is stopped']);
  });

  it('when nothing is bound in time', async () => {
    const hasty = await startServer({
      because: 'HEADERS_TIMEOUT_MS',
      database: server.database,
      environment: { HEADERS_TIMEOUT_MS: '1000' },
    });
    const client = await open('r4', 'north', hasty);
    expect(await client.closed).toEqual([4408, `Nothing was bound in time. ${MESSAGES}`]);
    await hasty.close();
  });
});

it('the address of WebSockets answers other requests in words', async () => {
  const path = `${server.path('north', 'r4')}/websocket`;
  const found = await send('GET', path);
  expect([found.status, (found.json['issue'] as { diagnostics: string }[])[0]?.diagnostics]).toEqual([
    400,
    'This address is for WebSockets: send Upgrade: websocket',
  ]);
  expect((await send('POST', path, {})).status).toBe(405);
  await expect(openNotificationSocket(server, 'nobody', 'r4')).rejects.toThrow('404');
});
