/** Subscriptions for operators: their list, retries, and a tenant that moves with its deliveries. */
import { Client } from 'pg';
import type { Core, ExportLine, SubscriptionDelivery } from '../../../src/core';
import { absence } from '../../../src/cli/with-tenant';
import { startEndpoint, type Received, type TestEndpoint } from '../../support/endpoint';
import { countBeats } from '../../support/beats';
import { eventually } from '../../support/eventually';
import { startServer, type TestServer } from '../../support/server';

const TOPIC = 'https://andiron.example/fhir/SubscriptionTopic/Patient';
const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
const SECRET = 'Bearer hidden-word';
/** Less than the pause after the third attempt of a delivery. */
const LONG_PAUSE_MS = 4_000;

let server: TestServer;
let endpoint: TestEndpoint;
let core: Core;
beforeAll(async () => {
  server = await startServer({
    because: 'OUTBOUND_ALLOWED_HOSTS',
    environment: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1:*' },
  });
  ({ core } = server.app);
  endpoint = await startEndpoint();
});
afterAll(async () => {
  await server.close();
  await endpoint.close();
});

it('commands say of a disabled tenant that it is disabled, and of none that there is none', async () => {
  await server.createTenant('asleep');
  await core.tenants.disable('asleep');
  expect((await absence(core, 'asleep')).message).toMatch(
    /^The tenant 'asleep' is disabled: enable it first/,
  );
  expect((await absence(core, 'nowhere')).message).toBe("The tenant 'nowhere' does not exist");
});

const at = (path: string): readonly Received[] => endpoint.received.filter((one) => one.path === path);
/** From now on the endpoint answers these paths with 503. */
const refuse = (...paths: readonly string[]): void =>
  endpoint.behave(({ path }, response) => {
    response.statusCode = paths.includes(path) ? 503 : 200;
    response.end();
  });

async function put(tenant: string, id: string, path: string): Promise<void> {
  const { status, json } = await server.request('PUT', `${server.path(tenant, 'r4')}/Subscription/${id}`, {
    ...{ resourceType: 'Subscription', id, status: 'requested', reason: 'A ward', criteria: TOPIC },
    channel: {
      type: 'rest-hook',
      endpoint: endpoint.base + path,
      header: [`Authorization: ${SECRET}`],
      payload: 'application/fhir+json',
      _payload: { extension: [{ url: `${BACKPORT}/backport-payload-content`, valueCode: 'id-only' }] },
    },
  });
  expect([status, json.status]).toEqual([201, 'requested']);
}

async function change(tenant: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++)
    expect(
      (await server.request('POST', `${server.path(tenant, 'r4')}/Patient`, { resourceType: 'Patient' }))
        .status,
    ).toBe(201);
}

async function statusIn(tenant: string, id: string): Promise<unknown> {
  return (await server.request('GET', `${server.path(tenant, 'r4')}/Subscription/${id}`)).json.status;
}

async function deliveryOf(tenant: string, id: string): Promise<SubscriptionDelivery | undefined> {
  return (await core.tenants.subscriptions.list({ tenant })).subscriptions.find((one) => one.id === id);
}

/** The numbers of events in all notifications at a path. */
const numbersAt = (path: string): readonly number[] =>
  at(path).flatMap(({ body }) =>
    [...body.matchAll(/"event-number","valueString":"(\d+)"/g)].map(([, number]) => Number(number)),
  );

it('deliveries go on beyond the version-sequence 2^31 - 1, and move with the tenant', async () => {
  await server.createTenant('beyond');
  const owner = new Client(server.database.settings);
  await owner.connect();
  await owner.query(
    `update andiron.change_counter set last_sequence = 2147483643
     where tenant = (select number from andiron.tenant where name = 'beyond')`,
  );
  await owner.end();
  // The Subscription and its activation are two changes: those of the Patients begin at 2147483646.
  await put('beyond', 'sub', '/beyond');
  await eventually(async () => (await statusIn('beyond', 'sub')) === 'active');
  await change('beyond', 3);
  await eventually(async () => (await deliveryOf('beyond', 'sub'))?.delivered === 3);
  const lines = await exported('beyond', true);
  expect(lines.some(({ text }) => text.includes('2147483648'))).toBe(true);
  await core.tenants.disable('beyond');
  expect(await core.tenants.import('behind', texts(lines), { keepsSubscriptions: true })).toMatchObject({
    subscriptionsKept: 1,
  });
  await change('behind', 2);
  await eventually(async () => (await deliveryOf('behind', 'sub'))?.delivered === 5);
  expect(numbersAt('/beyond')).toEqual([1, 2, 3, 4, 5]);
});

it('A list shows what fails and why, without secrets; a retry requests what is in error again', async () => {
  await server.createTenant('ward');
  refuse('/ward/refused?token=t');
  await put('ward', 'refused', '/ward/refused?token=t');
  await put('ward', 'fine', '/ward/fine');
  await eventually(async () => (await statusIn('ward', 'refused')) === 'error');
  await eventually(async () => (await statusIn('ward', 'fine')) === 'active');
  await change('ward', 2);
  await eventually(async () => (await deliveryOf('ward', 'fine'))?.delivered === 2);
  const base = { tenant: 'ward', release: 'r4', endpoint: endpoint.base };
  const listed = await core.tenants.subscriptions.list({ tenant: 'ward' });
  expect(listed.next).toBeUndefined();
  // The list has the order of the keys, which differ between databases.
  expect(listed.subscriptions.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual([
    {
      ...{ ...base, id: 'fine', status: 'active', events: 2, delivered: 2, waiting: 0, attempts: 0 },
      ...{ failingSince: undefined, nextAttempt: undefined, failure: undefined },
      ...{ lastArrival: expect.any(Number), canResume: false },
    },
    {
      ...{ ...base, id: 'refused', status: 'error', events: 2, delivered: 0, waiting: 2, attempts: 0 },
      ...{ failingSince: undefined, nextAttempt: undefined },
      failure: 'The handshake failed: the endpoint answers 503',
      ...{ lastArrival: undefined, canResume: false },
    },
  ]);
  expect(JSON.stringify(listed)).not.toMatch(/hidden-word|token|refused\?/);
  expect(await core.tenants.subscriptions.list({ tenant: 'ward', status: 'requested' })).toEqual({
    subscriptions: [],
    next: undefined,
  });
  await expect(core.tenants.subscriptions.list({ tenant: 'nobody' })).rejects.toMatchObject({
    key: 'unknownTenant',
  });

  endpoint.behave(undefined);
  expect(await core.tenants.subscriptions.retry('ward', { id: 'fine' })).toEqual([]);
  expect(await core.tenants.subscriptions.retry('ward', { release: 'r4b' })).toEqual([]);
  expect(await core.tenants.subscriptions.retry('ward')).toEqual([
    { release: 'r4', id: 'refused', status: 'requested' },
  ]);
  await eventually(async () => (await deliveryOf('ward', 'refused'))?.waiting === 0);
  expect(await statusIn('ward', 'refused')).toBe('active');
  expect(numbersAt('/ward/refused?token=t')).toEqual([1, 2]);
  expect(at('/ward/refused?token=t').at(-1)?.headers.authorization).toBe(SECRET);
  const { json } = await server.request('GET', `${server.path('ward', 'r4')}/Subscription/refused/_history`);
  expect(json.entry.map(({ resource }: { resource: object }) => resource)).toMatchObject([
    ...[{ status: 'active' }, { status: 'requested' }, { status: 'error' }, { status: 'requested' }],
  ]);
});

it('A retry makes the next attempt of a failing delivery due at once', async () => {
  await server.createTenant('failing');
  await put('failing', 'late', '/failing/late');
  await eventually(async () => (await statusIn('failing', 'late')) === 'active');
  refuse('/failing/late');
  await change('failing', 1);
  let before = await deliveryOf('failing', 'late');
  const left = (): number => Number(before?.nextAttempt) - Date.now();
  // The pauses grow, so that one of them is long enough also where the machine is slow.
  await eventually(async () => {
    before = await deliveryOf('failing', 'late');
    return Number(before?.attempts) >= 3 && left() > LONG_PAUSE_MS;
  });
  expect(before).toMatchObject({ status: 'active', waiting: 1, failure: 'the endpoint answers 503' });
  expect(Number(before?.nextAttempt) - Number(before?.failingSince)).toBeGreaterThan(5_000);
  const beats = countBeats();
  endpoint.behave(undefined);
  expect(await core.tenants.subscriptions.retry('failing', { id: 'late' })).toEqual([
    { release: 'r4', id: 'late', status: 'active' },
  ]);
  await eventually(async () => (await deliveryOf('failing', 'late'))?.waiting === 0);
  // By itself it would have been later.
  expect(beats.stop()).toBeLessThan(LONG_PAUSE_MS);
});

describe('over HTTP', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };
  const own = (path = ''): string => `/w/desk/api/v1/subscriptions${path}`;
  const ofOperator = (path = ''): string => `/w/system/api/v1/tenants/desk/subscriptions${path}`;
  const get = async (path: string) => (await server.request('GET', path)).json;
  const patch = (path: string, status: string) => server.request('PATCH', path, { status }, JSON_TYPE);

  beforeAll(async () => {
    await server.createTenant('desk');
    endpoint.behave(undefined);
    await put('desk', 'bell', '/desk/bell');
    await eventually(async () => (await statusIn('desk', 'bell')) === 'active');
  });

  it('An administrator sees which events wait and why, and delivers them now', async () => {
    refuse('/desk/bell');
    await change('desk', 2);
    await eventually(async () => (await get(own())).subscriptions[0].attempts > 0);
    for (const address of [own(), ofOperator()])
      expect(await get(address)).toEqual({
        subscriptions: [
          expect.objectContaining({
            ...{ tenant: 'desk', release: 'r4', id: 'bell', status: 'active', endpoint: endpoint.base },
            ...{ events: 2, delivered: 0, waiting: 2, resumable: false },
            ...{ failure: 'the endpoint answers 503', failingSince: expect.stringMatching(/Z$/) },
          }),
        ],
      });
    const one = await server.request('GET', own('/r4/bell'));
    expect(one.json.recent).toEqual(
      [2, 1].map((number) => ({ number, made: expect.stringMatching(/Z$/), delivered: false })),
    );
    expect(one.text).not.toMatch(/hidden-word|\/desk\/bell|Patient/);
    endpoint.behave(undefined);
    expect((await patch(ofOperator('/r4/bell'), 'requested')).json).toMatchObject({ status: 'active' });
    await eventually(async () => (await get(own('/r4/bell'))).waiting === 0);
    expect((await get(own('/r4/bell'))).recent).toMatchObject([{ delivered: true }, { delivered: true }]);
  });

  it('A Subscription that an administrator switches off tells nothing until it is on again, with its secret', async () => {
    const before = at('/desk/bell').length;
    expect((await patch(own('/r4/bell'), 'off')).json).toMatchObject({
      ...{ status: 'off', resumable: true, failure: 'An administrator has switched it off' },
    });
    expect(await statusIn('desk', 'bell')).toBe('off');
    expect(await get(own('?status=off'))).toMatchObject({ subscriptions: [{ id: 'bell' }] });
    expect(await get(own('?status=active'))).toEqual({ subscriptions: [] });
    await change('desk', 1);
    expect((await patch(own('/r4/bell'), 'requested')).json).toMatchObject({ resumable: false });
    await eventually(async () => (await statusIn('desk', 'bell')) === 'active');
    await change('desk', 1);
    await eventually(async () => (await get(own('/r4/bell'))).delivered === 3);
    const sent = at('/desk/bell').slice(before);
    expect(sent.every(({ headers }) => headers.authorization === SECRET)).toBe(true);
    expect(sent.map(({ body }) => /"event-number","valueString":"(\d+)"/.exec(body)?.[1])).toEqual([
      undefined,
      '3',
    ]);
  });

  it('One that its client has switched off is not for administrators, who cannot switch it on', async () => {
    await put('desk', 'quiet', '/desk/quiet');
    await eventually(async () => (await statusIn('desk', 'quiet')) === 'active');
    const address = `${server.path('desk', 'r4')}/Subscription/quiet`;
    const { json } = await server.request('GET', address);
    expect((await server.request('PUT', address, { ...json, status: 'off' })).status).toBe(200);
    expect((await patch(own('/r4/quiet'), 'requested')).status).toBe(404);
    expect((await get(own())).subscriptions.map(({ id }: { id: string }) => id)).toEqual(['bell']);
  });

  it('What needs a person comes first, and a page goes on after any Subscription', async () => {
    const rankOf = ({ status, attempts }: SubscriptionDelivery): number =>
      status === 'active' ? (attempts > 0 ? 1 : 3) : { error: 0, requested: 2, off: 4 }[status];
    await put('desk', 'aaa', '/desk/aaa');
    await eventually(async () => (await statusIn('desk', 'aaa')) === 'active');
    expect(await core.tenants.subscriptions.switchOff('desk', { release: 'r4', id: 'aaa' })).toBe(true);
    await eventually(async () => (await deliveryOf('desk', 'aaa'))?.status === 'off');
    const placeOf = (one: SubscriptionDelivery): string =>
      [rankOf(one), one.tenant, one.release, one.id].join('.');
    await eventually(async () => {
      const { subscriptions } = await core.tenants.subscriptions.list();
      const places = subscriptions.map(placeOf);
      const rest = await Promise.all(
        places.map(async (after) =>
          (await core.tenants.subscriptions.list({ after })).subscriptions.map(placeOf),
        ),
      );
      expect(new Set(subscriptions.map(rankOf)).size).toBeGreaterThan(1);
      expect(places).toEqual(places.toSorted());
      // Deliveries go on meanwhile, and change their places.
      return places.every((_place, index) => rest[index]?.join() === places.slice(index + 1).join());
    });
    const ofDesk = (await core.tenants.subscriptions.list({ tenant: 'desk' })).subscriptions;
    expect(ofDesk.map(({ id }) => id)).toEqual(['bell', 'aaa']);
    for (const tenant of ['desk', 'failing']) {
      const { subscriptions } = await core.tenants.subscriptions.list({ tenant });
      const places = subscriptions.map(placeOf);
      expect(places).toEqual(places.toSorted());
      for (const [index, after] of places.entries()) {
        const page = await core.tenants.subscriptions.list({ tenant, after });
        expect(page.subscriptions.map(placeOf)).toEqual(places.slice(index + 1));
      }
    }
  });

  it('The operator pages through the Subscriptions of all tenants', async () => {
    const all = await get('/w/system/api/v1/server/subscriptions');
    const tenants = new Set(all.subscriptions.map(({ tenant }: SubscriptionDelivery) => tenant));
    expect([...tenants]).toEqual(expect.arrayContaining(['ward', 'failing', 'desk']));
    for (const cursor of [
      '1',
      '0.desk.r4',
      '5.desk.r4.bell',
      '0.desk.r5.bell',
      '0.desk.r4.a_b',
      "0.desk.r4.1'",
    ])
      for (const address of [own(), '/w/system/api/v1/server/subscriptions'])
        expect((await server.request('GET', `${address}?cursor=${cursor}`)).status).toBe(400);
    expect((await server.request('GET', own('?status=none'))).status).toBe(400);
    for (const place of ['/r5/bell', '/r4/nobody', '/r4/a%20b', '/r4b/bell'])
      expect((await server.request('GET', own(place))).status).toBe(404);
  });
});

async function exported(tenant: string, keepsSubscriptions: boolean): Promise<readonly ExportLine[]> {
  const lines: ExportLine[] = [];
  for await (const line of (await core.tenants.export(tenant, 'all', { keepsSubscriptions })) ?? [])
    lines.push(line);
  return lines;
}
async function* texts(lines: readonly ExportLine[]): AsyncGenerator<string> {
  for (const { text } of lines) yield await Promise.resolve(text);
}

describe('a tenant that moves', () => {
  beforeAll(async () => {
    await server.createTenant('mover');
    await put('mover', 'calls', '/mover');
    await put('mover', 'quiet', '/quiet');
    await eventually(async () => (await statusIn('mover', 'calls')) === 'active');
    await eventually(async () => (await statusIn('mover', 'quiet')) === 'active');
    await change('mover', 1);
    await eventually(async () => (await deliveryOf('mover', 'calls'))?.delivered === 1);
    refuse('/mover');
    await change('mover', 2);
    await eventually(async () => (await deliveryOf('mover', 'calls'))?.events === 3);
    const quiet = `${server.path('mover', 'r4')}/Subscription/quiet`;
    await eventually(async () => (await deliveryOf('mover', 'quiet'))?.delivered === 3);
    const { json } = await server.request('GET', quiet);
    expect((await server.request('PUT', quiet, { ...json, status: 'off' })).status).toBe(200);
    await core.tenants.disable('mover');
    await eventually(async () => (await core.access.findSpace('mover', 'r4')) === undefined);
  });

  it('is exported without secrets, and all its Subscriptions are off, without the flag of both', async () => {
    const plain = await exported('mover', false);
    expect(plain.map(({ text }) => text).join('\n')).not.toMatch(/hidden-word|subscription_/);
    expect(await core.tenants.import('plain', texts(plain), { keepsSubscriptions: true })).toMatchObject({
      // The versions requested and active of both.
      ...{ subscriptionsOff: 4, subscriptionsKept: 0 },
    });
    const whole = await exported('mover', true);
    expect(await core.tenants.import('whole', texts(whole))).toMatchObject({
      ...{ subscriptionsOff: 4, subscriptionsKept: 0 },
    });
    for (const tenant of ['plain', 'whole']) {
      expect(await statusIn(tenant, 'calls')).toBe('off');
      expect((await core.tenants.subscriptions.list({ tenant })).subscriptions).toEqual([]);
      expect((await exported(tenant, true)).map(({ text }) => text).join()).not.toContain('hidden-word');
    }
  });

  it('continues with the next event, with the same numbers, headers and versions', async () => {
    const lines = await exported('mover', true);
    // An interrupted import is continued.
    await expect(
      core.tenants.import('moved', texts(lines.slice(0, -3)), { keepsSubscriptions: true }),
    ).rejects.toMatchObject({ key: 'invalidValue' });
    const before = at('/mover').length;
    const quiet = at('/quiet').length;
    endpoint.behave(undefined);
    expect(await core.tenants.import('moved', texts(lines), { keepsSubscriptions: true })).toMatchObject({
      ...{ subscriptionsOff: 0, subscriptionsKept: 1 },
    });
    await eventually(async () => (await deliveryOf('moved', 'calls'))?.waiting === 0);
    await change('moved', 1);
    await eventually(async () => (await deliveryOf('moved', 'calls'))?.delivered === 4);
    const sent = at('/mover').slice(before);
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(sent.map(() => SECRET));
    expect(numbersAt('/mover').slice(-3)).toEqual([2, 3, 4]);
    expect(sent.every(({ body }) => body.includes('/w/moved/'))).toBe(true);
    expect(at('/quiet')).toHaveLength(quiet);
    expect((await core.tenants.subscriptions.list({ tenant: 'moved' })).subscriptions).toMatchObject([
      { id: 'calls', events: 4 },
    ]);
  });

  it('is exported again as it was imported', async () => {
    const lines = await exported('mover', true);
    await core.tenants.import('again', texts(lines), { keepsSubscriptions: true });
    await core.tenants.disable('again');
    // Nothing has changed by then but the progress of the feed and of the deliveries.
    const withoutProgress = (all: readonly ExportLine[]): readonly string[] =>
      all
        .filter(({ kind }) => kind === 'line')
        .map(({ text }) => text.replace(/"(delivered|position)": ?\d+/, ''));
    const positionOf = (all: readonly ExportLine[]): number =>
      Number(/"position":(\d+)/.exec(all.map(({ text }) => text).join('\n'))?.[1]);
    const again = await exported('again', true);
    expect(withoutProgress(again)).toEqual(withoutProgress(lines));
    expect(positionOf(again)).toBeGreaterThanOrEqual(positionOf(lines));
  });

  it('is refused where its rows are none of a Subscription', async () => {
    const lines = await exported('mover', true);
    const find = (table: string): number =>
      lines.findIndex(
        ({ text }) =>
          text.startsWith(`{"table":"${table}"`) && (table === 'subscription_feed' || text.includes('calls')),
      );
    const damages: readonly (readonly [string, string, string | RegExp, string])[] = [
      ['position', 'subscription_feed', /"position":\d+/, '"position":2000000000'],
      ['author', 'subscription', /"author": ?\{.*?\}/, '"author":null'],
      ['column', 'subscription', '"row":{', '"row":{"space":1,'],
      ['release', 'subscription', '"release":"r4"', '"release":"r4b"'],
      ['status', 'subscription', /"status": ?"\w+"/, '"status":"waiting"'],
      ['stranger', 'subscription_event', '"id":"', '"id":"not-'],
      ['made', 'subscription_event', /"made":"[^"]*"/, '"made":"never"'],
      ['sequence', 'subscription_event', /"sequence":\d+/, '"sequence":2000000000'],
    ];
    for (const [name, table, from, to] of damages) {
      const index = find(table);
      const damaged = lines.map((line, position) =>
        position === index ? { ...line, text: line.text.replace(from, to) } : line,
      );
      expect(damaged[index]?.text).not.toBe(lines[index]?.text);
      await expect(
        core.tenants.import(`damaged-${name}`, texts(damaged), { keepsSubscriptions: true }),
      ).rejects.toMatchObject({ key: 'invalidValue', message: expect.stringContaining('Subscription') });
      await core.tenants.remove(`damaged-${name}`);
    }
    const late = [...lines];
    late.splice(-1, 0, ...late.splice(find('subscription_event'), 1));
    await expect(
      core.tenants.import('damaged-late', texts(late), { keepsSubscriptions: true }),
    ).rejects.toMatchObject({ key: 'invalidValue' });
  });
});
