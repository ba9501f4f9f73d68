/** `$status` and `$events`: what a client asks of its Subscriptions. */
import type { Release } from '../../../src/core';
import { administerWell, createClient, type MadeClient } from '../../support/access';
import { startEndpoint, type TestEndpoint } from '../../support/endpoint';
import { eventually } from '../../support/eventually';
import { connectTo } from '../../support/shared-database';
import { openSharedServer, type SharedServer } from '../../support/shared-server';
import {
  classic,
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
import { TESTED_RELEASES } from '../../support/releases';

let server: SharedServer;
let guarded: SharedServer;
let endpoint: TestEndpoint;
let send: Sender;
beforeAll(async () => {
  server = await openSharedServer('structure');
  guarded = await openSharedServer('enforced');
  await guarded.createTenant('acme', { validation: 'structure' });
  endpoint = await startEndpoint();
  send = sender(server);
});
afterAll(async () => {
  await server.close();
  await guarded.close();
  await endpoint.close();
});

type Json = Record<string, unknown>;

interface Status {
  readonly subscription: string;
  readonly status: string;
  readonly type: string;
  readonly topic: string | undefined;
  readonly events: number;
  readonly error: string | undefined;
}

interface Parameter {
  readonly name: string;
  readonly valueCode?: string;
  readonly valueString?: string;
  readonly valueCanonical?: string;
  readonly valueReference?: { readonly reference: string };
  readonly valueCodeableConcept?: { readonly text: string };
}

function readStatus(release: Release, resource: Json): Status {
  if (release === 'r4b') {
    const { reference } = resource['subscription'] as { reference: string };
    const [error] = (resource['error'] ?? []) as { text: string }[];
    return {
      subscription: reference,
      status: String(resource['status']),
      type: String(resource['type']),
      topic: resource['topic'] as string | undefined,
      events: Number(resource['eventsSinceSubscriptionStart']),
      error: error?.text,
    };
  }
  const find = (name: string): Parameter | undefined =>
    (resource['parameter'] as Parameter[]).find((one) => one.name === name);
  return {
    subscription: find('subscription')?.valueReference?.reference ?? '',
    status: find('status')?.valueCode ?? '',
    type: find('type')?.valueCode ?? '',
    topic: find('topic')?.valueCanonical,
    events: Number(find('events-since-subscription-start')?.valueString),
    error: find('error')?.valueCodeableConcept?.text,
  };
}

function statusesIn(release: Release, bundle: Json): readonly Status[] {
  const entries = (bundle['entry'] ?? []) as { resource: Json; search: Json }[];
  expect(bundle).toMatchObject({ resourceType: 'Bundle', type: 'searchset', total: entries.length });
  for (const { search } of entries) expect(search).toEqual({ mode: 'match' });
  return entries.map(({ resource }) => readStatus(release, resource));
}

const eventsIn = (release: Release, json: Json): Notified =>
  readNotification(release, { body: JSON.stringify(json) });

const reasonOf = (json: Json): unknown =>
  (json['issue'] as { diagnostics: string }[] | undefined)?.[0]?.diagnostics;

const observation = (status: string): object => ({
  resourceType: 'Observation',
  status,
  code: { text: 'pulse' },
});

const OWN_TOPIC = 'http://ward.example.org/topics/admissions';
const CROSS = 'http://hl7.org/fhir/5.0/StructureDefinition/extension-SubscriptionTopic';

/** A topic of the tenant: a resource type of its own in R4B, a Basic in R4. */
function ownTopic(release: Release): Record<string, unknown> {
  const resource = 'http://hl7.org/fhir/StructureDefinition/Encounter';
  if (release === 'r4b')
    return {
      ...{ resourceType: 'SubscriptionTopic', url: OWN_TOPIC, version: '1', title: 'Admissions' },
      ...{ status: 'active', resourceTrigger: [{ resource }] },
    };
  return {
    resourceType: 'Basic',
    code: { coding: [{ system: 'http://hl7.org/fhir/fhir-types', code: 'SubscriptionTopic' }] },
    modifierExtension: [{ url: `${CROSS}.status`, valueCode: 'active' }],
    extension: [
      { url: `${CROSS}.url`, valueUri: OWN_TOPIC },
      { url: `${CROSS}.version`, valueString: '1' },
      { url: `${CROSS}.title`, valueString: 'Admissions' },
      { url: `${CROSS}.resourceTrigger`, extension: [{ url: 'resource', valueUri: resource }] },
    ],
  };
}

describe.each(TESTED_RELEASES)('%s', (release) => {
  const root = (): string => server.path('system', release);

  const wanted = (path: string, more: Wanted = {}): Record<string, unknown> =>
    subscription({ endpoint: `${endpoint.base}/${release}/${path}`, criteria: `${TOPIC}/Device`, ...more });
  const make = (path: string, more: Wanted = {}): Promise<string> =>
    makeSubscription(send, root(), wanted(path, more));
  const status = async (id: string, by = send, at = root()): Promise<Status | undefined> => {
    const { json } = await by('GET', `${at}/Subscription/${id}/$status`);
    return statusesIn(release, json)[0];
  };
  const untilEvents = async (id: string, count: number): Promise<void> => {
    await eventually(async () => (await status(id))?.events === count);
  };
  const events = (id: string, query = ''): ReturnType<Sender> =>
    send('GET', `${root()}/Subscription/${id}/$events${query}`);
  const device = async (): Promise<string> =>
    String((await send('POST', `${root()}/Device`, { resourceType: 'Device' })).json['id']);

  it('$status says the same as a read, by GET and POST, after the handshake and after events', async () => {
    const id = await make('status');
    await device();
    await untilEvents(id, 1);
    const expected = {
      subscription: expect.stringMatching(`${root()}/Subscription/${id}$`),
      ...{ status: 'active', type: 'query-status', topic: `${TOPIC}/Device`, events: 1, error: undefined },
    };
    const got = await send('GET', `${root()}/Subscription/${id}/$status`);
    const posted = await send('POST', `${root()}/Subscription/${id}/$status`);
    const withBody = await send('POST', `${root()}/Subscription/${id}/$status`, {
      resourceType: 'Parameters',
    });
    for (const answer of [got, posted, withBody])
      expect([answer.status, statusesIn(release, answer.json)]).toEqual([200, [expected]]);
    const { json } = await send('POST', `${root()}/Bundle/$validate`, got.json);
    const { issue } = json as { issue: { severity: string }[] };
    expect(issue.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('$status says why a Subscription is in error, as the resource does, and goes on counting', async () => {
    const path = `/${release}/closed`;
    endpoint.behave(({ path: called }, response) => {
      response.statusCode = called === path ? 403 : 200;
      response.end();
    });
    const id = await makeSubscription(send, root(), wanted('closed'), 'error');
    endpoint.behave(undefined);
    const { json } = await send('GET', `${root()}/Subscription/${id}`);
    expect(json['error']).toEqual(expect.stringContaining('403'));
    expect(await status(id)).toMatchObject({ status: 'error', error: json['error'], events: 0 });
    await device();
    await untilEvents(id, 1);
    expect(await status(id)).toMatchObject({ status: 'error', error: json['error'] });
  });

  it('$status of a Subscription that is off, and of a classic one, works', async () => {
    const resource = classic('Device?status=active', `${endpoint.base}/${release}/classic`);
    const id = await makeSubscription(send, root(), resource);
    expect(await status(id)).toMatchObject({ status: 'active', topic: undefined, events: 0 });
    const stored = (await send('GET', `${root()}/Subscription/${id}`)).json;
    await send('PUT', `${root()}/Subscription/${id}`, { ...stored, status: 'off' });
    expect(await status(id)).toMatchObject({ status: 'off', events: 0 });
    const imported = await send('POST', `${root()}/Subscription`, { ...wanted('never'), status: 'off' });
    expect(await status(String(imported.json['id']))).toMatchObject({ status: 'off', events: 0 });
  });

  it('$status of all Subscriptions can be narrowed by ids and statuses', async () => {
    const [one, two, three] = [await make('one'), await make('two'), await make('three')];
    const stored = (await send('GET', `${root()}/Subscription/${three}`)).json;
    await send('PUT', `${root()}/Subscription/${three}`, { ...stored, status: 'off' });
    const found = async (query: string): Promise<readonly string[]> => {
      const { status: code, json } = await send('GET', `${root()}/Subscription/$status${query}`);
      expect([code, json['type']]).toEqual([200, 'searchset']);
      return statusesIn(release, json)
        .map(({ subscription: reference }) => reference.slice(reference.lastIndexOf('/') + 1))
        .sort();
    };
    expect(await found('')).toEqual(expect.arrayContaining([one, two, three]));
    expect(await found(`?id=${one}&id=${three}`)).toEqual([one, three].sort());
    expect(await found(`?id=${one}&id=${three}&status=off`)).toEqual([three]);
    expect(await found(`?id=${one}&id=${three}&status=off&status=active`)).toEqual([one, three].sort());
    expect(await found('?id=nobody')).toEqual([]);
    expect(await found('?status=active')).not.toContain(three);
    const body = {
      resourceType: 'Parameters',
      parameter: [
        { name: 'id', valueId: two },
        { name: 'status', valueCode: 'active' },
      ],
    };
    const posted = await send('POST', `${root()}/Subscription/$status`, body);
    expect(statusesIn(release, posted.json)).toMatchObject([{ status: 'active' }]);
    const wrong = await send('GET', `${root()}/Subscription/$status?status=broken`);
    expect([wrong.status, reasonOf(wrong.json)]).toEqual([
      400,
      "'broken' is not a status of Subscriptions: requested, active, error, off are allowed",
    ]);
  });

  it('$status and $events of what is no Subscription are 404, and of a deleted one 410', async () => {
    const id = await make('deleted');
    await send('DELETE', `${root()}/Subscription/${id}`);
    for (const operation of ['$status', '$events']) {
      expect((await send('GET', `${root()}/Subscription/nobody/${operation}`)).status).toBe(404);
      expect((await send('GET', `${root()}/Subscription/${id}/${operation}`)).status).toBe(410);
    }
  });

  it('$events returns all events, or those of a range with both its ends', async () => {
    const id = await make('events');
    const none = await events(id);
    expect([none.status, eventsIn(release, none.json)]).toMatchObject([200, { numbers: [], entries: [] }]);
    const devices = [await device(), await device(), await device()];
    await untilEvents(id, 3);
    const { json } = await events(id);
    expect(json).toMatchObject({ resourceType: 'Bundle', type: 'history' });
    const all = eventsIn(release, json);
    expect(all).toMatchObject({ type: 'query-event', status: 'active', numbers: [1, 2, 3] });
    expect(all.focus.map((reference) => reference?.slice(reference.lastIndexOf('/') + 1))).toEqual(devices);
    const numbers = async (query: string): Promise<readonly number[]> =>
      eventsIn(release, (await events(id, query)).json).numbers;
    expect(await numbers('?eventsSinceNumber=2')).toEqual([2, 3]);
    expect(await numbers('?eventsUntilNumber=2')).toEqual([1, 2]);
    expect(await numbers('?eventsSinceNumber=2&eventsUntilNumber=2')).toEqual([2]);
    expect(await numbers('?eventsSinceNumber=0&eventsUntilNumber=99')).toEqual([1, 2, 3]);
    expect(await numbers('?eventsSinceNumber=4')).toEqual([]);
    const body = {
      resourceType: 'Parameters',
      parameter: [{ name: 'eventsSinceNumber', valueString: '3' }],
    };
    const posted = await send('POST', `${root()}/Subscription/${id}/$events`, body);
    expect(eventsIn(release, posted.json).numbers).toEqual([3]);
    const validated = await send('POST', `${root()}/Bundle/$validate`, json);
    const { issue } = validated.json as { issue: { severity: string }[] };
    expect(issue.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('$events has no more of the resources than the Subscription, and less on request', async () => {
    const levels = ['empty', 'id-only', 'full-resource'] as const;
    const ids = new Map<string, string>();
    for (const content of levels) ids.set(content, await make(`level-${content}`, { content }));
    await device();
    for (const id of ids.values()) await untilEvents(id, 1);
    const shown = async (own: string, hint: string): Promise<string> => {
      const { json } = await events(ids.get(own) ?? '', hint === '' ? '' : `?content=${hint}`);
      const { focus, entries } = eventsIn(release, json);
      if (focus[0] === undefined) return entries.length === 0 ? 'empty' : 'wrong';
      return entries[0]?.resource === undefined ? 'id-only' : 'full-resource';
    };
    for (const own of levels) {
      expect(await shown(own, '')).toBe(own);
      for (const hint of levels)
        expect(await shown(own, hint)).toBe(levels[Math.min(levels.indexOf(own), levels.indexOf(hint))]);
    }
    const { status: code } = await events(ids.get('empty') ?? '', '?content=everything');
    expect(code).toBe(400);
  });

  it('$events keeps the number of an erased resource, and nothing else of it', async () => {
    const id = await make('erased', { content: 'full-resource' });
    const [erased, other] = [await device(), await device()];
    await untilEvents(id, 2);
    const { json: purged } = await send('POST', `${root()}/Device/${erased}/$purge`);
    expect(purged).toMatchObject({
      parameter: expect.arrayContaining([{ name: 'complete', valueBoolean: true }]),
    });
    const { json } = await events(id);
    const { numbers, focus, entries } = eventsIn(release, json);
    expect(numbers).toEqual([1, 2]);
    expect(focus).toEqual([undefined, expect.stringMatching(`/Device/${other}$`)]);
    expect(entries).toMatchObject([{ resource: { id: other } }]);
    expect(JSON.stringify(json)).not.toContain(erased);
  });

  it('$events tells of deletions, and remains when the Subscription is switched off', async () => {
    const id = await make('deletion', { content: 'full-resource' });
    const made = await device();
    await send('DELETE', `${root()}/Device/${made}`);
    await untilEvents(id, 2);
    const { entries } = eventsIn(release, (await events(id)).json);
    expect(entries.map(({ request, resource }) => [request?.['method'], resource === undefined])).toEqual([
      ['POST', false],
      ['DELETE', true],
    ]);
    const stored = (await send('GET', `${root()}/Subscription/${id}`)).json;
    await send('PUT', `${root()}/Subscription/${id}`, { ...stored, status: 'off' });
    expect(eventsIn(release, (await events(id)).json)).toMatchObject({ status: 'off', numbers: [1, 2] });
  });

  it('$events refuses numbers that are wrong, and says from which number events are kept', async () => {
    const id = await make('kept');
    for (let count = 0; count < 3; count++) await device();
    await untilEvents(id, 3);
    for (const query of [
      'eventsSinceNumber=first',
      'eventsSinceNumber=-1',
      'eventsUntilNumber=1.5',
      'eventsSinceNumber=3&eventsUntilNumber=2',
      'since=1',
    ])
      expect([query, (await events(id, `?${query}`)).status]).toEqual([query, 400]);
    const owner = await connectTo(server);
    const space = await owner.spaceOf('system', release);
    const remove = (upTo: number): Promise<unknown> =>
      owner.query(
        `delete from andiron.subscription_event e using andiron.subscription s
         where s.space = $1 and s.space = e.space and s.resource_key = e.resource_key and s.id = $2
           and e.number <= $3`,
        [space, id, upTo],
      );
    const refused = async (query: string): Promise<unknown> => {
      const { status: code, json } = await events(id, query);
      return [code, reasonOf(json)];
    };
    const keptFrom = (number: number): unknown => [
      422,
      `The events of this Subscription are kept from number ${number} on`,
    ];
    try {
      await remove(2);
      expect(await refused('?eventsSinceNumber=1')).toEqual(keptFrom(3));
      expect(eventsIn(release, (await events(id)).json).numbers).toEqual([3]);
      expect(eventsIn(release, (await events(id, '?eventsSinceNumber=3')).json).numbers).toEqual([3]);
      await remove(3);
      expect(await refused('?eventsSinceNumber=3')).toEqual(keptFrom(4));
      expect(eventsIn(release, (await events(id)).json).numbers).toEqual([]);
    } finally {
      await owner.close();
    }
  });

  it('a batch may ask for the status of several Subscriptions', async () => {
    const id = await make('batch');
    const entry = [{ request: { method: 'GET', url: `Subscription/${id}/$status` } }];
    const { json } = await send('POST', root(), { resourceType: 'Bundle', type: 'batch', entry });
    const [first] = json['entry'] as { resource: Json }[];
    expect(statusesIn(release, first?.resource ?? {})).toMatchObject([{ status: 'active' }]);
  });

  it('the fields of GraphQL ask the same', async () => {
    const id = await make('graphql');
    await device();
    await untilEvents(id, 1);
    const query = `{
      one: SubscriptionQueryStatus(id: "${id}") { type entry { resource { resourceType } } }
      all: SubscriptionQueryStatus(status: "active") { total }
      events: SubscriptionEvents(id: "${id}", eventsSinceNumber: "1", content: "empty") { type entry { fullUrl } }
    }`;
    const { json } = await server.request(
      'POST',
      server.path('system', release).replace('/fhir/', '/graphql/'),
      { query },
      {
        'content-type': 'application/json',
      },
    );
    const resourceType = release === 'r4' ? 'Parameters' : 'SubscriptionStatus';
    expect(json).toEqual({
      data: {
        one: { type: 'searchset', entry: [{ resource: { resourceType } }] },
        all: { total: expect.any(Number) },
        events: { type: 'history', entry: [{ fullUrl: expect.stringMatching(/^urn:uuid:/) }] },
      },
    });
  });

  it('the CapabilityStatement lists the profile, the operations and the topics, also those of the tenant', async () => {
    const read = async (): Promise<{ instantiates: string[]; resource: Json }> => {
      const { json } = await send('GET', `${root()}/metadata`);
      const [rest] = json['rest'] as { resource: Json[] }[];
      const resource = rest?.resource.find(({ type }) => type === 'Subscription') ?? {};
      return { instantiates: json['instantiates'] as string[], resource };
    };
    const { instantiates, resource } = await read();
    const server4b =
      'http://hl7.org/fhir/uv/subscriptions-backport/CapabilityStatement/backport-subscription-server';
    expect(instantiates).toContain(release === 'r4' ? `${server4b}-r4` : server4b);
    expect(resource['supportedProfile']).toEqual([
      'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-subscription',
    ]);
    const named = (resource['operation'] as { name: string }[]).map(({ name }) => name);
    expect(named).toEqual(expect.arrayContaining(['status', 'events']));
    const topics = ({ resource: of }: Awaited<ReturnType<typeof read>>): readonly string[] =>
      (of['extension'] as { url: string; valueCanonical: string }[]).map(
        ({ valueCanonical }) => valueCanonical,
      );
    expect(topics(await read())).toContain(`${TOPIC}/Device`);
    const topic = ownTopic(release);
    const type = String(topic['resourceType']);
    const made = await send('POST', `${root()}/${type}`, topic);
    expect(made.status).toBe(201);
    expect(topics(await read())).toContain(`${OWN_TOPIC}|1`);
    await send('DELETE', `${root()}/${type}/${String(made.json['id'])}`);
    expect(topics(await read())).not.toContain(`${OWN_TOPIC}|1`);
  });

  describe('with enforced access', () => {
    const acme = (): string => guarded.path('acme', release);
    const as = ({ basic }: MadeClient): Sender => sender(guarded, { authorization: basic });
    const client = (scopes: readonly string[], administrator = false): Promise<MadeClient> =>
      createClient(guarded, 'acme', { scopes, administrator });

    it('only the author and administrators get events, and each only what it may read', async () => {
      const author = as(await client(['system/Subscription.cruds', 'system/Observation.cruds']));
      const id = await makeSubscription(author, acme(), {
        ...wanted('guarded', { criteria: `${TOPIC}/Observation`, content: 'full-resource' }),
      });
      for (const code of ['final', 'preliminary'])
        await author('POST', `${acme()}/Observation`, observation(code));
      await eventually(async () => (await status(id, author, acme()))?.events === 2);
      const path = `${acme()}/Subscription/${id}`;
      const own = await author('GET', `${path}/$events`);
      expect(eventsIn(release, own.json)).toMatchObject({ numbers: [1, 2], entries: [{}, {}] });

      const reader = as(await client(['system/Subscription.rs', 'system/Observation.rs']));
      expect(await status(id, reader, acme())).toMatchObject({ status: 'active', events: 2 });
      const refused = await reader('GET', `${path}/$events`);
      expect([refused.status, reasonOf(refused.json)]).toEqual([
        403,
        `Only the author of Subscription/${id} may receive its notifications`,
      ]);

      const blind = as(await client(['system/Observation.rs']));
      for (const operation of ['$status', '$events'])
        expect((await blind('GET', `${path}/${operation}`)).status).toBe(403);
      expect((await blind('GET', `${acme()}/Subscription/$status`)).status).toBe(403);

      const finals = ['system/Subscription.rs', 'system/Observation.rs?status=final'];
      const administrator = as(await client(finals, true));
      const partial = eventsIn(release, (await administrator('GET', `${path}/$events`)).json);
      expect(partial.numbers).toEqual([1, 2]);
      expect(partial.focus).toEqual([expect.stringContaining('/Observation/'), undefined]);
      expect(partial.entries).toMatchObject([{ resource: { status: 'final' } }]);
    });

    it('a client that may see some Subscriptions gets the status of those', async () => {
      const author = as(await client(['system/Subscription.cruds', 'system/Device.cruds']));
      const id = await makeSubscription(author, acme(), wanted('some'));
      const stored = (await author('GET', `${acme()}/Subscription/${id}`)).json;
      const off = await makeSubscription(author, acme(), wanted('some-off'));
      await author('PUT', `${acme()}/Subscription/${off}`, { ...stored, id: off, status: 'off' });
      await untilStatus(author, acme(), off, 'off');
      const reader = as(await client(['system/Subscription.rs?status=active']));
      const found = await reader('GET', `${acme()}/Subscription/$status?id=${id}&id=${off}`);
      expect(statusesIn(release, found.json)).toMatchObject([{ status: 'active' }]);
      expect((await reader('GET', `${acme()}/Subscription/${off}/$status`)).status).toBe(404);
    });

    it('a status that is hidden from a client is refused, not made up', async () => {
      const author = as(await client(['system/Subscription.cruds', 'system/Device.cruds']));
      const id = await makeSubscription(author, acme(), wanted('hidden-status'));
      await administerWell(
        guarded,
        'PUT',
        `/tenants/${guarded.tenant('acme')}/policies/no-status-${release}`,
        {
          rules: [{ types: ['Subscription'], interactions: 'rs' }],
          hidden: ['Subscription.status', 'Subscription.channel'],
        },
      );
      const reader = as(await createClient(guarded, 'acme', { policies: [`no-status-${release}`] }));
      expect((await reader('GET', `${acme()}/Subscription/${id}/$status`)).status).toBe(403);
    });
  });
});

it('a client gets 500 events at once, and the others by the next number', async () => {
  const root = server.path('system', 'r4');
  const resource = subscription({
    endpoint: `${endpoint.base}/many`,
    criteria: `${TOPIC}/Location`,
    content: 'full-resource',
  });
  const id = await makeSubscription(send, root, resource);
  const entry = Array.from({ length: 510 }, (_none, index) => ({
    resource: { resourceType: 'Location', name: `Bed ${index}` },
    request: { method: 'POST', url: 'Location' },
  }));
  await send('POST', root, { resourceType: 'Bundle', type: 'transaction', entry });
  const numbers = async (query: string): Promise<readonly number[]> => {
    const { json } = await send('GET', `${root}/Subscription/${id}/$events${query}`);
    return eventsIn('r4', json).numbers;
  };
  await eventually(async () => (await numbers('?eventsSinceNumber=510')).length === 1);
  const first = await numbers('');
  expect([first.length, first[0], first.at(-1)]).toEqual([500, 1, 500]);
  const rest = await numbers('?eventsSinceNumber=501');
  expect([rest.length, rest[0], rest.at(-1)]).toEqual([10, 501, 510]);
});

it('$status of more than 200 Subscriptions asks for ids, and another tenant has none of them', async () => {
  await server.createTenant('many');
  const root = server.path('many', 'r4');
  const entry = Array.from({ length: 201 }, () => ({
    resource: subscription({ endpoint: endpoint.base, status: 'off' }),
    request: { method: 'POST', url: 'Subscription' },
  }));
  const made = await send('POST', root, { resourceType: 'Bundle', type: 'transaction', entry });
  expect(made.status).toBe(200);
  const all = await send('GET', `${root}/Subscription/$status`);
  expect([all.status, reasonOf(all.json)]).toEqual([
    422,
    "More than 200 Subscriptions match: name some of them by 'id', or give a 'status'",
  ]);
  const [first] = made.json['entry'] as { response: { location: string } }[];
  const [, id = ''] = /Subscription\/([^/]+)/.exec(first?.response.location ?? '') ?? [];
  const one = await send('GET', `${root}/Subscription/$status?id=${id}`);
  expect(statusesIn('r4', one.json)).toMatchObject([{ status: 'off' }]);
  const elsewhere = await send('GET', `${server.path('system', 'r4')}/Subscription/$status?id=${id}`);
  expect(statusesIn('r4', elsewhere.json)).toEqual([]);
});
