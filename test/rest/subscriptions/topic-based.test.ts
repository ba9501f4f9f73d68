import { RELEASE_NAMES } from '../../../src/core';
import { startEndpoint, type Received, type TestEndpoint } from '../../support/endpoint';
import { eventually } from '../../support/eventually';
import { openSharedServer, type SharedServer } from '../../support/shared-server';
import {
  BACKPORT,
  makeSubscription,
  readNotification,
  sender,
  subscription,
  TOPIC,
  untilStatus,
  type Notified,
  type Sender,
  type Wanted,
} from '../../support/subscriptions';

let server: SharedServer;
let endpoint: TestEndpoint;
let send: Sender;
beforeAll(async () => {
  server = await openSharedServer();
  endpoint = await startEndpoint();
  send = sender(server);
});
afterAll(async () => {
  await server.close();
  await endpoint.close();
});

/** The notifications that arrived at a path. */
const at = (path: string): readonly Received[] => endpoint.received.filter((one) => one.path === path);

describe.each(RELEASE_NAMES)('%s', (release) => {
  const root = (): string => server.path('system', release);
  /** An active Subscription with an endpoint of its own, and what it is told. */
  async function make(
    name: string,
    wanted: Wanted = {},
  ): Promise<{ id: string; told: () => readonly Notified[] }> {
    const path = `/${release}/${name}`;
    const id = await makeSubscription(
      send,
      root(),
      subscription({ endpoint: endpoint.base + path, ...wanted }),
    );
    return { id, told: () => at(path).map((one) => readNotification(release, one)) };
  }
  const events = (told: readonly Notified[]): readonly Notified[] =>
    told.filter(({ type }) => type === 'event-notification');

  it('a handshake makes a requested Subscription active, and changes are told in their order', async () => {
    const { id, told } = await make('order', {
      headers: ['Authorization: Bearer secret-1'],
      criteria: `${TOPIC}/Group`,
    });
    expect(at(`/${release}/order`)).toMatchObject([
      {
        method: 'POST',
        headers: { authorization: 'Bearer secret-1', 'content-type': 'application/fhir+json' },
      },
    ]);
    expect(told()).toMatchObject([{ type: 'handshake', status: 'requested', numbers: [], entries: [] }]);
    for (const name of ['one', 'two', 'three'])
      await send('PUT', `${root()}/Group/order`, {
        ...{ resourceType: 'Group', id: 'order', type: 'person', actual: true, name },
      });
    await send('DELETE', `${root()}/Group/order`);
    await eventually(async () => events(told()).flatMap(({ numbers }) => numbers).length === 4);
    expect(events(told()).flatMap(({ numbers }) => numbers)).toEqual([1, 2, 3, 4]);
    expect(events(told()).flatMap(({ focus }) => focus)).toEqual(
      Array.from({ length: 4 }, () => expect.stringMatching(/\/Group\/order$/)),
    );
    expect((await send('GET', `${root()}/Subscription/${id}`)).json['status']).toBe('active');
  });

  it('a Subscription hears only of what its filters match', async () => {
    const { told } = await make('filtered', {
      criteria: `${TOPIC}/Observation`,
      filters: ['Observation?code=http://loinc.org|8867-4'],
      content: 'full-resource',
    });
    const observation = (code: string): object => ({
      resourceType: 'Observation',
      status: 'final',
      code: { coding: [{ system: 'http://loinc.org', code }] },
    });
    await send('POST', `${root()}/Observation`, observation('8310-5'));
    const { json } = await send('POST', `${root()}/Observation`, observation('8867-4'));
    await eventually(async () => events(told()).length === 1);
    expect(events(told())).toMatchObject([
      { numbers: [1], entries: [{ resource: { resourceType: 'Observation', id: json['id'] } }] },
    ]);
  });

  it('with empty content a notification has numbers and names nothing', async () => {
    const { told } = await make('empty', { criteria: `${TOPIC}/Location`, content: 'empty' });
    await send('POST', `${root()}/Location`, { resourceType: 'Location', name: 'Ward 7' });
    await eventually(async () => events(told()).length === 1);
    expect(events(told())).toEqual([
      expect.objectContaining({ numbers: [1], focus: [undefined], entries: [] }),
    ]);
  });

  it('full resources and deletions come in notifications of their own', async () => {
    const { told } = await make('deletions', { criteria: `${TOPIC}/Account`, content: 'full-resource' });
    const account = (id: string): object => ({ resourceType: 'Account', id, status: 'active' });
    await send('POST', root(), {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        ...['a', 'b'].map((id) => ({
          request: { method: 'PUT', url: `Account/${id}` },
          resource: account(id),
        })),
      ],
    });
    await send('DELETE', `${root()}/Account/a`);
    await eventually(async () => events(told()).flatMap(({ numbers }) => numbers).length === 3);
    const all = events(told()).flatMap(({ entries }) =>
      entries.map(({ request, resource }) => [request?.['method'], resource?.['id']]),
    );
    expect(all).toEqual([
      ['PUT', 'a'],
      ['PUT', 'b'],
      ['DELETE', undefined],
    ]);
    for (const { entries } of events(told()))
      expect(new Set(entries.map(({ resource }) => resource === undefined)).size).toBe(1);
  });

  it('a notification has at most as many events as the Subscription allows', async () => {
    const { told } = await make('few', {
      criteria: `${TOPIC}/Schedule`,
      extension: [{ url: `${BACKPORT}/backport-max-count`, valuePositiveInt: 2 }],
    });
    const schedule = { resourceType: 'Schedule', actor: [{ display: 'Dr. Lee' }] };
    await send('POST', root(), {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: Array.from({ length: 5 }, () => ({
        request: { method: 'POST', url: 'Schedule' },
        resource: schedule,
      })),
    });
    await eventually(async () => events(told()).flatMap(({ numbers }) => numbers).length === 5);
    expect(events(told()).map(({ numbers }) => numbers)).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('heartbeats come where they are asked for, while nothing happens', async () => {
    const { told } = await make('alive', {
      criteria: `${TOPIC}/Slot`,
      extension: [{ url: `${BACKPORT}/backport-heartbeat-period`, valueUnsignedInt: 1 }],
    });
    const silent = await make('silent', { criteria: `${TOPIC}/Slot` });
    await eventually(async () => told().filter(({ type }) => type === 'heartbeat').length >= 2);
    expect(silent.told().map(({ type }) => type)).toEqual(['handshake']);
  });

  it('a heartbeat that fails is repeated with growing pauses until one arrives', async () => {
    const { told } = await make('faint', {
      criteria: `${TOPIC}/Schedule`,
      extension: [{ url: `${BACKPORT}/backport-heartbeat-period`, valueUnsignedInt: 1 }],
    });
    const path = `/${release}/faint`;
    let refusals = 2;
    endpoint.behave((received, response) => {
      if (received.path === path && refusals-- > 0) response.statusCode = 503;
      response.end();
    });
    const heartbeats = (): readonly Received[] =>
      at(path).filter((one) => readNotification(release, one).type === 'heartbeat');
    await eventually(async () => heartbeats().length >= 4);
    endpoint.behave(undefined);
    const [first = 0, second = 0, third = 0] = heartbeats().map((one) => one.at);
    // Timers of Node.js may ring a millisecond early.
    expect(second - first).toBeGreaterThanOrEqual(995);
    expect(third - second).toBeGreaterThanOrEqual(1_995);
    await send('POST', `${root()}/Schedule`, {
      resourceType: 'Schedule',
      actor: [{ display: 'Room 1' }],
    });
    await eventually(async () =>
      events(told())
        .flatMap(({ numbers }) => numbers)
        .includes(1),
    );
  });

  it('an endpoint that is gone when the handshake comes switches the Subscription off', async () => {
    endpoint.behave(({ path }, response) => {
      response.statusCode = path === `/${release}/never` ? 410 : 200;
      response.end();
    });
    await makeSubscription(
      send,
      root(),
      subscription({ endpoint: `${endpoint.base}/${release}/never` }),
      'off',
    );
    endpoint.behave(undefined);
  });

  it('an endpoint that refuses the handshake leaves the Subscription in error, with the reason', async () => {
    const path = `/${release}/refused`;
    endpoint.behave(({ path: called }, response) => {
      response.statusCode = called === path ? 403 : 200;
      response.end();
    });
    const id = await makeSubscription(
      send,
      root(),
      subscription({ endpoint: endpoint.base + path }),
      'error',
    );
    endpoint.behave(undefined);
    const { json } = await send('GET', `${root()}/Subscription/${id}`);
    expect(json['error']).toBe('The handshake failed: the endpoint answers 403');
    // Its author may try again.
    await send('PUT', `${root()}/Subscription/${id}`, { ...json, status: 'active' });
    await untilStatus(send, root(), id, 'active');
    expect((await send('GET', `${root()}/Subscription/${id}`)).json['error']).toBeUndefined();
  });

  it('a notification that fails is repeated, and nothing is lost or out of order', async () => {
    const { told } = await make('again', { criteria: `${TOPIC}/Media` });
    let refusals = 2;
    endpoint.behave(({ path }, response) => {
      if (path === `/${release}/again` && refusals-- > 0) response.statusCode = 503;
      response.end();
    });
    const media = { resourceType: 'Media', status: 'completed', content: { title: 'a picture' } };
    for (let index = 0; index < 3; index++) await send('POST', `${root()}/Media`, media);
    const arrived = (): readonly number[] => [...new Set(events(told()).flatMap(({ numbers }) => numbers))];
    await eventually(async () => refusals < 0 && arrived().length === 3);
    endpoint.behave(undefined);
    expect(arrived()).toEqual([1, 2, 3]);
  });

  it('an endpoint that is gone for good switches the Subscription off', async () => {
    const { id } = await make('gone', { criteria: `${TOPIC}/Lens`.replace('Lens', 'Flag') });
    endpoint.behave(({ path }, response) => {
      response.statusCode = path === `/${release}/gone` ? 410 : 200;
      response.end();
    });
    await send('POST', `${root()}/Flag`, {
      ...{ resourceType: 'Flag', status: 'active', code: { text: 'falls' }, subject: { display: 'Ann' } },
    });
    await untilStatus(send, root(), id, 'off');
    endpoint.behave(undefined);
  });

  it('a Subscription ends when it says so', async () => {
    const resource = subscription({
      endpoint: `${endpoint.base}/${release}/end`,
      end: '2020-01-01T00:00:00Z',
    });
    await makeSubscription(send, root(), resource, 'off');
  });

  it('nothing is told after a Subscription was switched off or deleted', async () => {
    const { id, told } = await make('off', { criteria: `${TOPIC}/Device` });
    const deleted = await make('deleted', { criteria: `${TOPIC}/Device` });
    const stored = (await send('GET', `${root()}/Subscription/${id}`)).json;
    const off = await send('PUT', `${root()}/Subscription/${id}`, { ...stored, status: 'off' });
    expect([off.status, off.json['status']]).toEqual([200, 'off']);
    await send('DELETE', `${root()}/Subscription/${deleted.id}`);
    const other = await make('beside', { criteria: `${TOPIC}/Device` });
    await send('POST', `${root()}/Device`, { resourceType: 'Device' });
    await eventually(async () => other.told().length === 2);
    expect([told().length, deleted.told().length]).toEqual([1, 1]);
  });

  it('no answer shows the value of a header, and it may be sent back masked', async () => {
    const path = `/${release}/secret`;
    const { id } = await make('secret', { headers: ['Authorization: Bearer hidden-word', 'X-Ward: 7'] });
    for (const address of [`Subscription/${id}`, `Subscription/${id}/_history`, `Subscription?_id=${id}`]) {
      const { text } = await server.request('GET', `${root()}/${address}`);
      expect(text).toContain('Authorization: ***');
      expect(text).not.toContain('hidden-word');
    }
    const { json } = await send('GET', `${root()}/Subscription/${id}`);
    await send('PUT', `${root()}/Subscription/${id}`, { ...json, reason: 'Another reason' });
    await eventually(async () => at(path).length === 2);
    expect(at(path)[1]?.headers).toMatchObject({ authorization: 'Bearer hidden-word', 'x-ward': '7' });
    const { channel } = json as { channel: object };
    const elsewhere = { ...json, channel: { ...channel, endpoint: `${endpoint.base}/${release}/thief` } };
    const refused = await send('PUT', `${root()}/Subscription/${id}`, elsewhere);
    expect([refused.status, JSON.stringify(refused.json)]).toEqual([
      422,
      expect.stringContaining('write it again'),
    ]);
  });

  it.each([
    ['an unknown topic', { criteria: 'http://example.org/no-topic' }, 'Subscription.criteria'],
    [
      'a filter that is no search parameter',
      { filters: ['Patient?colour=red'] },
      'Subscription.criteria.extension[0]',
    ],
    [
      'an endpoint that may not be called',
      { endpoint: 'https://10.0.0.1/hook' },
      'Subscription.channel.endpoint',
    ],
    ['a channel that there is not', { type: 'email' }, 'Subscription.channel.type'],
  ])('%s is refused with its place', async (_title, wanted, expression) => {
    const { status, json } = await send(
      'POST',
      `${root()}/Subscription`,
      subscription({ endpoint: `${endpoint.base}/never`, ...wanted }),
    );
    expect([status, json]).toEqual([
      422,
      expect.objectContaining({
        issue: [expect.objectContaining({ severity: 'error', expression: [expression] })],
      }),
    ]);
    expect(at('/never')).toHaveLength(0);
  });

  it('a purge removes a Subscription with its state, its events and its secrets', async () => {
    const { id, told } = await make('purged', {
      criteria: `${TOPIC}/Ward`.replace('Ward', 'Contract'),
      headers: ['X-Secret: a'],
    });
    await send('POST', `${root()}/Contract`, { resourceType: 'Contract' });
    await eventually(async () => events(told()).length === 1);
    const { status, json } = await send('POST', `${root()}/Subscription/${id}/$purge`);
    expect([status, JSON.stringify(json)]).toEqual([200, expect.stringContaining('"subscription_event"')]);
    expect((await send('GET', `${root()}/Subscription/${id}`)).status).toBe(404);
    // The others go on.
    const other = await make('not-purged', { criteria: `${TOPIC}/Contract` });
    await send('POST', `${root()}/Contract`, { resourceType: 'Contract' });
    await eventually(async () => events(other.told()).length === 1);
    expect(events(told())).toHaveLength(1);
  });

  it('a Subscription in a transaction works as one that is written alone', async () => {
    const path = `/${release}/transaction`;
    const resource = {
      ...subscription({ endpoint: endpoint.base + path, criteria: `${TOPIC}/Basic` }),
      id: 'in-transaction',
    };
    const { status } = await send('POST', root(), {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [{ request: { method: 'PUT', url: 'Subscription/in-transaction' }, resource }],
    });
    expect(status).toBe(200);
    await untilStatus(send, root(), 'in-transaction', 'active');
    await send('POST', root(), {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [{ request: { method: 'DELETE', url: 'Subscription/in-transaction' } }],
    });
    const other = await make('after', { criteria: `${TOPIC}/Basic` });
    await send('POST', `${root()}/Basic`, { resourceType: 'Basic', code: { text: 'a' } });
    await eventually(async () => other.told().length === 2);
    expect(at(path)).toHaveLength(1);
  });
});
