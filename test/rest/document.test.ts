/** Composition/$document over HTTP: https://hl7.org/fhir/R4/composition-operation-document.html */
import { createClient } from '../support/access';
import { openSharedServer, type HttpServer, type SharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';
import { gatewayPath } from '../graphql/gateway-client';

let server: HttpServer;
let enforced: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  enforced = await openSharedServer('enforced');
});
afterAll(async () => {
  await server.close();
  await enforced.close();
});

const narrative = {
  status: 'generated',
  div: '<div xmlns="http://www.w3.org/1999/xhtml">Discharge</div>',
};
const composition = (id: string, rest: object = {}) => ({
  resourceType: 'Composition',
  id,
  text: narrative,
  status: 'final',
  type: { coding: [{ system: 'http://loinc.org', code: '18842-5' }], text: 'Discharge summary' },
  subject: { reference: 'Patient/ann' },
  date: '2021-05-01T10:00:00Z',
  author: [{ reference: 'Practitioner/doctor' }, { reference: 'https://elsewhere.example/Practitioner/1' }],
  title: 'Discharge summary',
  section: [
    {
      title: 'Medication',
      entry: [{ reference: 'MedicationRequest/pills' }],
      section: [{ title: 'Heart', entry: [{ reference: 'Observation/pulse/_history/1' }] }],
    },
  ],
  ...rest,
});

const RESOURCES = [
  { resourceType: 'Patient', id: 'ann', text: narrative },
  { resourceType: 'Practitioner', id: 'doctor', text: narrative },
  {
    resourceType: 'MedicationRequest',
    id: 'pills',
    text: narrative,
    status: 'active',
    intent: 'order',
    subject: { reference: 'Patient/ann' },
    medicationCodeableConcept: { text: 'Pills' },
  },
  {
    resourceType: 'Observation',
    id: 'pulse',
    text: narrative,
    status: 'preliminary',
    code: { text: 'Pulse' },
    subject: { reference: 'Patient/ann' },
  },
];

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);

  beforeAll(async () => {
    for (const resource of [...RESOURCES, composition('summary')]) {
      const { status, text } = await send('PUT', `${resource.resourceType}/${resource.id}`, resource);
      if (status !== 201) throw new Error(text);
    }
    const { status } = await send('PUT', 'Observation/pulse', { ...RESOURCES[3], status: 'final' });
    expect(status).toBe(200);
  });

  it('a document has the Composition first and all that it refers to, and is valid', async () => {
    const root = server.root('system', release);
    for (const rest of ['Composition/summary/$document', 'Composition/$document?id=summary']) {
      const { status, json } = await send('GET', rest);
      expect(status).toBe(200);
      expect(json).toMatchObject({ resourceType: 'Bundle', type: 'document' });
      expect(json.identifier.value).toMatch(/^urn:uuid:/);
      expect(json.entry.map(({ fullUrl }: { fullUrl: string }) => fullUrl)).toEqual(
        [
          'Composition/summary',
          'Patient/ann',
          'Practitioner/doctor',
          'MedicationRequest/pills',
          'Observation/pulse',
        ].map((name) => `${root}/${name}`),
      );
      // The version that was referred to.
      expect(json.entry[4].resource).toMatchObject({ status: 'preliminary', meta: { versionId: '1' } });
      const validated = await send('POST', '$validate', {
        resourceType: 'Parameters',
        parameter: [{ name: 'resource', resource: json }],
      });
      const errors = validated.json.issue.filter(
        ({ severity }: { severity: string }) => severity === 'error',
      );
      expect(errors).toEqual([]);
      expect((await send('POST', 'Bundle', json)).status).toBe(201);
    }
  });

  it('a missing resource that it refers to is reported by its place', async () => {
    const section = [
      { title: 'Lost', entry: [{ reference: 'Observation/pulse' }, { reference: 'Observation/lost' }] },
    ];
    expect((await send('PUT', 'Composition/lost', composition('lost', { section }))).status).toBe(201);
    const { status, json } = await send('GET', 'Composition/lost/$document');
    expect(status).toBe(422);
    expect(json.issue[0].expression).toEqual(['Composition.section[0].entry[1].reference']);
  });

  it.each([
    ['Composition/nobody/$document', 404],
    ['Composition/$document', 400],
    ['Composition/summary/$document?id=summary', 400],
    ['Composition/$document?id=https://elsewhere.example/Composition/1', 422],
    ['Composition/summary/$document?persist=true', 405],
    ['Composition/$document?id=summary&persist=true', 405],
    ['Composition/summary/$document?graph=http://example.org/g', 422],
    ['Composition/summary/$document?persist=false', 200],
  ])('%s is %d', async (rest, expected) => {
    expect((await send('GET', rest)).status).toBe(expected);
  });

  const documents = async (): Promise<number> =>
    (await send('GET', 'Bundle?type=document&_summary=count')).json.total as number;

  it('persist=true stores it as a new Bundle and says where', async () => {
    const root = server.root('system', release);
    const body = {
      resourceType: 'Parameters',
      parameter: [
        { name: 'id', valueUri: 'summary' },
        { name: 'persist', valueBoolean: true },
      ],
    };
    const before = await documents();
    for (const [rest, input] of [
      ['Composition/summary/$document?persist=true'],
      ['Composition/$document', body],
    ] as const) {
      const { status, headers, json } = await send('POST', rest, input);
      expect([status, json.type, json.meta.versionId]).toEqual([200, 'document', '1']);
      expect(headers['etag']).toBe('W/"1"');
      expect(headers['location']).toBe(`${root}/Bundle/${json.id}/_history/1`);
      expect((await send('GET', `Bundle/${json.id}`)).json).toEqual(json);
      expect(json.entry[0].fullUrl).toMatch(/\/Composition\/summary$/);
      const found = await send('GET', `Bundle?identifier=${json.identifier.value}`);
      expect(found.json.entry).toHaveLength(1);
    }
    expect(await documents()).toBe(before + 2);
  });

  it('GET, a document that cannot be made, and a transaction store nothing', async () => {
    const before = await documents();
    const { status, headers } = await send('GET', 'Composition/summary/$document?persist=true');
    expect([status, headers['allow']]).toEqual([405, 'POST']);
    expect((await send('POST', 'Composition/lost/$document?persist=true')).status).toBe(422);
    expect((await send('POST', 'Composition/nobody/$document?persist=true')).status).toBe(404);
    const entry = [{ request: { method: 'POST', url: 'Composition/summary/$document?persist=true' } }];
    const transaction = await send('POST', '', { resourceType: 'Bundle', type: 'transaction', entry });
    expect(transaction.status).toBe(422);
    expect(transaction.text).toContain('by itself and not in a transaction');
    expect(await documents()).toBe(before);
    const batch = await send('POST', '', { resourceType: 'Bundle', type: 'batch', entry });
    const [{ response, resource }] = batch.json.entry;
    expect([response.status, response.location]).toEqual([
      '200 OK',
      `${server.root('system', release)}/Bundle/${resource.id}/_history/1`,
    ]);
    expect(await documents()).toBe(before + 1);
  });

  it('a client that may not create Bundles gets the document, and stores none', async () => {
    await enforced.createTenant(`ward-${release}`);
    const clientOf = (scopes: readonly string[]) => createClient(enforced, `ward-${release}`, { scopes });
    const writer = await clientOf(['system/*.cruds']);
    const reader = await clientOf(['system/Composition.rs', 'system/Bundle.rs']);
    const ask = (method: string, rest: string, { basic }: { basic: string }, body?: unknown) =>
      enforced.request(method, `${enforced.path(`ward-${release}`, release)}/${rest}`, body, {
        'content-type': 'application/fhir+json',
        authorization: basic,
      });
    const alone = { subject: undefined, author: [{ display: 'A doctor' }], section: undefined };
    const put = await ask('PUT', 'Composition/alone', writer, composition('alone', alone));
    expect(put.status).toBe(201);
    expect((await ask('POST', 'Composition/alone/$document', reader)).status).toBe(200);
    const refused = await ask('POST', 'Composition/alone/$document?persist=true', reader);
    expect(refused.status).toBe(403);
    expect((await ask('GET', 'Bundle?_summary=count', reader)).json.total).toBe(0);
    expect((await ask('POST', 'Composition/alone/$document?persist=true', writer)).status).toBe(200);
    expect((await ask('GET', 'Bundle?_summary=count', reader)).json.total).toBe(1);
  });

  it('GraphQL stores it by a mutation and not by a query', async () => {
    const run = async (query: string) => {
      const address = gatewayPath(server.tenant('system'), release);
      const { json } = await server.request(
        'POST',
        address,
        { query },
        { 'content-type': 'application/json' },
      );
      return json;
    };
    const before = await documents();
    const { data } = await run(
      'mutation { invoke(code: "document", type: Composition, id: "summary", parameters: { persist: true }) { json } }',
    );
    expect((await send('GET', `Bundle/${data.invoke.json.id}`)).json.type).toBe('document');
    const refused = await run('{ CompositionDocument(id: "summary", persist: true) { id } }');
    expect(refused.errors[0].message).toContain('must be sent by POST');
    expect(await documents()).toBe(before + 1);
  });

  it('GraphQL gives the same document', async () => {
    const query = 'mutation { invoke(code: "document", type: Composition, id: "summary") { json } }';
    const headers = { 'content-type': 'application/json' };
    const { json } = await server.request(
      'POST',
      gatewayPath(server.tenant('system'), release),
      { query },
      headers,
    );
    const { type, entry } = json.data.invoke.json;
    expect([type, entry.length, entry[0].resource.id]).toEqual(['document', 5, 'summary']);
  });
});
