/** Who may do what, and why not (docs/run/access-rules.md, Why): the answers are those that requests get. */
import { create, createClient, administerWell, type MadeClient } from '../support/access';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

let server: SharedServer;
let tenant: string;
let administrator: MadeClient;

const resources = [
  {
    resourceType: 'Patient',
    id: 'ann',
    name: [{ family: 'Archer' }],
    telecom: [{ system: 'phone', value: '1' }],
  },
  { resourceType: 'Patient', id: 'ben' },
  { ...observation('lab', 'ann'), category: [{ coding: [{ code: 'laboratory' }] }], note: [{ text: 'x' }] },
  observation('vital', 'ben'),
] as const;
function observation(id: string, patient: string) {
  const code = { text: 'x' };
  return {
    resourceType: 'Observation',
    id,
    status: 'final',
    code,
    subject: { reference: `Patient/${patient}` },
  };
}

beforeAll(async () => {
  server = await openSharedServer('enforced');
  await server.createTenant('asked');
  tenant = server.tenant('asked');
  administrator = await createClient(server, 'asked', { administrator: true });
  for (const resource of resources) {
    const path = `/w/${tenant}/api/v1/fhir/r4/${resource.resourceType}/${resource.id}`;
    const { status, text } = await server.request('PUT', path, resource, headersOf(administrator));
    if (status !== 201) throw new Error(text);
  }
  const policies = {
    laboratory: { rules: [{ types: ['Observation'], interactions: 'rs', criteria: ['category=laboratory'] }], hidden: ['Observation.note'] },
    own: { rules: [{ types: ['*'], interactions: 'cruds', criteria: ['patient={patient}'] }, { types: ['Patient'], interactions: 'rs', criteria: ['_id={patient}'] }] },
  }; // prettier-ignore
  for (const [name, policy] of Object.entries(policies))
    await administerWell(server, 'PUT', `/tenants/${tenant}/policies/${name}`, policy);
  await create(server, `/tenants/${tenant}/users`, { name: 'ann', password: 'correct horse battery', fhirUser: 'Patient/ann' });
}); // prettier-ignore
afterAll(() => server.close());

const headersOf = ({ basic }: MadeClient) => ({ authorization: basic, 'content-type': 'application/json' });
const ask = (body: object): Promise<Answer> =>
  server.request('POST', `/w/${tenant}/api/v1/access`, body, headersOf(administrator));
async function explain(body: object): Promise<Answer['json']> {
  const { status, json, text } = await ask(body);
  if (status !== 200) throw new Error(text);
  return json;
}
type One = { interaction: string; allowed: string; reason: string };
const inShort = ({ answers }: Answer['json']): string[] =>
  answers.map(({ interaction, allowed }: One) => `${interaction} ${allowed}`);

const ATTEMPTS = {
  read: ['GET', ''],
  search: ['GET', ''],
  update: ['PUT', ''],
  delete: ['DELETE', ''],
} as const;

it.each([
  ['everything', { scopes: ['system/*.cruds'] }],
  ['nothing', { scopes: [] }],
  ['one type', { scopes: ['system/Observation.rs'] }],
  ['some of a type', { scopes: ['system/Observation.rs?category=laboratory', 'system/Patient.r'] }],
  ['what a policy allows', { scopes: ['system/*.cruds'], policies: ['laboratory'] }],
  ['what a policy that does not exist allows', { scopes: ['system/*.cruds'], policies: ['none'] }],
  ['writes without reads', { scopes: ['system/Observation.cud'] }],
])('a client with %s gets the answers that its requests get', async (_what, details) => {
  const client = await createClient(server, 'asked', details);
  for (const resource of [...resources].reverse()) {
    const { resourceType: type, id } = resource;
    const { answers } = await explain({ client: client.id, type, id });
    const told = Object.fromEntries(answers.map(({ interaction, allowed }: One) => [interaction, allowed]));
    const root = `/w/${tenant}/api/v1/fhir/r4/${type}`;
    for (const [interaction, [method]] of Object.entries(ATTEMPTS)) {
      // A delete would leave nothing to ask about; its right is compared with that of an update.
      if (interaction === 'delete') continue;
      const path = interaction === 'search' ? `${root}?_id=${id}` : `${root}/${id}`;
      const body = method === 'PUT' ? resource : undefined;
      const { status, json } = await server.request(method, path, body, headersOf(client));
      const isDone = interaction === 'search' ? status === 200 && (json.entry ?? []).length === 1 : status < 300;
      expect([type, id, interaction, told[interaction]]).toEqual([type, id, interaction, isDone ? 'yes' : 'no']);
    }
  }
}); // prettier-ignore

it('names the policies of a client that the tenant does not have', async () => {
  const { id } = await createClient(server, 'asked', { scopes: ['system/*.rs'], policies: ['laboratory', 'labratory'] });
  const reasonOf = async (type: string): Promise<string> =>
    (await explain({ client: id, type, interactions: ['read'] })).answers[0].reason;
  expect(await reasonOf('Medication')).toBe(
    'The policies of this client do not allow system/Medication.r: the tenant has no policy labratory',
  );
}); // prettier-ignore

it('names the scope and the rule that allow, or what is missing', async () => {
  const { id } = await createClient(server, 'asked', { name: 'Lab', scopes: ['system/*.rs'], policies: ['laboratory'] });
  const read = async (body: object) => (await explain({ client: id, interactions: ['read'], ...body })).answers[0];
  expect(await read({ type: 'Observation', id: 'lab' })).toEqual({
    interaction: 'read',
    allowed: 'yes',
    reason: 'Allowed by the scope system/*.rs, rule 1 of the policy laboratory (category=laboratory)',
    grants: [
      { grant: 'system/*.rs', allows: 'all' },
      { grant: 'category=laboratory', policy: 'laboratory', rule: 1, allows: 'all' },
    ],
  });
  expect(await read({ type: 'Observation', id: 'vital' })).toMatchObject({
    allowed: 'no',
    reason: expect.stringContaining('does not meet the conditions of rule 1 of the policy laboratory'),
  });
  expect(await read({ type: 'Patient', id: 'ann' })).toMatchObject({
    allowed: 'no',
    reason: 'The policies of this client do not allow system/Patient.r',
  });
  expect(await read({ type: 'Observation' })).toMatchObject({ allowed: 'some' });
  const { answers } = await explain({ client: 'lab', type: 'Observation', interactions: ['update'] });
  expect(answers).toMatchObject([{ allowed: 'no', reason: 'The scope system/Observation.u is missing' }]);
}); // prettier-ignore

it('a reason names a few scopes and rules, and their number; all of them are beside it', async () => {
  const scopes = ['a', 'b', 'c', 'd', 'e'].map((code) => `system/Observation.rs?category=${code}`);
  const { id } = await createClient(server, 'asked', { scopes });
  const { answers } = await explain({ client: id, type: 'Observation', id: 'vital', interactions: ['read'] });
  expect(answers[0].grants).toHaveLength(5);
  expect(answers[0].reason).toMatch(/category=c and 2 more: for this caller it does not exist$/);
}); // prettier-ignore

it('a create and an update are judged by the resource that would be written, where one is given', async () => {
  const scopes = ['system/Observation.crus?category=laboratory'];
  const { id: client } = await createClient(server, 'asked', { scopes });
  const asked = { client, type: 'Observation', interactions: ['create', 'update'] };
  const versions = async (): Promise<number> =>
    (await server.request('GET', `/w/${tenant}/api/v1/fhir/r4/Observation/_history?_count=0`, undefined, headersOf(administrator))).json.total;
  const before = await versions();
  expect(inShort(await explain(asked))).toEqual(['create some', 'update some']);
  const lab = { ...observation('lab', 'ann'), category: [{ coding: [{ code: 'laboratory' }] }] };
  const { id: _id, ...made } = lab;
  const vital = observation('lab', 'ann');
  expect(inShort(await explain({ ...asked, resource: made }))).toEqual(['create yes', 'update some']);
  expect(inShort(await explain({ ...asked, resource: { ...made, category: undefined } }))).toEqual(['create no', 'update some']);
  expect(inShort(await explain({ ...asked, id: 'lab', resource: lab }))).toEqual(['create yes', 'update yes']);
  const away = await explain({ ...asked, id: 'lab', resource: vital });
  expect(inShort(away)).toEqual(['create no', 'update no']);
  expect(away.answers[1].reason).toContain('must include the current Observation and the one to be written');
  // The stored one is not within the grants.
  expect(inShort(await explain({ ...asked, id: 'vital', resource: { ...lab, id: 'vital' } }))).toEqual(['create yes', 'update no']);
  for (const resource of [{ resourceType: 'Patient' }, { ...lab, id: 'other' }, {}])
    expect((await ask({ ...asked, id: 'lab', resource })).status).toBe(400);
  expect((await ask({ ...asked, resource: 'x' })).status).toBe(400);
  // Nothing was stored.
  expect(await versions()).toBe(before);
}); // prettier-ignore

it('names hidden elements, and the patients to whose records a resource belongs', async () => {
  const { id } = await createClient(server, 'asked', { scopes: ['system/*.rs'], policies: ['laboratory'] });
  const asked = { client: id, type: 'Observation', interactions: ['read'] };
  expect(await explain(asked)).toMatchObject({ hidden: ['Observation.note'], readOnly: [] });
  expect(await explain({ ...asked, id: 'lab' })).toMatchObject({ hiddenHere: ['Observation.note'], patients: ['ann'] });
  expect(await explain({ ...asked, id: 'vital' })).toMatchObject({ hiddenHere: [], patients: ['ben'] });
}); // prettier-ignore

it('a person has the rights of the own record, by the client and the policies of it', async () => {
  const app = { name: 'App', public: true, scopes: ['patient/*.rs', 'launch/patient'], redirectUris: ['https://app.example/back'] };
  const { id: client } = await create(server, `/tenants/${tenant}/clients`, app);
  const asked = { client, user: 'ann', interactions: ['read', 'update'] };
  const own = await explain({ ...asked, type: 'Observation', id: 'lab' });
  expect([own.boundTo, inShort(own)]).toEqual([['ann'], ['read yes', 'update no']]);
  expect(own.who).toContain('Patient/ann');
  expect(inShort(await explain({ ...asked, type: 'Observation', id: 'vital' }))).toEqual(['read no', 'update no']);
  const unknown = await ask({ ...asked, type: 'Observation', patient: 'nobody' });
  expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('Patient/nobody does not exist')]);
  const [{ id: user }] = (await server.administer('GET', `/tenants/${tenant}/users`)).json.users;
  await administerWell(server, 'PATCH', `/tenants/${tenant}/users/${user}`, { disabled: true });
  const off = await explain({ ...asked, type: 'Observation', id: 'lab' });
  expect(off.answers[0]).toMatchObject({ allowed: 'no', reason: expect.stringContaining('The account is disabled') });
}); // prettier-ignore

it('a policy is tried before it is stored, alone or for a client, and nothing is stored', async () => {
  const definition = { rules: [{ types: ['Patient'], interactions: 'rs', criteria: ['family=Archer'] }], hidden: ['Patient.telecom'] };
  const before = (await server.administer('GET', `/tenants/${tenant}/policies`)).text;
  const policy = { name: 'tried', definition };
  expect(inShort(await explain({ policy, type: 'Patient', id: 'ann' }))).toEqual([
    ...['read yes', 'search yes', 'create no', 'update no', 'patch no', 'delete no'],
  ]);
  expect(await explain({ policy, type: 'Patient', id: 'ann' })).toMatchObject({ hiddenHere: ['Patient.telecom'] });
  expect(inShort(await explain({ policy, type: 'Patient', id: 'ben', interactions: ['read'] }))).toEqual(['read no']);
  const { id: client } = await createClient(server, 'asked', { scopes: ['system/Observation.rs'] });
  const ofClient = await explain({ policy, client, type: 'Patient', id: 'ann', interactions: ['read'] });
  expect(inShort(ofClient)).toEqual(['read no']);
  // In place of a stored one of the name.
  const open = { name: 'laboratory', definition: { rules: [{ types: ['*'], interactions: 'rs' }] } };
  const lab = await createClient(server, 'asked', { scopes: ['system/*.rs'], policies: ['laboratory'] });
  expect(inShort(await explain({ policy: open, client: lab.id, type: 'Patient', id: 'ben', interactions: ['read'] }))).toEqual(['read yes']);
  expect((await server.request('GET', `/w/${tenant}/api/v1/fhir/r4/Patient/ben`, undefined, headersOf(lab))).status).toBe(403);
  expect((await server.administer('GET', `/tenants/${tenant}/policies`)).text).toBe(before);
}); // prettier-ignore

it('an interaction that is asked for many times is answered once', async () => {
  const policy = { name: 'tried', definition: { rules: [] } };
  const interactions = [...Array<string>(5_000).fill('search'), 'read', 'search'];
  expect(inShort(await explain({ policy, type: 'Patient', interactions }))).toEqual(['search no', 'read no']);
});

it.each([
  ['nobody', { type: 'Patient' }, 'must name a client, an account, or a policy'],
  ['a client that does not exist', { client: 'nobody', type: 'Patient' }, "The client 'nobody' does not exist"],
  ['an account that does not exist', { user: 'nobody', type: 'Patient' }, "The account 'nobody' does not exist"],
  ['an unknown type', { client: 'x', type: '__proto__' }, 'does not exist'],
  ['a type that is none', { policy: { name: 'p', definition: { rules: [] } }, type: 'Element' }, 'is not a resource type'],
  ['a resource that does not exist', { policy: { name: 'p', definition: { rules: [] } }, type: 'Patient', id: 'none' }, 'Patient/none does not exist'],
  ['an id that is none', { client: 'x', type: 'Patient', id: '../x' }, '"id" must be'],
  ['a policy that could not be stored', { policy: { name: 'p', definition: { rules: [{ types: ['Nothing'], interactions: 'r' }] } }, type: 'Patient' }, "'Nothing' is not a resource type"],
  ['a policy with a name that is almost right', { policy: { name: 'p', definition: { rules: [{ types: ['Observatoin'], interactions: 'r' }] } }, type: 'Patient' }, "'Observatoin' is not a resource type; did you mean Observation?"],
  ['a type that is almost right', { policy: { name: 'p', definition: { rules: [] } }, type: 'Pateint' }, 'did you mean Patient?'],
  ['another member', { type: 'Patient', tenant: 'other' }, "'tenant' is not allowed"],
])('a question about %s is refused in words', async (_what, body, reason) => {
  const { status, json } = await ask(body);
  expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining(reason)]);
}); // prettier-ignore
