/** Topics of the tenant, and the criteria of classic Subscriptions. */
import type { Release } from '../../../src/core';
import { startEndpoint, type Received, type TestEndpoint } from '../../support/endpoint';
import { eventually } from '../../support/eventually';
import { openSharedServer, type SharedServer } from '../../support/shared-server';
import {
  classic,
  makeSubscription,
  readNotification,
  sender,
  subscription,
  untilStatus,
  type Notified,
  type Sender,
} from '../../support/subscriptions';
import { TESTED_RELEASES } from '../../support/releases';

let server: SharedServer;
let endpoint: TestEndpoint;
let send: Sender;
beforeAll(async () => {
  server = await openSharedServer('structure');
  endpoint = await startEndpoint();
  send = sender(server);
  await server.createTenant('other');
});
afterAll(async () => {
  await server.close();
  await endpoint.close();
});

const CROSS = 'http://hl7.org/fhir/5.0/StructureDefinition/extension-SubscriptionTopic';

/** An Encounter that comes to its end. */
function completed(release: Release, url: string, status = 'active'): Record<string, unknown> {
  const query = {
    previous: 'status:not=finished',
    resultForCreate: 'test-passes',
    current: 'status=finished',
    resultForDelete: 'test-fails',
    requireBoth: true,
  };
  if (release === 'r4b')
    return {
      ...{ resourceType: 'SubscriptionTopic', url, title: 'Encounters that end', status },
      resourceTrigger: [
        {
          description: 'the end',
          resource: 'Encounter',
          supportedInteraction: ['create', 'update'],
          queryCriteria: query,
        },
      ],
      canFilterBy: [{ resource: 'Encounter', filterParameter: 'patient' }],
      notificationShape: [{ resource: 'Encounter', include: ['Encounter:patient'] }],
    };
  const codes = (name: string, values: readonly string[]): object[] =>
    values.map((valueCode) => ({ url: name, valueCode }));
  return {
    resourceType: 'Basic',
    code: { coding: [{ system: 'http://hl7.org/fhir/fhir-types', code: 'SubscriptionTopic' }] },
    extension: [
      { url: `${CROSS}.url`, valueUri: url },
      { url: `${CROSS}.title`, valueString: 'Encounters that end' },
      {
        url: `${CROSS}.resourceTrigger`,
        extension: [
          { url: 'resource', valueUri: 'http://hl7.org/fhir/StructureDefinition/Encounter' },
          ...codes('supportedInteraction', ['create', 'update']),
          {
            url: 'queryCriteria',
            extension: [
              { url: 'previous', valueString: query.previous },
              { url: 'resultForCreate', valueCode: query.resultForCreate },
              { url: 'current', valueString: query.current },
              { url: 'resultForDelete', valueCode: query.resultForDelete },
              { url: 'requireBoth', valueBoolean: true },
            ],
          },
        ],
      },
      {
        url: `${CROSS}.canFilterBy`,
        extension: [
          { url: 'resource', valueUri: 'Encounter' },
          { url: 'filterParameter', valueString: 'patient' },
        ],
      },
      {
        url: `${CROSS}.notificationShape`,
        extension: [
          { url: 'resource', valueUri: 'Encounter' },
          { url: 'include', valueString: 'Encounter:patient' },
        ],
      },
    ],
    modifierExtension: [{ url: `${CROSS}.status`, valueCode: status }],
  };
}

describe.each(TESTED_RELEASES)('%s', (release) => {
  const root = (): string => server.path('system', release);
  const url = `http://ward.example.org/topics/${release}/encounter-completed`;
  const topicType = release === 'r4b' ? 'SubscriptionTopic' : 'Basic';
  const events = (path: string): readonly Notified[] =>
    endpoint.received
      .filter((one) => one.path === path)
      .map((one) => readNotification(release, one))
      .filter(({ type }) => type === 'event-notification');
  const encounter = (id: string, status: string, patient = 'ann'): object => ({
    ...{ resourceType: 'Encounter', id, status, class: { code: 'IMP' } },
    subject: { reference: `Patient/${patient}` },
  });

  it("a tenant's topic tells of changes from one state to another, with what it includes", async () => {
    const path = `/${release}/ended`;
    await send('PUT', `${root()}/Patient/ann`, { resourceType: 'Patient', id: 'ann' });
    const stored = await send('POST', `${root()}/${topicType}`, completed(release, url));
    expect(stored.status).toBe(201);
    const wanted = { endpoint: endpoint.base + path, criteria: url, content: 'full-resource' } as const;
    await makeSubscription(
      send,
      root(),
      subscription({ ...wanted, filters: ['Encounter?patient=Patient/ann'] }),
    );
    for (const status of ['in-progress', 'finished', 'finished', 'in-progress', 'finished'])
      await send('PUT', `${root()}/Encounter/one`, encounter('one', status));
    await send('PUT', `${root()}/Patient/bob`, { resourceType: 'Patient', id: 'bob' });
    await send('PUT', `${root()}/Encounter/two`, encounter('two', 'finished', 'bob'));
    await send('PUT', `${root()}/Encounter/three`, encounter('three', 'finished'));
    await eventually(async () => events(path).flatMap(({ numbers }) => numbers).length === 3);
    const all = events(path).flatMap(({ entries }) => entries.map(({ resource }) => resource));
    const seen = all
      .filter((one) => one?.['resourceType'] === 'Encounter')
      .map((one) => [one?.['id'], (one?.['meta'] as { versionId: string }).versionId]);
    expect(seen).toEqual([
      ['one', '2'],
      ['one', '5'],
      ['three', '1'],
    ]);
    expect(all.map((one) => `${String(one?.['resourceType'])}/${String(one?.['id'])}`)).toContain(
      'Patient/ann',
    );
  });

  it('a filter that the topic does not offer is refused', async () => {
    const resource = subscription({
      endpoint: endpoint.base,
      criteria: url,
      filters: ['Encounter?status=finished'],
    });
    const { status, json } = await send('POST', `${root()}/Subscription`, resource);
    expect([status, JSON.stringify(json)]).toEqual([
      422,
      expect.stringContaining('does not allow the filter'),
    ]);
  });

  it('a topic of another tenant, and one that is a draft, is unknown', async () => {
    const draft = `${url}-draft`;
    await send('POST', `${root()}/${topicType}`, completed(release, draft, 'draft'));
    for (const [tenant, criteria] of [
      ['other', url],
      ['system', draft],
    ] as const) {
      const resource = subscription({ endpoint: endpoint.base, criteria });
      const { status } = await send('POST', `${server.path(tenant, release)}/Subscription`, resource);
      expect(status).toBe(422);
    }
  });

  it('a Subscription whose topic is deleted gets the status error, with the reason', async () => {
    const own = `${url}-short-lived`;
    const { json } = await send('POST', `${root()}/${topicType}`, completed(release, own));
    const id = await makeSubscription(
      send,
      root(),
      subscription({ endpoint: `${endpoint.base}/${release}/short`, criteria: own }),
    );
    await send('DELETE', `${root()}/${topicType}/${String(json['id'])}`);
    await untilStatus(send, root(), id, 'error');
    const { json: stored } = await send('GET', `${root()}/Subscription/${id}`);
    expect(stored['error']).toContain('An active topic ');
  });
});

const below = (path: string): readonly Received[] =>
  endpoint.received.filter((one) => one.path === path || one.path.startsWith(`${path}/`));

describe.each(TESTED_RELEASES)('criteria of %s', (release) => {
  const root = (): string => server.path('system', release);
  const observation = (code: string): object => ({
    resourceType: 'Observation',
    status: 'final',
    code: { coding: [{ code }] },
  });

  it('without a payload a classic Subscription is told that something happened, by a request without a body', async () => {
    const path = `/${release}/plain`;
    await makeSubscription(send, root(), classic('Observation?code=1000-9', endpoint.base + path));
    await send('POST', `${root()}/Observation`, observation('2000-9'));
    await send('POST', `${root()}/Observation`, observation('1000-9'));
    await eventually(async () => below(path).length > 0);
    expect(below(path)).toEqual([expect.objectContaining({ method: 'POST', path, body: '' })]);
  });

  it('with a payload each new version that matches is put to the endpoint, and a deletion is not told', async () => {
    const path = `/${release}/engine`;
    await makeSubscription(
      send,
      root(),
      classic('Device?status=active', endpoint.base + path, 'application/fhir+json'),
    );
    const id = `${release}-device`;
    for (const status of ['active', 'inactive', 'active'])
      await send('PUT', `${root()}/Device/${id}`, { resourceType: 'Device', id, status });
    await send('DELETE', `${root()}/Device/${id}`);
    await send('PUT', `${root()}/Device/last`, { resourceType: 'Device', id: 'last', status: 'active' });
    await eventually(async () => below(path).length === 3);
    const told = below(path).map((one) => {
      const { status, meta } = JSON.parse(one.body) as { status: string; meta: { versionId: string } };
      return [one.method, one.path, status, meta.versionId];
    });
    expect(told).toEqual([
      ['PUT', `${path}/Device/${id}`, 'active', '1'],
      ['PUT', `${path}/Device/${id}`, 'active', '3'],
      ['PUT', `${path}/Device/last`, 'active', '1'],
    ]);
  });

  it('an extension asks for POST instead of PUT', async () => {
    const path = `/${release}/posted`;
    const resource = classic('Group', endpoint.base + path, 'application/fhir+json');
    const method = {
      url: 'https://andiron.example/fhir/StructureDefinition/subscription-method',
      valueCode: 'post',
    };
    await makeSubscription(send, root(), {
      ...resource,
      channel: { ...(resource['channel'] as object), extension: [method] },
    });
    await send('POST', `${root()}/Group`, { resourceType: 'Group', type: 'person', actual: true });
    await eventually(async () => below(path).length > 0);
    expect(below(path)).toEqual([
      expect.objectContaining({
        method: 'POST',
        path,
        body: expect.stringContaining('"resourceType":"Group"'),
      }),
    ]);
  });

  it('criteria may follow references to other resources', async () => {
    const path = `/${release}/chained`;
    await makeSubscription(send, root(), classic('Flag?patient.name=Chalmers', endpoint.base + path));
    const flag = (id: string): object => ({
      ...{ resourceType: 'Flag', status: 'active', code: { text: 'falls' } },
      subject: { reference: `Patient/${id}` },
    });
    for (const [id, family] of [
      ['peter', 'Chalmers'],
      ['ann', 'Other'],
    ] as const)
      await send('PUT', `${root()}/Patient/${id}`, { resourceType: 'Patient', id, name: [{ family }] });
    await send('POST', `${root()}/Flag`, flag('ann'));
    await send('POST', `${root()}/Flag`, flag('peter'));
    await eventually(async () => below(path).length > 0);
    expect(below(path)).toHaveLength(1);
  });

  it.each([
    ['criteria with an unknown parameter', 'Patient?colour=red'],
    ['criteria of an unknown type', 'Patients?name=a'],
    ['criteria that are a form of the answer', 'Patient?_count=1'],
  ])('%s are refused', async (_title, criteria) => {
    const { status, json } = await send('POST', `${root()}/Subscription`, classic(criteria, endpoint.base));
    expect([status, JSON.stringify(json)]).toEqual([422, expect.stringContaining('Subscription.criteria')]);
  });
});
