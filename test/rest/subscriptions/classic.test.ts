import { startEndpoint, type Received, type TestEndpoint } from '../../support/endpoint';
import { eventually } from '../../support/eventually';
import { startServer, type TestServer } from '../../support/server';
import { classic, makeSubscription, sender, SOON_MS, type Sender } from '../../support/subscriptions';
import { TESTED_RELEASES } from '../../support/releases';

let server: TestServer;
let endpoint: TestEndpoint;
let send: Sender;
beforeAll(async () => {
  server = await startServer({
    because: 'OUTBOUND_ALLOWED_HOSTS',
    environment: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', VALIDATION: 'structure' },
  });
  endpoint = await startEndpoint();
  send = sender(server);
});
afterAll(async () => {
  await server.close();
  await endpoint.close();
});

const below = (path: string): readonly Received[] =>
  endpoint.received.filter((one) => one.path === path || one.path.startsWith(`${path}/`));

describe.each(TESTED_RELEASES)('%s', (release) => {
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
    await eventually(async () => below(path).length > 0, SOON_MS);
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
    await eventually(async () => below(path).length === 3, SOON_MS);
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
    await eventually(async () => below(path).length > 0, SOON_MS);
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
    await eventually(async () => below(path).length > 0, SOON_MS);
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
