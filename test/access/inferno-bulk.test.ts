/**
 * The steps of Inferno's bulk-data-test-kit (suite v2.0.0) and of the multi-patient group of ONC's criterion g(10), in words of our
 * own (docs/use/bulk-data.md, Inferno's test kits).
 */
import { create, FORM, makeKey, makeRsaKey, toJwt, type TestKey } from '../support/access';
import { pathOf, waitForExport } from '../support/bulk';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

const key = makeKey('bulk');
const rsaKey = makeRsaKey('bulk-rsa');
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

let server: SharedServer;
let root: string;
let oidc: string;
let client: string;
let token: string;

let count = 0;
function toForm(
  changes: Readonly<Record<string, string>> = {},
  claimed: object = {},
  { kid, jwk, privateKey }: TestKey = key,
): string {
  const claims = {
    ...{ iss: client, sub: client, aud: `${server.base}${oidc}/token`, jti: `bulk-${++count}` },
    exp: Math.floor(Date.now() / 1000) + 240,
    ...claimed,
  };
  const assertion = toJwt({ alg: String(jwk['alg']), typ: 'JWT', kid }, claims, privateKey);
  const form = {
    grant_type: 'client_credentials',
    scope: 'system/*.rs',
    client_assertion_type: TYPE,
    client_assertion: assertion,
  };
  return new URLSearchParams({ ...form, ...changes }).toString();
}
const askToken = (form: string): Promise<Answer> => server.request('POST', `${oidc}/token`, form, FORM);
const withToken = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...more,
});
const begin = (query = '', headers = withToken()): Promise<Answer> =>
  server.request('GET', `${root}/Group/panel/$export${query}`, undefined, {
    accept: 'application/fhir+json',
    prefer: 'respond-async',
    ...headers,
  });

beforeAll(async () => {
  server = await openSharedServer('enforced');
  root = server.path('system', 'r4');
  oidc = `/w/${server.tenant('system')}/oidc`;
  const body = { name: 'Bulk', scopes: ['system/*.cruds'], jwks: { keys: [key.jwk, rsaKey.jwk] } };
  client = (await create(server, `/tenants/${server.tenant('system')}/clients`, body)).id;
  token = String((await askToken(toForm({ scope: 'system/*.cruds' }))).json.access_token);
  const resources = [
    { resourceType: 'Organization', id: 'clinic', name: 'Clinic' },
    { resourceType: 'Practitioner', id: 'doc', name: [{ family: 'Doc' }] },
    { resourceType: 'Location', id: 'room', name: 'Room' },
    ...['p1', 'p2', 'outside'].flatMap((id) => [
      { resourceType: 'Patient', id, name: [{ family: id }] },
      {
        ...{ resourceType: 'Encounter', id: `visit-${id}`, status: 'finished', class: { code: 'AMB' } },
        ...{ subject: { reference: `Patient/${id}` }, serviceProvider: { reference: 'Organization/clinic' } },
        participant: [{ individual: { reference: 'Practitioner/doc' } }],
        location: [{ location: { reference: 'Location/room' } }],
      },
      {
        ...{ resourceType: 'Provenance', id: `of-${id}`, recorded: '2026-01-01T00:00:00Z' },
        target: [{ reference: `Encounter/visit-${id}` }],
        agent: [{ who: { reference: 'Organization/clinic' } }],
      },
    ]),
    {
      ...{ resourceType: 'Group', id: 'panel', type: 'person', actual: true },
      member: ['p1', 'p2'].map((id) => ({ entity: { reference: `Patient/${id}` } })),
    },
  ];
  for (const resource of resources) {
    const at = `${root}/${resource.resourceType}/${resource.id}`;
    const { status, text } = await server.request('PUT', at, resource, withToken());
    if (status !== 201) throw new Error(text);
  }
});
afterAll(() => server.close());

it('the CapabilityStatement declares the operations', async () => {
  const { json } = await server.request('GET', `${root}/metadata`);
  expect(json.instantiates).toContain('http://hl7.org/fhir/uv/bulkdata/CapabilityStatement/bulk-data');
  const operationOf = (type: string): unknown =>
    json.rest[0].resource.find((each: { type: string }) => each.type === type).operation;
  const declared = (name: string): unknown =>
    expect.objectContaining({
      name: 'export',
      definition: `http://hl7.org/fhir/uv/bulkdata/OperationDefinition/${name}`,
    });
  expect(json.rest[0].operation).toContainEqual(declared('export'));
  expect(operationOf('Patient')).toContainEqual(declared('patient-export'));
  expect(operationOf('Group')).toContainEqual(declared('group-export'));
});

it.each([
  ['ES384', key],
  ['RS384', rsaKey],
])(
  'Backend Services refuse a wrong grant type, assertion type and JWT, and give a token for a right one by %s',
  async (_algorithm, signing) => {
    const wrong = [
      toForm({ grant_type: 'not_a_grant_type' }, {}, signing),
      toForm({ client_assertion_type: 'not_an_assertion_type' }, {}, signing),
      toForm({}, { iss: 'not-a-client' }, signing),
    ];
    for (const form of wrong) expect([400, 401]).toContain((await askToken(form)).status);
    const { status, json } = await askToken(toForm({}, {}, signing));
    expect([status, json]).toEqual([
      200,
      expect.objectContaining({
        token_type: 'Bearer',
        expires_in: expect.any(Number),
        scope: expect.any(String),
      }),
    ]);
  },
);

it('an export from the kick-off to its end', async () => {
  expect((await begin('', { authorization: '' })).status).toBe(401);
  const accepted = await begin();
  expect(accepted.status).toBe(202);
  expect(String(accepted.headers['content-location'])).toMatch(/^https?:\/\//);
  const status = pathOf(accepted);
  expect((await server.request('GET', status)).status).toBe(401);
  const done = await waitForExport(server, status, withToken());
  expect(done.status).toBe(200);
  expect(done.headers['content-type']).toMatch(/^application\/json/);
  const { json } = done;
  for (const name of ['transactionTime', 'request', 'requiresAccessToken', 'output', 'error'])
    expect(json).toHaveProperty(name);
  expect(json.requiresAccessToken).toBe(true);
  const lines = new Map<string, { id: string; resourceType: string }[]>();
  for (const { type, url, count: announced } of json.output) {
    const { pathname } = new URL(url);
    expect((await server.request('GET', pathname)).status).toBe(401);
    const file = await server.request(
      'GET',
      pathname,
      undefined,
      withToken({ accept: 'application/fhir+ndjson' }),
    );
    expect(file.headers['content-type']).toMatch(/^application\/fhir\+ndjson/);
    const parsed = file.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(parsed).toHaveLength(announced);
    expect(parsed.every(({ resourceType }) => resourceType === type)).toBe(true);
    lines.set(type, parsed);
  }
  expect(
    lines
      .get('Patient')
      ?.map(({ id }) => id)
      .sort(),
  ).toEqual(['p1', 'p2']);
  expect(lines.get('Encounter')).toHaveLength(2);
  expect(lines.get('Provenance')).toHaveLength(2);
  for (const type of ['Organization', 'Practitioner', 'Location']) expect(lines.get(type)).toHaveLength(1);
  const [first] = lines.get('Encounter') ?? [];
  const checked = await server.request('POST', `${root}/Encounter/$validate`, first, withToken());
  expect(checked.json.issue.some(({ severity }: { severity: string }) => severity === 'error')).toBe(false);
});

it('a deleted export is gone', async () => {
  const status = pathOf(await begin());
  expect((await server.request('DELETE', status, undefined, withToken())).status).toBe(202);
  const gone = await server.request('GET', status, undefined, withToken());
  expect([gone.status, gone.json.resourceType]).toEqual([404, 'OperationOutcome']);
});

it('_outputFormat in three spellings, and _since', async () => {
  const since = encodeURIComponent('2020-01-01T00:00:00.000+02:00');
  const formats = ['application%2Ffhir%2Bndjson', 'application%2Fndjson', 'ndjson'].map(
    (format) => `?_outputFormat=${format}`,
  );
  for (const query of [...formats, `?_since=${since}`]) {
    const accepted = await begin(query);
    expect([query, accepted.status]).toEqual([query, 202]);
    const { json } = await waitForExport(server, pathOf(accepted), withToken());
    expect(json.output.length).toBeGreaterThan(0);
    await server.request('DELETE', pathOf(accepted), undefined, withToken());
  }
});
