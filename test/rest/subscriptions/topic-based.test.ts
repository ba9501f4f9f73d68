import { RELEASE_NAMES, type Release } from '../../../src/core';
import { startEndpoint, type Received, type TestEndpoint } from '../../support/endpoint';
import { eventually } from '../../support/eventually';
import { startServer, type TestServer } from '../../support/server';

const JSON_TYPE = { 'content-type': 'application/fhir+json' };
const TOPIC = 'https://andiron.example/fhir/SubscriptionTopic';
const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
/** Generous: a machine under load. The figure of the first attempt has its own test. */
const SOON_MS = 15_000;

let server: TestServer;
let endpoint: TestEndpoint;
beforeAll(async () => {
  server = await startServer({ environment: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' } });
  endpoint = await startEndpoint();
});
afterAll(async () => {
  await server.close();
  await endpoint.close();
});

interface Wanted {
  readonly path?: string;
  readonly type?: string;
  readonly filters?: readonly string[];
  readonly content?: string;
  readonly status?: string;
  readonly headers?: readonly string[];
  readonly extension?: readonly object[];
  readonly endpoint?: string;
}

function subscription(wanted: Wanted = {}): Record<string, unknown> {
  const { path = '/hook', type = 'Patient', filters = [], content = 'id-only' } = wanted;
  return {
    resourceType: 'Subscription',
    status: wanted.status ?? 'requested',
    reason: 'A ward wants to know of its patients',
    criteria: `${TOPIC}/${type}`,
    ...(filters.length === 0
      ? {}
      : {
          _criteria: {
            extension: filters.map((valueString) => ({
              url: `${BACKPORT}/backport-filter-criteria`,
              valueString,
            })),
          },
        }),
    channel: {
      type: 'rest-hook',
      endpoint: wanted.endpoint ?? endpoint.base + path,
      header: wanted.headers ?? ['Authorization: Bearer secret-1'],
      payload: 'application/fhir+json',
      _payload: { extension: [{ url: `${BACKPORT}/backport-payload-content`, valueCode: content }] },
      ...(wanted.extension === undefined ? {} : { extension: wanted.extension }),
    },
  };
}

async function send(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; json: Record<string, unknown> }> {
  const { status, text } = await server.request(
    method,
    path,
    body === undefined ? undefined : JSON.stringify(body),
    JSON_TYPE,
  );
  return { status, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

/** The notifications that arrived at a path. */
const at = (path: string): readonly Received[] => endpoint.received.filter((one) => one.path === path);

interface Notified {
  readonly type: string;
  readonly numbers: readonly string[];
  readonly focus: readonly (string | undefined)[];
  readonly entries: readonly { readonly fullUrl?: string; readonly resource?: Record<string, unknown> }[];
}

function read(release: Release, { body }: Received): Notified {
  const { entry } = JSON.parse(body) as { entry: Notified['entries'] };
  const status = entry[0]?.resource ?? {};
  if (release === 'r4b') {
    const events = (status['notificationEvent'] ?? []) as {
      eventNumber: string;
      focus?: { reference: string };
    }[];
    return {
      type: String(status['type']),
      numbers: events.map(({ eventNumber }) => eventNumber),
      focus: events.map(({ focus }) => focus?.reference),
      entries: entry.slice(1),
    };
  }
  interface Parameter {
    readonly name: string;
    readonly part?: readonly Parameter[];
    readonly valueCode?: string;
    readonly valueString?: string;
    readonly valueReference?: { readonly reference: string };
  }
  const parameters = status['parameter'] as readonly Parameter[];
  const events = parameters.filter(({ name }) => name === 'notification-event');
  const part = (event: Parameter, name: string): Parameter | undefined =>
    event.part?.find((one) => one.name === name);
  return {
    type: parameters.find(({ name }) => name === 'type')?.valueCode ?? '',
    numbers: events.map((event) => part(event, 'event-number')?.valueString ?? ''),
    focus: events.map((event) => part(event, 'focus')?.valueReference?.reference),
    entries: entry.slice(1),
  };
}

const statusOf = async (root: string, id: string): Promise<unknown> =>
  (await send('GET', `${root}/Subscription/${id}`)).json['status'];

async function make(root: string, wanted: Wanted = {}): Promise<string> {
  const { status, json } = await send('POST', `${root}/Subscription`, subscription(wanted));
  expect([status, json['status']]).toEqual([201, 'requested']);
  const id = String(json['id']);
  await eventually(async () => (await statusOf(root, id)) === 'active', SOON_MS);
  return id;
}

describe.each(RELEASE_NAMES)('%s', (release) => {
  const root = (): string => server.path('system', release);

  it('a handshake makes a requested Subscription active, and changes are told in their order', async () => {
    const path = `/${release}/order`;
    const id = await make(root(), { path });
    const [handshake] = at(path);
    expect(handshake).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Bearer secret-1', 'content-type': 'application/fhir+json' },
    });
    expect(handshake && read(release, handshake)).toMatchObject({
      type: 'handshake',
      numbers: [],
      entries: [],
    });
    for (const family of ['One', 'Two', 'Three'])
      await send('PUT', `${root()}/Patient/${release}-order`, {
        resourceType: 'Patient',
        id: `${release}-order`,
        name: [{ family }],
      });
    const events = (): readonly Notified[] =>
      at(path)
        .slice(1)
        .map((one) => read(release, one));
    const ofThis = `/Patient/${release}-order`;
    await eventually(
      async () =>
        events()
          .flatMap(({ focus }) => focus)
          .filter((one) => one?.endsWith(ofThis)).length === 3,
      SOON_MS,
    );
    const numbers = events().flatMap((one) => one.numbers.map(Number));
    expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
    expect(await statusOf(root(), id)).toBe('active');
  });

  it('a Subscription hears only of what its filters match', async () => {
    const path = `/${release}/filtered`;
    await make(root(), {
      path,
      type: 'Observation',
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
    await eventually(async () => at(path).length === 2, SOON_MS);
    const [, told] = at(path);
    const { entries, numbers } = read(release, told as Received);
    expect(numbers).toEqual(['1']);
    expect(entries).toMatchObject([{ resource: { resourceType: 'Observation', id: json['id'] } }]);
  });

  it('an endpoint that refuses the handshake leaves the Subscription in error, with the reason', async () => {
    const path = `/${release}/refused`;
    endpoint.behave(({ path: called }, response) => {
      response.statusCode = called === path ? 403 : 200;
      response.end();
    });
    const { json } = await send('POST', `${root()}/Subscription`, subscription({ path }));
    await eventually(async () => (await statusOf(root(), String(json['id']))) === 'error', SOON_MS);
    endpoint.behave(undefined);
    const { json: stored } = await send('GET', `${root()}/Subscription/${String(json['id'])}`);
    expect(stored['error']).toBe('The handshake failed: the endpoint answers 403');
  });

  it('nothing is told after a Subscription was switched off or deleted', async () => {
    const path = `/${release}/off`;
    const id = await make(root(), { path, type: 'Device' });
    const stored = (await send('GET', `${root()}/Subscription/${id}`)).json;
    const off = await send('PUT', `${root()}/Subscription/${id}`, { ...stored, status: 'off' });
    expect([off.status, off.json['status']]).toEqual([200, 'off']);
    const other = `/${release}/beside`;
    await make(root(), { path: other, type: 'Device' });
    await send('POST', `${root()}/Device`, { resourceType: 'Device' });
    await eventually(async () => at(other).length === 2, SOON_MS);
    expect(at(path)).toHaveLength(1);
  });

  it('no answer shows the value of a header', async () => {
    const id = await make(root(), {
      path: `/${release}/secret`,
      headers: ['Authorization: Bearer hidden-word'],
    });
    for (const path of [`Subscription/${id}`, `Subscription/${id}/_history`, `Subscription?_id=${id}`]) {
      const { text } = await server.request('GET', `${root()}/${path}`);
      expect(text).toContain('Authorization: ***');
      expect(text).not.toContain('hidden-word');
    }
  });
});
