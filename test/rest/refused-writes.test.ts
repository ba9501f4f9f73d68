/** Content that must not be stored in silence, by every kind of write. */
import { entryOf, bundleOf, post, put, transaction } from '../support/bundles';
import { createSender, type SendQuery } from '../graphql/gateway-client';
import { type Answer, type SharedServer, openSharedServer } from '../support/shared-server';
import { PUBLIC_ADDRESS } from '../support/shared-servers';

let server: SharedServer;
let query: SendQuery;
beforeAll(async () => {
  server = await openSharedServer();
  query = createSender(server, 'system', 'r4');
  await send('PUT', '/Subscription/there', subscription('there', 'off'));
  await send('PUT', '/Observation/there', observation('Patient/a', { id: 'there' }));
  await send('PUT', '/Patient/known', patient);
});
afterAll(() => server.close());

const send = (method: string, rest: string, body?: unknown, headers = {}): Promise<Answer> =>
  server.request(method, `${server.path('system', 'r4')}${rest}`, body, headers);
const patient = {
  resourceType: 'Patient',
  id: 'known',
  identifier: [{ system: 'http://example.org/mrn', value: '17' }],
};
const subscription = (id: string, status: string) => ({
  resourceType: 'Subscription',
  id,
  status,
  reason: 'x',
  criteria: 'Observation?code=1',
  channel: { type: 'rest-hook', endpoint: 'https://stranger.example/hook', payload: 'application/fhir+json' },
});
const observation = (reference: string, more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  subject: { reference },
  ...more,
});
const jsonPatch = (path: string, value: unknown) => [{ op: 'replace', path, value }];

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly expression: string;
}

const ofOutcome = (status: number, { issue: [first] }: Answer['json']): Refusal => ({
  status,
  code: first.code as string,
  expression: String(first.expression[0]),
});

/** Each sends a wrong resource, or a patch that would make one, and returns the refusal. */
type Resource = { readonly resourceType: string; readonly id: string; readonly [member: string]: unknown };
interface Wrong {
  readonly resource: Resource;
  /** The patch of a resource `there` of the same type. */
  readonly patch: readonly object[];
}
const alone = async (...request: Parameters<typeof send>): Promise<Refusal> => {
  const { status, json } = await send(...request);
  return ofOutcome(status, json);
};
const inBundle = async (type: string, entry: object): Promise<Refusal> => {
  const { status, json } = await send('POST', '', bundleOf(type, entry));
  if (type === 'transaction') return ofOutcome(status, json);
  const { response } = json.entry[0];
  return ofOutcome(Number.parseInt(response.status as string, 10), response.outcome);
};
const byGraphql = async (text: string, variables: object): Promise<Refusal> => {
  const { errors } = await query(text, variables);
  return ofOutcome(422, errors[0]?.extensions.resource);
};
const withoutId = ({ id: _id, ...rest }: Resource) => rest;
const binary = (patch: unknown) => ({
  resourceType: 'Binary',
  contentType: 'application/json-patch+json',
  data: Buffer.from(JSON.stringify(patch)).toString('base64'),
});

const SINGLE: Readonly<Record<string, (wrong: Wrong) => Promise<Refusal>>> = {
  'a create': ({ resource }) => alone('POST', `/${resource.resourceType}`, withoutId(resource)),
  'an update': ({ resource }) => alone('PUT', `/${resource.resourceType}/${resource.id}`, resource),
  'a conditional create': ({ resource }) =>
    alone('POST', `/${resource.resourceType}`, withoutId(resource), { 'if-none-exist': '_id=nobody' }),
  'a conditional update': ({ resource }) =>
    alone('PUT', `/${resource.resourceType}?_id=${resource.id}`, resource),
  'a JSON Patch': ({ resource, patch }) =>
    alone('PATCH', `/${resource.resourceType}/there`, patch, {
      'content-type': 'application/json-patch+json',
    }),
  'a conditional patch': ({ resource, patch }) =>
    alone('PATCH', `/${resource.resourceType}?_id=there`, patch, {
      'content-type': 'application/json-patch+json',
    }),
  'an entry of a batch': ({ resource }) => inBundle('batch', put(resource)),
  'a mutation': ({ resource }) =>
    byGraphql('mutation($r: ResourceInput!) { create(resource: $r) { versionId } }', {
      r: withoutId(resource),
    }),
  'a mutation that is tried out': ({ resource }) =>
    byGraphql('mutation($r: ResourceInput!) { update(resource: $r, dryRun: true) { versionId } }', {
      r: resource,
    }),
  'a mutation of one type': ({ resource }) =>
    byGraphql(`mutation($r: ResourceInput!) { ${resource.resourceType}Create(res: $r) { location } }`, {
      r: withoutId(resource),
    }),
  'a patch by GraphQL': ({ resource, patch }) =>
    byGraphql(
      `mutation($p: [JsonPatchOperation!]) { patch(type: ${resource.resourceType}, id: "there", patch: $p) { versionId } }`,
      { p: patch },
    ),
};
const IN_TRANSACTION: typeof SINGLE = {
  'an entry of a transaction': ({ resource }) => inBundle('transaction', put(resource)),
  'a patch in a transaction': ({ resource, patch }) =>
    inBundle(
      'transaction',
      entryOf('PATCH', `${resource.resourceType}/there`, {}, { resource: binary(patch) }),
    ),
  'a mutation under @atomic': ({ resource }) =>
    byGraphql('mutation($r: ResourceInput!) @atomic { create(resource: $r) { versionId } }', {
      r: withoutId(resource),
    }),
};

/** Requests that the server cannot serve: the code of its refusal, the expression, and the value there. */
const IMPOSSIBLE = [
  ['an unknown topic', 'business-rule', '/criteria', 'https://example.org/topic'],
  ['criteria with an unknown search parameter', 'not-supported', '/criteria', 'Observation?nobody=1'],
  ['the channel email', 'not-supported', '/channel/type', 'email'],
  ['an endpoint of this machine', 'business-rule', '/channel/endpoint', 'https://[::1]/hook'],
] as const;

describe.each(IMPOSSIBLE)('a Subscription with %s is refused', (_title, code, pointer, value) => {
  const place = pointer.slice(1).replace('/', '.');
  const wrong = (status: string): Wrong => {
    const right = subscription('new', status);
    const { channel } = right;
    const member = place.replace('channel.', '');
    return {
      resource: {
        ...right,
        ...(member === place ? { [member]: value } : { channel: { ...channel, [member]: value } }),
      },
      patch: [...jsonPatch('/status', status), ...jsonPatch(pointer, value)],
    };
  };

  it.each(Object.entries({ ...SINGLE, ...IN_TRANSACTION }))('by %s', async (_way, write) => {
    for (const status of ['requested', 'active']) {
      expect(await write(wrong(status))).toEqual({
        ...{ status: 422, code },
        expression: expect.stringMatching(
          new RegExp(
            String.raw`^(Subscription|Bundle\.entry\[0\]\.resource)\.${place.replace('.', String.raw`\.`)}$`,
          ),
        ),
      });
      expect((await send('GET', '/Subscription/new')).status).toBe(404);
      expect((await send('GET', '/Subscription/there')).json).toMatchObject({ status: 'off' });
    }
  });
});

it('Subscriptions that request nothing are stored, and $validate lists those that are refused', async () => {
  const impossible = (status: string) => ({
    ...subscription('quiet', status),
    channel: { type: 'email', endpoint: 'mailto:ward@example.org' },
  });
  for (const status of ['off', 'error'])
    expect((await send('PUT', '/Subscription/quiet', impossible(status))).status).toBeLessThan(300);
  const parameter = [
    { name: 'resource', resource: impossible('active') },
    { name: 'mode', valueCode: 'update' },
  ];
  const { json } = await send('POST', '/Subscription/quiet/$validate', {
    resourceType: 'Parameters',
    parameter,
  });
  expect(json.issue).toContainEqual(
    expect.objectContaining({
      ...{ code: 'not-supported', severity: 'error' },
      expression: ['Subscription.channel.type'],
    }),
  );
});

const SEARCH = 'Patient?identifier=http://example.org/mrn|17';
const FORMS = [SEARCH, `/${SEARCH}`, `ROOT/${SEARCH}`];
/** The reference of a title, where ROOT is the address of the tenant. */
const toReference = (form: string): string =>
  form.replace('ROOT', PUBLIC_ADDRESS + server.path('system', 'r4'));

describe.each(FORMS)(
  'the reference %s outside of a transaction is refused, not stored in silence,',
  (form) => {
    it.each(Object.entries(SINGLE))('by %s', async (_title, write) => {
      const reference = toReference(form);
      const refusal = await write({
        resource: observation(reference, { id: 'new' }) as unknown as Resource,
        patch: jsonPatch('/subject/reference', reference),
      });
      expect(refusal).toEqual({
        status: 422,
        code: 'not-supported',
        expression: expect.stringMatching(/subject\.reference$/),
      });
      expect((await send('GET', '/Observation/new')).status).toBe(404);
      expect((await send('GET', '/Observation/there')).json.subject.reference).toBe('Patient/a');
    });

    it('and within one means the resource that it finds', async () => {
      const { status, json } = await send('POST', '', transaction(post(observation(toReference(form)))));
      expect([status, json.entry[0].resource.subject.reference]).toEqual([200, 'Patient/known']);
    });
  },
);

it.each(['Patient/1?active=true', '?identifier=1', './Patient?identifier=1', 'ROOT/Patient/1?x=1'])(
  'the reference %s, which has no target, is refused in a transaction too',
  async (form) => {
    const reference = toReference(form);
    for (const answer of [
      await send('POST', '/Observation', observation(reference)),
      await send('POST', '', transaction(post(observation(reference)))),
    ])
      expect([answer.status, answer.json.issue[0].code]).toEqual([422, 'not-supported']);
  },
);

it('a search inside a contained resource or an extension is refused, in one that is stored as it is it is not', async () => {
  const contained = observation('#p', {
    contained: [
      { resourceType: 'Patient', id: 'p', managingOrganization: { reference: 'Organization?name=x' } },
    ],
  });
  const { status, json } = await send('POST', '/Observation', contained);
  expect([status, json.issue[0].expression]).toEqual([
    422,
    ['Observation.contained[0].managingOrganization.reference'],
  ]);
  const stored = transaction(post(observation(SEARCH)));
  expect((await send('POST', '/Bundle', stored)).status).toBe(201);
  const elsewhere = observation('http://elsewhere.example/fhir/Patient?identifier=1');
  expect((await send('POST', '/Observation', elsewhere)).status).toBe(201);
});
