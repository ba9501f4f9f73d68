/** Further requests beyond those of two-servers.long.ts, at two server processes and of two tenants. */
import { eventually } from '../support/eventually';
import { startTwoServers, type TwoServers } from '../faults/two-servers';
import type { HttpClient } from '../support/http';
import { makeParameter } from '../support/search-parameters';
import { gatewayPath, type GatewayAnswer, toGatewayAnswer } from './gateway-client';
import { subscribeBySocket, type Subscriber } from './live/subscriber';

type Server = Pick<HttpClient, 'request'>;
type Sender = (query: string, variables?: object) => Promise<GatewayAnswer>;

const JSON_TYPE = { 'content-type': 'application/json' };
/** The word in the data of each tenant. */
const WORDS = { system: 'Adams', other: 'Berg' } as const;
type Tenant = keyof typeof WORDS;
const TENANTS: readonly Tenant[] = ['system', 'other'];

let servers: TwoServers;
beforeAll(async () => {
  servers = await startTwoServers();
  await servers.first.request('POST', '/w/system/api/v1/tenants', { name: 'other' }, JSON_TYPE);
  const at = gatewayPath('other', 'r4');
  const isLoaded = async (): Promise<boolean> =>
    (await servers.second.request('POST', at, { query: '{ versionSequence }' }, JSON_TYPE)).status === 200;
  await eventually(isLoaded, 10_000);
});
afterAll(() => servers.close());

const senderOf =
  (server: Server, tenant: Tenant): Sender =>
  async (query, variables = {}) =>
    toGatewayAnswer(await server.request('POST', gatewayPath(tenant, 'r4'), { query, variables }, JSON_TYPE));

/** The first to write, the second to read, and the other way about. */
const pairOf = (tenant: Tenant): readonly [Server, Server] =>
  tenant === 'system' ? [servers.first, servers.second] : [servers.second, servers.first];

const resourcesOf = (word: string): readonly object[] => [
  { resourceType: 'Organization', id: 'clinic', name: `${word} clinic` },
  {
    ...{ resourceType: 'Patient', id: 'one', gender: 'female', birthDate: '1970-01-01' },
    _birthDate: { extension: [{ url: 'urn:exact', valueString: word }] },
    contained: [{ resourceType: 'Organization', id: 'inside', name: `${word} inside` }],
    name: [
      { use: 'official', family: word, given: ['One', 'Two'] },
      { use: 'usual', given: [word] },
    ],
    managingOrganization: { reference: '#inside' },
    generalPractitioner: [{ reference: 'Organization/clinic' }, { reference: 'Practitioner/nobody' }],
  },
  ...[1, 2, 3].map((index) => ({
    ...{ resourceType: 'Condition', id: `c${index}`, subject: { reference: 'Patient/one' } },
    code: { text: `${word} ${index}` },
  })),
];

const OF_HL7 = `{
  Patient(id: "one") {
    birthDate _birthDate { extension { valueString } }
    name(use: official) { family given(_offset: 1, _count: 1) }
    usual: name(fhirpath: "use = 'usual'") { given }
    contained { ... on Organization { name } }
    managingOrganization { resource { ... on Organization { name } } }
    generalPractitioner { resource(type: Organization, optional: true) { id ... on Organization { name } } }
    ConditionConnection(_reference: subject, _count: 2, _sort: "_id") { count edges { mode resource { id } } }
  }
  counted: PatientConnection { count }
  none: Condition(id: "c9") { id }
}`;

it("HL7's binding returns at each process the writes of the other, in the tenant's own data", async () => {
  for (const tenant of TENANTS) {
    const word = WORDS[tenant];
    const [writer, reader] = pairOf(tenant);
    for (const resource of resourcesOf(word)) {
      const { errors } = await senderOf(writer, tenant)('mutation($r: ResourceInput!) { update(resource: $r) { created } }', { r: resource }); // prettier-ignore
      expect(errors).toEqual([]);
    }
    for (const server of [reader, writer]) {
      const { found, errors } = await senderOf(server, tenant)(OF_HL7);
      expect(errors).toEqual([]);
      expect(found).toEqual({
        Patient: {
          birthDate: '1970-01-01',
          _birthDate: { extension: [{ valueString: word }] },
          name: [{ family: word, given: ['Two'] }],
          usual: [{ given: [word] }],
          contained: [{ name: `${word} inside` }],
          managingOrganization: { resource: { name: `${word} inside` } },
          generalPractitioner: [{ resource: { id: 'clinic', name: `${word} clinic` } }, { resource: null }],
          ConditionConnection: {
            count: 3,
            edges: [
              { mode: 'match', resource: { id: 'c1' } },
              { mode: 'match', resource: { id: 'c2' } },
            ],
          },
        },
        counted: { count: 1 },
        none: null,
      });
    }
  }
});

it('a query on one resource, by GET and POST, and the forms of answers are of the tenant at both', async () => {
  const query = '{ id name @flatten { family @first @singleton given @slice(path: "$index") } ConditionList(_reference: subject, _sort: "_id") @flatten { condition: id } }'; // prettier-ignore
  for (const tenant of TENANTS)
    for (const server of [servers.first, servers.second]) {
      const address = `/w/${tenant}/api/v1/fhir/r4/Patient/one/$graphql`;
      const read = '{ name(use: official) { family } }';
      const byGet = await server.request('GET', `${address}?query=${encodeURIComponent(read)}`, undefined, { accept: 'application/json' }); // prettier-ignore
      expect([byGet.status, byGet.json]).toEqual([200, { data: { name: [{ family: WORDS[tenant] }] } }]);
      const shaped = await server.request('POST', address, query, { 'content-type': 'application/graphql' });
      expect([shaped.status, shaped.json.data]).toEqual([
        200,
        expect.objectContaining({
          ...{ id: 'one', family: WORDS[tenant], condition: ['c1', 'c2', 'c3'] },
        }),
      ]);
      const missing = await server.request('POST', address.replace('Patient/one', 'Patient/nobody'), '{ id }', { 'content-type': 'application/graphql' }); // prettier-ignore
      expect(missing.status).toBe(404);
    }
});

it('the capabilities of the server, and the last change of the tenant, are the same at both', async () => {
  const query = '{ versionSequence metadata { fhirVersion resourceTypes } operations(type: ValueSet) { code levels affectsState } }'; // prettier-ignore
  const answers = new Map<Tenant, unknown>();
  for (const tenant of TENANTS) {
    const [atFirst, atSecond] = [senderOf(servers.first, tenant), senderOf(servers.second, tenant)];
    const { found } = await atFirst(query);
    expect(found.operations).toContainEqual(expect.objectContaining({ code: 'expand', affectsState: false }));
    expect((await atSecond(query)).found).toEqual(found);
    await atSecond('mutation { update(resource: {resourceType: "Basic", id: "counts", code: {text: "x"}}) { created } }'); // prettier-ignore
    const after = await atFirst('{ versionSequence }');
    expect(after.found.versionSequence).toBe(Number(found.versionSequence) + 1);
    answers.set(tenant, after.found.versionSequence);
  }
  // One tenant's changes are no other's.
  const { found } = await senderOf(servers.second, 'system')('{ versionSequence }');
  expect(found.versionSequence).toBe(answers.get('system'));
});

it('of two processes that change the same version exactly one does, by JSON Patch, FHIRPath Patch and criteria, in each tenant', async () => {
  const ways = [
    'PatientPatch(id: "one", ifVersion: $v, patch: [{op: replace, path: "/gender", value: "other"}]) { resource { meta { versionId } } }',
    'PatientPatch(id: "one", ifMatch: [$v], fhirPathPatch: {resourceType: "Parameters", parameter: [{name: "operation", part: [{name: "type", valueCode: "replace"}, {name: "path", valueString: "Patient.gender"}, {name: "value", valueCode: "male"}]}]}) { resource { meta { versionId } } }',
    'PatientUpdate(criteria: "family=WORD", ifVersion: $v, res: {resourceType: "Patient", name: [{family: "WORD"}]}) { resource { meta { versionId } } }',
  ];
  for (const tenant of TENANTS)
    for (const way of ways) {
      const senders = [senderOf(servers.first, tenant), senderOf(servers.second, tenant)] as const;
      const read = '{ Patient(id: "one") { meta { versionId } } }';
      const before = (await senders[0](read)).found.Patient.meta.versionId as string;
      const text = `mutation($v: ID!) { ${way.replaceAll('WORD', WORDS[tenant])} }`;
      const answers = await Promise.all([...senders, ...senders].map((send) => send(text, { v: before })));
      const statuses = answers.map(({ status, errors }) => [status, errors[0]?.extensions.code]);
      expect([way, statuses.filter(([status]) => status === 200)]).toEqual([way, [[200, undefined]]]);
      expect(statuses.filter(([status]) => status !== 200)).toEqual(
        Array.from({ length: 3 }, () => [412, 'conflict']),
      );
      for (const send of senders)
        expect((await send(read)).found.Patient.meta.versionId).toBe(String(Number(before) + 1));
    }
});

it('live queries by WebSocket report at one process the writes of the other, of their tenant alone', async () => {
  const subscribers = new Map<Tenant, Subscriber>();
  for (const tenant of TENANTS) {
    const [, reader] = pairOf(tenant);
    const { base } = reader === servers.first ? servers.first : servers.second;
    const { found } = await senderOf(reader, tenant)('{ versionSequence }');
    const variables = { type: 'Basic', query: 'code:text=live', after: found.versionSequence as number };
    subscribers.set(tenant, await subscribeBySocket({ base, tenant, variables }));
  }
  for (const tenant of TENANTS) {
    const send = senderOf(pairOf(tenant)[0], tenant);
    for (const text of ['live', 'quiet'])
      await send(`mutation { update(resource: {resourceType: "Basic", id: "${WORDS[tenant]}", code: {text: "${text}"}}) { created } }`); // prettier-ignore
  }
  for (const tenant of TENANTS) {
    const subscriber = subscribers.get(tenant);
    await subscriber?.received(2);
    expect(subscriber?.changes.map(({ id, action }) => [id, action])).toEqual([
      [WORDS[tenant], 'UPDATE'],
      [WORDS[tenant], 'LEAVE'],
    ]);
    subscriber?.close();
  }
});

it('the schema as a file has the parameters of its tenant at both processes, wherever they were made', async () => {
  const parameter = makeParameter('own-word', { code: 'own-word', base: ['Patient'], type: 'string', expression: 'Patient.name.family' }); // prettier-ignore
  const { errors } = await senderOf(servers.first, 'other')('mutation($r: ResourceInput!) { update(resource: $r) { created } }', { r: parameter }); // prettier-ignore
  expect(errors).toEqual([]);
  for (const file of ['schema.graphql', 'schema.json'])
    for (const server of [servers.first, servers.second]) {
      const has = async (tenant: Tenant): Promise<boolean> => {
        const { status, text } = await server.request('GET', `${gatewayPath(tenant, 'r4')}/${file}`);
        return status === 200 && text.includes('own_word');
      };
      await eventually(() => has('other'), 30_000);
      expect([file, await has('system')]).toEqual([file, false]);
    }
});
