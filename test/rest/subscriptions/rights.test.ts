/** A Subscription reports only what its author may read at that moment. */
import { administerWell, createClient, type MadeClient } from '../../support/access';
import { startEndpoint, type TestEndpoint } from '../../support/endpoint';
import { eventually } from '../../support/eventually';
import { openSharedServer, type SharedServer } from '../../support/shared-server';
import {
  makeSubscription,
  readNotification,
  sender,
  subscription,
  TOPIC,
  type Notified,
  type Sender,
} from '../../support/subscriptions';
import { TESTED_RELEASES } from '../../support/releases';

let server: SharedServer;
let endpoint: TestEndpoint;
beforeAll(async () => {
  server = await openSharedServer('audited');
  endpoint = await startEndpoint();
  for (const tenant of ['acme', 'other']) await server.createTenant(tenant, { validation: 'structure' });
});
afterAll(async () => {
  await server.close();
  await endpoint.close();
});

/** The address of the tenant for its administrator. */
const acme = (): string => `/tenants/${server.tenant('acme')}`;
const as = ({ basic }: MadeClient): Sender => sender(server, { authorization: basic });
const observation = (status: string, note = 'a note'): object => ({
  resourceType: 'Observation',
  status,
  code: { text: 'pulse' },
  note: [{ text: note }],
});

describe.each(TESTED_RELEASES)('%s', (release) => {
  const rootOf = (tenant: string): string => server.path(tenant, release);
  const toldAt = (path: string): readonly Notified[] =>
    endpoint.received.filter((one) => one.path === path).map((one) => readNotification(release, one));
  const events = (path: string): readonly Notified[] =>
    toldAt(path).filter(({ type }) => type === 'event-notification');
  const writer = (): Promise<MadeClient> => createClient(server, 'acme');

  it('resources outside the grants of the author are no events', async () => {
    const path = `/${release}/final`;
    const send = as(await writer());
    const author = await createClient(server, 'acme', {
      scopes: ['system/Subscription.cruds', 'system/Observation.rs?status=final'],
    });
    const resource = subscription({
      endpoint: endpoint.base + path,
      criteria: `${TOPIC}/Observation`,
      content: 'full-resource',
    });
    await makeSubscription(as(author), rootOf('acme'), resource);
    for (const status of ['preliminary', 'final', 'preliminary', 'final'])
      await send('POST', `${rootOf('acme')}/Observation`, observation(status));
    await eventually(async () => events(path).flatMap(({ numbers }) => numbers).length === 2);
    expect(events(path).flatMap(({ numbers }) => numbers)).toEqual([1, 2]);
    const statuses = events(path).flatMap(({ entries }) =>
      entries.map((entry) => entry.resource?.['status']),
    );
    expect(statuses).toEqual(['final', 'final']);
  });

  it('elements that are hidden from the author leave the server for nobody', async () => {
    const path = `/${release}/hidden`;
    await administerWell(server, 'PUT', `${acme()}/policies/without-notes`, {
      rules: [{ types: ['Observation', 'Subscription'], interactions: 'cruds' }],
      hidden: ['Observation.note'],
    });
    const author = await createClient(server, 'acme', { policies: ['without-notes'] });
    const resource = subscription({
      endpoint: endpoint.base + path,
      criteria: `${TOPIC}/Observation`,
      content: 'full-resource',
    });
    await makeSubscription(as(author), rootOf('acme'), resource);
    await as(await writer())('POST', `${rootOf('acme')}/Observation`, observation('final', 'a secret note'));
    await eventually(async () => events(path).length === 1);
    const [{ body } = { body: '' }] = endpoint.received.filter((one) => one.path === path).slice(1);
    expect(body).toContain('pulse');
    expect(body).not.toContain('secret note');
  });

  it('a Subscription to what its author may not read is refused', async () => {
    const author = await createClient(server, 'acme', { scopes: ['system/Subscription.cruds'] });
    const resource = subscription({ endpoint: endpoint.base, criteria: `${TOPIC}/Observation` });
    const { status } = await as(author)('POST', `${rootOf('acme')}/Subscription`, resource);
    expect(status).toBe(403);
  });

  it('the Subscription of a client that is disabled is switched off and tells nothing more', async () => {
    const path = `/${release}/disabled`;
    const send = as(await writer());
    const author = await createClient(server, 'acme');
    const resource = subscription({ endpoint: endpoint.base + path, criteria: `${TOPIC}/Device` });
    const id = await makeSubscription(as(author), rootOf('acme'), resource);
    await administerWell(server, 'PATCH', `${acme()}/clients/${author.id}`, { disabled: true });
    await send('POST', `${rootOf('acme')}/Device`, { resourceType: 'Device' });
    await eventually(
      async () => (await send('GET', `${rootOf('acme')}/Subscription/${id}`)).json['status'] === 'off',
    );
    expect(events(path)).toEqual([]);
  });

  it('what its author may not read any more is an event without a name', async () => {
    const path = `/${release}/narrowed`;
    const send = as(await writer());
    const author = await createClient(server, 'acme');
    const resource = subscription({ endpoint: endpoint.base + path, criteria: `${TOPIC}/Media` });
    await makeSubscription(as(author), rootOf('acme'), resource);
    let arrived = 0;
    endpoint.behave(({ path: called }, response) => {
      // The first attempt fails, and by the second the author has lost the right.
      if (called === path && arrived++ === 0) response.statusCode = 503;
      response.end();
    });
    const media = { resourceType: 'Media', status: 'completed', content: { title: 'a picture' } };
    await send('POST', `${rootOf('acme')}/Media`, media);
    await eventually(async () => arrived > 0);
    await administerWell(server, 'PATCH', `${acme()}/clients/${author.id}`, {
      scopes: ['system/Subscription.cruds', 'system/Media.rs?status=in-progress'],
    });
    await eventually(async () => arrived > 1);
    endpoint.behave(undefined);
    expect(events(path).map(({ numbers, focus }) => [numbers, focus])).toEqual([
      [[1], [expect.stringContaining('Media/')]],
      [[1], [undefined]],
    ]);
  });

  it('the handshake and a notification that does not arrive are in the audit trail, without secrets', async () => {
    const path = `/${release}/audited`;
    const author = await createClient(server, 'acme');
    const auditor = as(await createClient(server, 'acme', { scopes: ['system/*.rs'], auditor: true }));
    const resource = subscription({
      endpoint: endpoint.base + path,
      criteria: `${TOPIC}/Location`,
      headers: ['Authorization: Bearer hidden-word'],
    });
    const id = await makeSubscription(as(author), rootOf('acme'), resource);
    endpoint.behave(({ path: called }, response) => {
      response.statusCode = called === path ? 500 : 200;
      response.end();
    });
    await as(author)('POST', `${rootOf('acme')}/Location`, { resourceType: 'Location' });
    const trail = async (): Promise<string> =>
      JSON.stringify(
        (await auditor('GET', `${rootOf('acme')}/AuditEvent?entity=Subscription/${id}&subtype=operation`))
          .json,
      );
    const toBase64 = (text: string): string => Buffer.from(text).toString('base64');
    const told = (type: string): string => toBase64(`Subscription/${id}?notification=${type}`);
    await eventually(async () => (await trail()).includes(told('event-notification')));
    endpoint.behave(undefined);
    expect(await trail()).toContain(told('handshake'));
    expect(await trail()).not.toContain('hidden-word');
  });

  it('the deletion of what its author could not read is an event for nobody', async () => {
    const path = `/${release}/deletion`;
    const send = as(await writer());
    const author = await createClient(server, 'acme', {
      scopes: ['system/Subscription.cruds', 'system/Observation.rs?status=final'],
    });
    const resource = subscription({ endpoint: endpoint.base + path, criteria: `${TOPIC}/Observation` });
    await makeSubscription(as(author), rootOf('acme'), resource);
    const made: string[] = [];
    for (const status of ['preliminary', 'final'])
      made.push(
        String((await send('POST', `${rootOf('acme')}/Observation`, observation(status))).json['id']),
      );
    for (const id of made) await send('DELETE', `${rootOf('acme')}/Observation/${id}`);
    await eventually(async () => events(path).flatMap(({ numbers }) => numbers).length === 2);
    const focus = events(path).flatMap((one) => one.focus);
    // By then it was perhaps deleted, and a deleted resource has no name for those who read its version.
    expect(focus.filter((one) => one !== undefined).every((one) => one.endsWith(String(made[1])))).toBe(true);
    expect(focus.at(-1)).toContain(`Observation/${String(made[1])}`);
  });

  it('a tenant may limit the hosts that are told', async () => {
    const author = as(await createClient(server, 'acme'));
    const path = `/${release}/host`;
    const resource = subscription({ endpoint: endpoint.base + path, criteria: `${TOPIC}/Group` });
    await administerWell(server, 'PATCH', acme(), { settings: { 'notification-hosts': '*.ward.example' } });
    const refused = await author('POST', `${rootOf('acme')}/Subscription`, resource);
    expect([refused.status, JSON.stringify(refused.json)]).toEqual([
      422,
      expect.stringContaining('Subscription.channel.endpoint'),
    ]);
    await administerWell(server, 'PATCH', acme(), {
      settings: { 'notification-hosts': 'localhost,127.0.0.1' },
    });
    await makeSubscription(author, rootOf('acme'), resource);
    await administerWell(server, 'PATCH', acme(), { settings: { 'notification-hosts': null } });
    expect(toldAt(path)).toHaveLength(1);
  });

  it('tenants and releases never hear of each other', async () => {
    const path = `/${release}/apart`;
    const author = await createClient(server, 'acme');
    const stranger = as(await createClient(server, 'other'));
    const resource = subscription({ endpoint: endpoint.base + path, criteria: `${TOPIC}/Flag` });
    await makeSubscription(as(author), rootOf('acme'), resource);
    const flag = {
      resourceType: 'Flag',
      status: 'active',
      code: { text: 'falls' },
      subject: { display: 'A' },
    };
    const otherRelease = release === 'r4' ? 'r4b' : 'r4';
    expect((await stranger('POST', `${rootOf('other')}/Flag`, flag)).status).toBe(201);
    expect((await as(author)('POST', `${server.path('acme', otherRelease)}/Flag`, flag)).status).toBe(201);
    const { json } = await as(author)('POST', `${rootOf('acme')}/Flag`, flag);
    await eventually(async () => events(path).length > 0);
    expect(events(path).map(({ focus }) => focus)).toEqual([
      [expect.stringContaining(`${rootOf('acme')}/Flag/${String(json['id'])}`)],
    ]);
  });

  it('its author alone sees the headers, and no other client may take them over', async () => {
    const path = `/${release}/mask`;
    const author = await createClient(server, 'acme');
    const other = as(await createClient(server, 'acme'));
    const resource = subscription({
      endpoint: endpoint.base + path,
      headers: ['Authorization: Bearer hidden-word'],
    });
    const id = await makeSubscription(as(author), rootOf('acme'), resource);
    const { json } = await other('GET', `${rootOf('acme')}/Subscription/${id}`);
    expect(JSON.stringify(json)).not.toContain('hidden-word');
    const { json: own } = await as(author)('GET', `${rootOf('acme')}/Subscription/${id}`);
    expect(own).toMatchObject({ channel: { header: ['Authorization: Bearer hidden-word'] } });
    expect((await other('PUT', `${rootOf('acme')}/Subscription/${id}`, json)).status).toBe(422);
  });

  it('its author sees and keeps the headers only with all scopes with which they were written', async () => {
    const { basic } = await createClient(server, 'acme');
    const withScope = async (scope: string): Promise<Sender> => {
      const form = new URLSearchParams({ grant_type: 'client_credentials', scope }).toString();
      const { json } = await server.request('POST', `/w/${server.tenant('acme')}/oidc/token`, form, {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: basic,
      });
      return sender(server, { authorization: `Bearer ${String(json.access_token)}` });
    };
    const whole = await withScope('system/Subscription.cruds system/Encounter.rs system/Patient.r');
    const wider = await withScope('system/*.cruds');
    const narrow = await withScope('system/Subscription.cruds system/Encounter.rs');
    const resource = subscription({
      criteria: `${TOPIC}/Encounter`,
      endpoint: `${endpoint.base}/${release}/scopes`,
      headers: ['Authorization: Bearer hidden-word'],
    });
    const address = `${rootOf('acme')}/Subscription/${await makeSubscription(whole, rootOf('acme'), resource)}`;
    const seen = async (send: Sender) => JSON.stringify((await send('GET', address)).json);
    for (const send of [whole, wider]) expect(await seen(send)).toContain('hidden-word');
    expect(await seen(narrow)).toContain('Authorization: ***');
    // A client that keeps them by writing the Subscription would be its author then.
    const { json: masked } = await narrow('GET', address);
    expect((await narrow('PUT', address, masked)).status).toBe(422);
    expect((await narrow('PATCH', address, [{ op: 'replace', path: '/reason', value: 'mine' }])).status).toBe(
      422,
    );
    expect(await seen(narrow)).toContain('Authorization: ***');
    expect((await wider('PUT', address, masked)).status).toBe(200);
    expect(await seen(whole)).toContain('Authorization: ***');
  });
});
