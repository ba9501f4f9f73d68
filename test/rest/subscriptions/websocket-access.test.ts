/** WebSockets of Subscriptions where access is enforced, and of clients that read slowly. */
import { requireAuthor, requireScopesOf } from '../../../src/core/authorization/require-author';
import type { Caller, FhirError } from '../../../src/core';
import { makeClient, type MadeClient } from '../../support/access';
import { eventually } from '../../support/eventually';
import { openNotificationSocket, type NotificationSocket } from '../../support/notification-socket';
import { startServer, type TestServer } from '../../support/server';
import { makeSubscription, sender, subscription, TOPIC, type Sender } from '../../support/subscriptions';

let server: TestServer;
let author: MadeClient;
let send: Sender;
const opened: NotificationSocket[] = [];
beforeAll(async () => {
  server = await startServer({
    because: 'the test looks into its core',
    environment: { AUTH_MODE: 'enforced' },
  });
  await server.app.core.tenants.create('acme');
  author = await makeClient(server.app.core, 'acme');
  send = sender(server, { authorization: author.basic });
});
afterEach(() => {
  for (const { socket } of opened.splice(0)) socket.terminate();
});
afterAll(() => server.close());

const root = (): string => server.path('acme', 'r4');

async function open(by?: MadeClient, tenant = 'acme', of = server): Promise<NotificationSocket> {
  const headers = by === undefined ? undefined : { authorization: by.basic };
  const client = await openNotificationSocket(of, tenant, 'r4', headers);
  opened.push(client);
  return client;
}

const make = (by = send, criteria = `${TOPIC}/Patient`): Promise<string> =>
  makeSubscription(by, root(), subscription({ type: 'websocket', criteria, content: 'full-resource' }));

const makeClassic = (): Promise<string> =>
  makeSubscription(send, root(), {
    resourceType: 'Subscription',
    status: 'requested',
    reason: 'A dashboard wants to know when to look',
    criteria: 'Patient?',
    channel: { type: 'websocket' },
  });

async function tokenOf(id: string, by = send): Promise<string> {
  const { json } = await by('POST', `${root()}/Subscription/${id}/$get-ws-binding-token`);
  return (json['parameter'] as { valueString: string }[])[0]?.valueString ?? '';
}

const patient = (): Promise<unknown> => send('POST', `${root()}/Patient`, { resourceType: 'Patient' });

it('only the author of a Subscription gets its token, and another client cannot use it', async () => {
  const id = await make();
  const stranger = await makeClient(server.app.core, 'acme');
  const asStranger = sender(server, { authorization: stranger.basic });
  const refused = await asStranger('GET', `${root()}/Subscription/${id}/$get-ws-binding-token`);
  expect([refused.status, (refused.json['issue'] as { diagnostics: string }[])[0]?.diagnostics]).toEqual([
    403,
    `Only the author of Subscription/${id} may receive its notifications`,
  ]);
  const theirs = await open(stranger);
  theirs.send(`bind-with-token: ${await tokenOf(id)}`);
  expect((await theirs.closed)[0]).toBe(4401);
  for (const by of [author, undefined]) {
    const client = await open(by);
    client.send(`bind-with-token: ${await tokenOf(id)}`);
    await client.until(1);
    expect(client.notified()[0]).toMatchObject({ type: 'handshake' });
  }
});

it('a classic Subscription is bound by the credentials of its author, sent with the request', async () => {
  const id = await makeClassic();
  const nobody = await open();
  nobody.send(`bind ${id}`);
  expect((await nobody.closed)[0]).toBe(4401);
  const stranger = await open(await makeClient(server.app.core, 'acme'));
  stranger.send(`bind ${id}`);
  expect((await stranger.closed)[0]).toBe(4403);
  const client = await open(author);
  client.send(`bind ${id}`);
  await client.until(1);
  await patient();
  expect(await client.until(2)).toEqual([`bound ${id}`, `ping ${id}`]);
});

it('credentials that are not good are refused before the WebSocket opens', async () => {
  const forged = { ...author, basic: `Basic ${Buffer.from(`${author.id}:wrong`).toString('base64')}` };
  await expect(open(forged)).rejects.toThrow('401');
  await expect(open(author, 'system')).rejects.toThrow(/40[13]/);
});

it('no answer tells which tenants exist', async () => {
  const ends = [];
  for (const tenant of ['acme', 'nobody'])
    for (const message of ['bind-with-token: abc', 'bind x']) {
      const client = await open(undefined, tenant);
      client.send(message);
      ends.push([message, ...(await client.closed)]);
    }
  expect(ends.slice(0, 2)).toEqual(ends.slice(2));
  expect(ends.map(([, code]) => code)).toEqual([4401, 4401, 4401, 4401]);
});

it('a notification has what its author may read at that moment', async () => {
  const client = await makeClient(server.app.core, 'acme', {
    scopes: ['system/Subscription.cruds', 'system/Patient.rs'],
  });
  const by = sender(server, { authorization: client.basic });
  const id = await make(by);
  const socket = await open();
  socket.send(`bind-with-token: ${await tokenOf(id, by)}`);
  await socket.until(1);
  await patient();
  await socket.until(2);
  expect(socket.notified()[1]?.entries[0]?.resource).toMatchObject({ resourceType: 'Patient' });
  await server.app.core.tenants.clients.change('acme', client.id, { isDisabled: true });
  const [code] = await socket.closed;
  // The engine may switch the Subscription off before this connection is checked.
  expect([1000, 4403]).toContain(code);
  const told = socket.notified().flatMap(({ numbers }) => numbers);
  expect(told).toEqual([1]);
});

it('a client that does not read is disconnected, and told with which event to go on', async () => {
  const id = await make(send, `${TOPIC}/Binary`);
  const hasty = await startServer({
    because: 'SUBSCRIPTION_QUEUE_BYTES and SUBSCRIPTION_STALL_MS',
    database: server.database,
    environment: {
      AUTH_MODE: 'enforced',
      SUBSCRIPTION_QUEUE_BYTES: '100000',
      SUBSCRIPTION_STALL_MS: '1000',
    },
  });
  const client = await open(undefined, 'acme', hasty);
  client.send(`bind-with-token: ${await tokenOf(id)}`);
  await client.until(1);
  client.socket.pause();
  const data = Buffer.alloc(600_000, 1).toString('base64');
  for (let count = 0; count < 24; count++)
    await send('POST', `${root()}/Binary`, { resourceType: 'Binary', contentType: 'image/png', data });
  await eventually(async () => hasty.app.core.health.notifications().bound === 0);
  client.socket.resume();
  const [code, reason] = await client.closed;
  const told = client.notified().flatMap(({ numbers }) => numbers);
  expect([code, reason]).toEqual([
    1013,
    `Next: Subscription/${id}/$events?eventsSinceNumber=${told.length + 1}`,
  ]);
  await hasty.close();
});

describe('the author of a Subscription', () => {
  const caller = (access: Partial<NonNullable<Caller['access']>> = {}): Caller => ({
    actor: access.client ?? 'app',
    access: {
      client: 'app',
      scopes: ['patient/*.rs'],
      policies: [],
      isAdministrator: false,
      isAuditor: false,
      ...access,
    },
  });
  const refusal = (one: Caller, written: Caller): string | undefined => {
    try {
      requireAuthor(one, written, '1');
      requireScopesOf(one, written, '1');
      return undefined;
    } catch (error) {
      return (error as FhirError).message;
    }
  };

  it('is a user of an app with at least the same scopes, and not each user of the app', () => {
    const ann = caller({ user: 'Patient/ann', patient: 'ann' });
    const other = 'Only the author of Subscription/1 may receive its notifications';
    const fewer = 'Subscription/1 was written with scopes that this access does not have';
    expect(refusal(ann, ann)).toBeUndefined();
    expect(refusal(caller({ user: 'Patient/bob', patient: 'bob' }), ann)).toBe(other);
    expect(refusal(caller(), ann)).toBe(other);
    expect(refusal(caller({ client: 'another' }), caller())).toBe(other);
    expect(refusal(caller(), { actor: 'app' })).toBe(other);
    expect(refusal(caller({ scopes: ['patient/Patient.rs'] }), caller())).toBe(fewer);
    expect(refusal(caller({ scopes: ['patient/*.cruds'] }), caller())).toBeUndefined();
    expect(refusal({ actor: 'anonymous' }, caller())).toBeUndefined();
  });
});
