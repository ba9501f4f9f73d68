/** GraphQL as a subgraph of Apollo Federation 2, as a router reads it. test/clients/composition.test.ts composes it with others. */
import { eventually } from '../support/eventually';
import { makeParameter } from '../support/search-parameters';
import { startServer, type TestServer } from '../support/server';
import { TESTED_RELEASES } from '../support/releases';
import { createSender, gatewayPath } from './gateway-client';

let server: TestServer;
let plain: TestServer;
beforeAll(async () => {
  server = await startServer({ because: 'GRAPHQL_FEDERATION', environment: { GRAPHQL_FEDERATION: 'on' } });
  plain = await startServer({
    because: 'it has the same database without the setting',
    database: server.database,
  });
  // A tenant may start few introspections at once.
  for (const release of TESTED_RELEASES) await server.app.core.tenants.create(`acme-${release}`);
});
afterAll(async () => {
  await plain.close();
  await server.close();
});

describe.each(TESTED_RELEASES)('the subgraph of %s', (release) => {
  const tenant = `acme-${release}`;
  const address = gatewayPath(tenant, release);

  async function subgraph(query = '', of = server): Promise<string> {
    const { status, text } = await of.request('GET', `${address}/subgraph.graphql${query}`);
    if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
    return text;
  }

  beforeAll(async () => {
    const put = async (resource: { resourceType: string; id: string }): Promise<void> => {
      const path = `${server.path(tenant, release)}/${resource.resourceType}/${resource.id}`;
      const { status, text } = await server.request('PUT', path, resource);
      if (status >= 300) throw new Error(text);
    };
    const patient = { resourceType: 'Patient', name: [{ family: 'Abel' }] };
    await put({ ...patient, id: 'ann' });
    await put({ ...patient, id: 'bob' });
    const request = {
      ...{ resourceType: 'MedicationRequest', id: 'r', status: 'active', intent: 'order' },
      contained: [{ resourceType: 'Medication', id: 'm', code: { text: 'drug' } }],
      ...{ medicationReference: { reference: '#m' }, subject: { reference: 'Patient/ann' } },
    };
    await put(request);
  });

  it('has resources as entities, no subscriptions, and none of the fields for routers', async () => {
    const whole = await subgraph();
    expect(whole).toContain(
      'type Patient implements Resource & Node @key(fields: "_key") @key(fields: "id") {',
    );
    expect(whole).toContain('type Subscription implements Resource & Node @key');
    expect(whole).not.toMatch(
      /LiveQuery|\b_service\b|\b_entities\b|\b_Any\b|\b_Entity\b|@flatten|@oneOf|(?<!")@shareable/,
    );
    const { errors, found } = await createSender(server, tenant, release)('{ _service { sdl } }');
    expect([errors, found._service.sdl === whole]).toEqual([[], true]);
  });

  it('has the search parameters of the tenant', async () => {
    const id = `shoe-size-${release}`;
    const parameter = makeParameter(id, {
      ...{ base: ['Patient'], type: 'number', expression: "Patient.extension('urn:shoe').value" },
    });
    const { status } = await server.request(
      'PUT',
      `${server.path(tenant, release)}/SearchParameter/${id}`,
      parameter,
    );
    expect(status).toBe(201);
    const schema = async (): Promise<string> =>
      (await server.request('GET', `${address}/schema.graphql`)).text;
    await eventually(async () => (await schema()).includes('shoe_size_'));
    expect(await subgraph('?types=Patient')).toContain('shoe_size_');
  });

  it('reads entities by key or id, by one statement, in their order', async () => {
    const query = `query($representations: [_Any!]!) {
      _entities(representations: $representations) {
        ... on Patient { id name { family } }
        ... on Medication { _key code { text } }
      }
    }`;
    const representations = [
      { __typename: 'Patient', id: 'bob' },
      { __typename: 'Patient', _key: 'Patient/ann' },
      { __typename: 'Medication', _key: 'MedicationRequest/r#m' },
      { __typename: 'Patient', id: 'nobody' },
      { __typename: 'Practitioner', _key: 'Patient/ann' },
      { __typename: 'Patient', id: 'Patient/ann', birthDate: '1970' },
    ];
    const { errors, found, json } = await createSender(server, tenant, release)(
      query,
      { representations },
      { 'x-graphql-cost': '1' },
    );
    const [ann, bob] = ['ann', 'bob'].map((id) => ({ id, name: [{ family: 'Abel' }] }));
    expect([errors, found._entities]).toEqual([
      [],
      [bob, ann, { _key: 'MedicationRequest/r#m', code: { text: 'drug' } }, null, null, ann],
    ]);
    expect(json.extensions.cost).toMatchObject({ cost: 6 });
    expect(json.extensions.cost.statements).toBeLessThanOrEqual(2);
  });

  it.each([
    ['an unknown type', [{ __typename: 'Patiens', id: 'ann' }]],
    ['no type', [{ id: 'ann' }]],
    ['no key', [{ __typename: 'Patient', birthDate: '1970' }]],
    ['too many', Array.from({ length: 257 }, () => ({ __typename: 'Patient', id: 'ann' }))],
  ])('refuses %s', async (_what, representations) => {
    const query =
      'query($representations: [_Any!]!) { _entities(representations: $representations) { _key } }';
    const { status, errors } = await createSender(server, tenant, release)(query, { representations });
    expect([status, errors.map(({ extensions }) => extensions.code)]).toEqual([400, ['value']]);
  });

  it.each([
    ['?types=', 400],
    ['?types=Patient,Dog', 400],
  ])('is refused for %s', async (query, expected) => {
    expect((await server.request('GET', `${address}/subgraph.graphql${query}`)).status).toBe(expected);
  });

  it('is there only with the setting', async () => {
    expect((await plain.request('GET', `${address}/subgraph.graphql`)).status).toBe(404);
    const { errors } = await createSender(plain, tenant, release)('{ _service { sdl } }');
    expect(errors[0]?.message).toContain('Cannot query field "_service"');
  });
});
