/** Mutations through two server processes at the same time, and the reads of the one after writes of the other. */
import { createHash } from 'node:crypto';
import { eventually } from '../support/eventually';
import { startTwoServers, type TwoServers } from '../faults/two-servers';
import type { HttpClient } from '../support/http';
import { makeParameter } from '../support/search-parameters';
import { gatewayPath, type GatewayAnswer, toGatewayAnswer } from './gateway-client';
import { subscribeByEvents } from './live/subscriber';

const CLIENTS = 6;
const ROUNDS = 8;
const URN = 'urn:uuid:9d0c1f3e-0000-4000-8000-00000000000c';

let servers: TwoServers;
beforeAll(async () => {
  servers = await startTwoServers();
});
afterAll(() => servers.close());

type Sender = (query: string, variables?: object) => Promise<GatewayAnswer>;

function senderOf(server: Pick<HttpClient, 'request'>, tenant = 'system'): Sender {
  return async (query, variables = {}) =>
    toGatewayAnswer(
      await server.request(
        'POST',
        gatewayPath(tenant, 'r4'),
        { query, variables },
        { 'content-type': 'application/json' },
      ),
    );
}

/** One Patient for all clients of a round, a visit of each, and a counter that each must have seen. */
const VISIT = `mutation($patient: ResourceInput!, $criteria: String!, $visit: ResourceInput!, $counter: ResourceInput!, $seen: [ID!]) @atomic {
  patient: create(resource: $patient, ifNoneExist: $criteria, as: "${URN}") { created location }
  visit: EncounterCreate(res: $visit) { resource { subject { reference } } }
  counter: update(resource: $counter, ifMatch: $seen) { versionId }
}`;

it('@atomic documents of many clients are executed one after the other, each as a whole', async () => {
  const senders = [senderOf(servers.first), senderOf(servers.second)];
  const [first, second] = senders as [Sender, Sender];
  await first(
    'mutation { update(resource: {resourceType: "Basic", id: "counter", code: {text: "0"}}) { versionId } }',
  );
  const references: string[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const mrn = `r${round}`;
    const done = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        const send = senders[client % 2] as Sender;
        const read = await send('{ read(type: Basic, id: "counter") { meta { versionId } } }');
        return send(VISIT, {
          patient: { resourceType: 'Patient', identifier: [{ system: 'urn:mrn', value: mrn }] },
          criteria: `identifier=urn:mrn|${mrn}`,
          visit: {
            resourceType: 'Encounter',
            status: 'planned',
            class: { code: 'AMB' },
            subject: { reference: URN },
          },
          counter: { resourceType: 'Basic', id: 'counter', code: { text: mrn } },
          seen: [read.found.read.meta.versionId],
        });
      }),
    );
    for (const { status, errors } of done) expect([status, errors[0]?.extensions.code]).toEqual(status === 200 ? [200, undefined] : [412, 'conflict']); // prettier-ignore
    const succeeded = done.filter(({ status }) => status === 200);
    expect(succeeded.length).toBeGreaterThan(0);
    references.push(succeeded.map(({ found }) => found.visit.resource.subject.reference as string));
    const { found } = await second(
      `{ search(type: Patient, query: "identifier=urn:mrn|${mrn}") { total resources { id } } }`,
    );
    expect(found.search.total).toBe(1);
    expect(new Set(references.at(-1))).toEqual(new Set([`Patient/${found.search.resources[0].id}`]));
  }
  const { found } = await second(`{
    search(type: Encounter) { total }
    read(type: Basic, id: "counter") { meta { versionId } }
  }`);
  const sum = references.flat().length;
  expect([found.search.total, found.read.meta.versionId]).toEqual([sum, String(sum + 1)]);
});

it('the writes of one process are visible at the other at once, as of each moment, without its dry runs', async () => {
  const [first, second] = [senderOf(servers.first), senderOf(servers.second)];
  const WRITE = 'mutation($r: ResourceInput!, $dry: Boolean) { PatientUpdate(id: "p", res: $r, dryRun: $dry) { resource { birthDate meta { versionId lastUpdated } } } }'; // prettier-ignore
  const seen: { date: string; moment: string }[] = [];
  for (let day = 1; day <= 9; day++) {
    const date = `1970-01-0${day}`;
    const [writer, reader] = day % 2 === 0 ? [first, second] : [second, first];
    const tried = await writer(WRITE, {
      r: { resourceType: 'Patient', id: 'p', birthDate: '1900-01-01' },
      dry: true,
    });
    expect(tried.found.PatientUpdate.resource).toMatchObject({
      birthDate: '1900-01-01',
      meta: { versionId: String(day) },
    });
    const written = await writer(WRITE, { r: { resourceType: 'Patient', id: 'p', birthDate: date } });
    const { lastUpdated, versionId } = written.found.PatientUpdate.resource.meta;
    expect(versionId).toBe(String(day));
    seen.push({ date, moment: lastUpdated as string });
    const read = await reader('{ Patient(id: "p") { birthDate } }');
    expect(read.found.Patient.birthDate).toBe(date);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  const asOf = 'query($at: instant!, $date: [date]) { Patient(id: "p", asOf: $at) { birthDate } PatientList(birthdate: $date, asOf: $at) { id } }'; // prettier-ignore
  for (const { date, moment } of seen)
    for (const send of [first, second])
      expect((await send(asOf, { at: moment, date: [date] })).found).toEqual({
        Patient: { birthDate: date },
        PatientList: [{ id: 'p' }],
      });
  const diff = await second('{ diff(type: Patient, id: "p", from: "2", to: "9") }');
  expect(diff.found.diff).toEqual([{ op: 'replace', path: '/birthDate', value: '1970-01-09' }]);
});

it('none of it exists for another tenant', async () => {
  await servers.first.request(
    'POST',
    '/w/system/api/v1/tenants',
    { name: 'other' },
    { 'content-type': 'application/json' },
  );
  const send = senderOf(servers.second, 'other');
  await eventually(async () => (await send('{ history { total } }')).status === 200, 5_000);
  const { found } = await send(`{
    history { total }
    Patient(id: "p", asOf: "2999-01-01T00:00:00Z") { id }
    EncounterList { id }
    diff(type: Patient, id: "p", from: "1", to: "2")
  }`);
  expect(found).toEqual({ history: { total: 0 }, Patient: null, EncounterList: [], diff: null });
});

it('counts, connections, slices, differences and the past are the same at both processes, and of one tenant', async () => {
  const both = [servers.first, servers.second];
  const observations: Readonly<Record<string, number>> = { system: 5, other: 3 };
  const moments = new Map<string, string>();
  for (const [tenant, count] of Object.entries(observations)) {
    const senders = both.map((server) => senderOf(server, tenant)) as [Sender, Sender];
    const put = async (index: number, resource: object): Promise<string> => {
      const written = await (senders[index % 2] as Sender)(
        'mutation($r: ResourceInput!) { update(resource: $r) { resource { meta { lastUpdated } } } }',
        { r: resource },
      );
      return written.found.update.resource.meta.lastUpdated as string;
    };
    const patient = (family: string): object => ({
      resourceType: 'Patient',
      id: 'one',
      name: [
        { use: 'official', family },
        { use: 'usual', family: tenant },
      ],
    });
    await put(0, patient('First'));
    await put(1, patient('Second'));
    for (let index = 0; index < count; index++)
      moments.set(
        tenant,
        await put(index, {
          resourceType: 'Observation',
          id: `o${index}`,
          status: 'final',
          code: { coding: [{ system: 'urn:s', code: index % 2 === 0 ? 'even' : 'odd' }] },
          subject: { reference: 'Patient/one' },
          effectiveDateTime: `2020-0${index + 1}-01`,
        }),
      );
    await new Promise((resolve) => setTimeout(resolve, 3));
    await senders[0]('mutation { delete(type: Observation, id: "o0") { deleted } }');
  }
  const DOCUMENT = `query($at: instant!) {
    ObservationAggregate(status: final) {
      count
      countBy(parameter: code) { value count }
      countByReference(parameter: subject) { value count }
      countByDate(parameter: date, bucket: year) { value count }
    }
    ObservationConnection(_sort: "_id", _count: 1) { count edges { resource { id } } next }
    PatientList(_id: "one") { name @slice(path: "use") @flatten { family @singleton } }
    past: ObservationList(status: final, _sort: "_id", asOf: $at) { id }
    diff(type: Patient, id: "one", from: "1", to: "2")
  }`;
  const NEXT = 'query($c: String!) { ObservationConnection(_cursor: $c) { edges { resource { id } } } }';
  for (const [tenant, count] of Object.entries(observations)) {
    const cursors: string[] = [];
    for (const server of both) {
      const send = senderOf(server, tenant);
      const { found, errors } = await send(DOCUMENT, { at: moments.get(tenant) });
      expect([tenant, errors]).toEqual([tenant, []]);
      const { next, ...connection } = found.ObservationConnection;
      expect({ ...found, ObservationConnection: connection }).toEqual({
        ObservationAggregate: {
          count: count - 1,
          countBy: expect.arrayContaining([
            { value: 'urn:s|even', count: Math.ceil(count / 2) - 1 },
            { value: 'urn:s|odd', count: Math.floor(count / 2) },
          ]),
          countByReference: [{ value: 'Patient/one', count: count - 1 }],
          countByDate: [{ value: '2020', count: count - 1 }],
        },
        ObservationConnection: { count: count - 1, edges: [{ resource: { id: 'o1' } }] },
        PatientList: [{ 'family.official': 'Second', 'family.usual': tenant }],
        past: Array.from({ length: count }, (_, each) => ({ id: `o${each}` })),
        diff: [{ op: 'replace', path: '/name/0/family', value: 'Second' }],
      });
      cursors.push(next as string);
    }
    // A cursor of one process leads on at the other, in its tenant alone.
    for (const [index, server] of both.entries()) {
      const { found } = await senderOf(server, tenant)(NEXT, { c: cursors[1 - index] });
      expect(found.ObservationConnection.edges).toEqual([{ resource: { id: 'o2' } }]);
      const elsewhere = await senderOf(server, tenant === 'other' ? 'system' : 'other')(NEXT, {
        c: cursors[index],
      });
      expect([elsewhere.status, elsewhere.errors[0]?.extensions.code]).toEqual([400, 'value']);
    }
  }
  // A change at one process is in the next answer of the other, though that has given the same answer again and again.
  const COUNT =
    '{ ObservationList(_sort: "_id") { id subject { reference } } ObservationAggregate { count } PatientList { id ObservationList(_reference: subject) { id } } }';
  const [first, second] = both.map((server) => senderOf(server)) as [Sender, Sender];
  for (let round = 0; round < 6; round++) {
    for (let again = 0; again < 3; again++) await second(COUNT);
    await first(`mutation { delete(type: Observation, id: "o${1 + (round % 4)}") { deleted } }`);
    const expected = Math.max(0, 3 - round);
    const { found } = await second(COUNT);
    expect([found.ObservationList.length, found.ObservationAggregate.count]).toEqual([expected, expected]);
  }
});

const TENANTS = ['system', 'other'] as const;
const VALUE_SET = 'http://example.org/ward';
const WARD_OF: Readonly<Record<string, string>> = { system: 'red', other: 'blue' };

/**
 * The data that a tenant stores by typed fields, by a Bundle and by operations; its names differ from those of the
 * other one.
 */
const typedChanges = (ward: string): readonly string[] => [
  `mutation { transaction(bundle: {resourceType: "Bundle", type: "transaction", entry: [
    {resource: {resourceType: "Organization", id: "ward", name: "${ward}"}, request: {method: "PUT", url: "Organization/ward"}},
    {resource: {resourceType: "Patient", id: "in-ward", managingOrganization: {reference: "Organization/ward"}}, request: {method: "PUT", url: "Patient/in-ward"}},
    {resource: {resourceType: "Encounter", id: "stay", status: "planned", class: {code: "IMP"}}, request: {method: "PUT", url: "Encounter/stay"}},
    {resource: {resourceType: "Observation", id: "seen", status: "amended", code: {text: "${ward}"}, subject: {reference: "Patient/in-ward"}, encounter: {reference: "Encounter/stay"}}, request: {method: "PUT", url: "Observation/seen"}}
  ]}) { id } }`,
  `mutation { PatientUpdate(id: "in-ward", res: {resourceType: "Patient", id: "in-ward", name: [{family: "${ward}"}], managingOrganization: {reference: "Organization/ward"}}) { resource { id } } }`,
  'mutation { PatientPatch(id: "in-ward", patch: [{op: add, path: "/gender", value: "female"}]) { resource { id } } }',
  `mutation { AnyMetaAdd(type: "Patient", id: "in-ward", meta: {tag: [{system: "urn:ward", code: "${ward}"}]}) { id } }`,
  `mutation { PatientCreate(res: {resourceType: "Patient", name: [{family: "gone-${ward}"}], identifier: [{system: "urn:gone", value: "1"}]}) { location } }`,
  'mutation { PatientDelete(criteria: "identifier=urn:gone|1") { information { id } } }',
  `mutation { update(resource: {resourceType: "ValueSet", id: "ward", url: "${VALUE_SET}", status: "active", compose: {include: [{system: "urn:ward", concept: [{code: "${ward}"}]}]}}) { created } }`,
  `mutation { update(resource: {resourceType: "OperationDefinition", id: "of-ward", url: "http://example.org/of-ward", name: "OfWard", status: "active", kind: "query", code: "of-ward", resource: ["Patient"], system: false, type: true, instance: false, extension: [{url: "https://andiron.example/fhir/StructureDefinition/search-criteria", valueString: "_tag=urn%3Award%7C${ward}"}]}) { created } }`,
];

const ALL_OF_A_TENANT = `{
  nested: PatientList(where: {organization: {Organization: {name: {startsWith: "WARD"}}}}) {
    name { family } gender meta { versionId tag { code } }
    managingOrganization { resource { ... on Organization { name } } }
    ObservationList(_reference: subject, where: {code: {text: "WARD"}}) { id encounter { resource { ... on Encounter { status } } } }
  }
  generic: search(type: Observation, query: "subject:Patient.family=WARD") { total edges { node { id } } }
  expanded: ValueSetExpand(url: "${VALUE_SET}") { expansion { contains { code } } }
  meta: AnyMeta(type: "Patient", id: "in-ward") { parameter { valueMeta { tag { code } } } }
  everything: PatientEverything(id: "in-ward") { entry { resource { id } } }
  gone: PatientList(family: "gone-WARD") { id }
  one: history(type: Patient, id: "in-ward") { total versions { versionId } }
  type: history(type: Observation, first: 1) { versions { id resource { json } } }
  all: history(first: 1) { versions { resourceType id } }
}`;

it('changes by typed fields, Bundles and operations are found at the other process by searches, operations and histories, each tenant its own', async () => {
  const both = [servers.first, servers.second] as const;
  for (const [index, tenant] of TENANTS.entries()) {
    const [writer, reader] = index === 0 ? both : [both[1], both[0]];
    const ward = WARD_OF[tenant] ?? '';
    const subscribers = await Promise.all(
      [tenant, TENANTS[1 - index]].map((of) =>
        subscribeByEvents({ base: reader.base, tenant: of ?? '', variables: { type: 'Patient' } }),
      ),
    );
    for (const change of typedChanges(ward)) {
      const { errors } = await senderOf(writer, tenant)(change);
      expect([change, errors]).toEqual([change, []]);
    }
    const send = senderOf(reader, tenant);
    const { found, errors } = await send(ALL_OF_A_TENANT.replaceAll('WARD', ward));
    expect(errors).toEqual([]);
    expect(found).toEqual({
      nested: [
        {
          ...{ name: [{ family: ward }], gender: 'female', meta: { versionId: '4', tag: [{ code: ward }] } },
          managingOrganization: { resource: { name: ward } },
          ObservationList: [{ id: 'seen', encounter: { resource: { status: 'planned' } } }],
        },
      ],
      generic: { total: 1, edges: [{ node: { id: 'seen' } }] },
      expanded: { expansion: { contains: [{ code: ward }] } },
      meta: { parameter: [{ valueMeta: { tag: [{ code: ward }] } }] },
      everything: {
        entry: expect.arrayContaining([{ resource: { id: 'in-ward' } }, { resource: { id: 'seen' } }]),
      },
      gone: [],
      one: { total: 4, versions: ['4', '3', '2', '1'].map((versionId) => ({ versionId })) },
      type: {
        versions: [{ id: 'seen', resource: { json: expect.objectContaining({ code: { text: ward } }) } }],
      },
      all: { versions: [{ resourceType: 'OperationDefinition', id: 'of-ward' }] },
    });
    // By invoke, which is a mutation.
    const invoked = await send(
      'mutation { invoke(code: "meta", level: INSTANCE, type: Patient, id: "in-ward") { json } }',
    );
    expect(JSON.stringify(invoked.found.invoke.json)).toContain(`"code":"${ward}"`);
    // Cached definitions of a process are refreshed within two seconds.
    const named = '{ search(type: Patient, query: "_query=of-ward") { resources { id } } }';
    await eventually(async () => (await send(named)).status === 200, 5_000);
    expect((await send(named)).found).toEqual({ search: { resources: [{ id: 'in-ward' }] } });
    // A subscriber gets all writes of the other process in this tenant, in their order; one of the other tenant
    // nothing.
    const [ofThis, ofOther] = subscribers;
    await ofThis?.received(6);
    expect(ofThis?.changes.map(({ id, action }) => `${id === 'in-ward' ? id : 'gone'} ${action}`)).toEqual([
      ...Array.from({ length: 4 }, () => 'in-ward UPDATE'),
      'gone CREATE',
      'gone DELETE',
    ]);
    expect(ofOther?.changes).toEqual([]);
    for (const one of subscribers) one.close();
  }
  for (const tenant of TENANTS)
    for (const server of both) {
      const other = WARD_OF[tenant === 'system' ? 'other' : 'system'] ?? '';
      const { found } = await senderOf(
        server,
        tenant,
      )(`{
        PatientList(family: "${other}") { id } OrganizationList(name: "${other}") { id }
        search(type: Patient, query: "_tag=${other}") { total }
        ValueSetExpand(url: "${VALUE_SET}", filter: "${other}") { expansion { total } }
      }`);
      expect(found).toEqual({
        ...{ PatientList: [], OrganizationList: [], search: { total: 0 } },
        ValueSetExpand: { expansion: { total: 0 } },
      });
    }
});

it('documents that are registered at one process exist at the other, and new search parameters too: in their tenant', async () => {
  const query = `{ metadata { fhirVersion } } # ${Date.now()}`;
  const extensions = {
    persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
  };
  const post = async (
    server: Pick<HttpClient, 'request'>,
    tenant: string,
    body: object,
  ): Promise<GatewayAnswer> =>
    toGatewayAnswer(
      await server.request('POST', gatewayPath(tenant, 'r4'), body, { 'content-type': 'application/json' }),
    );
  expect((await post(servers.first, 'other', { query, extensions })).errors).toEqual([]);
  await eventually(
    async () => (await post(servers.second, 'other', { extensions })).errors.length === 0,
    5_000,
  );
  for (const server of [servers.first, servers.second])
    expect((await post(server, 'system', { extensions })).errors[0]?.message).toBe('PersistedQueryNotFound');

  const parameter = makeParameter('own-status', { code: 'own-status', base: ['Observation'], type: 'token', expression: 'Observation.status' }); // prettier-ignore
  const stored = await senderOf(servers.second, 'other')('mutation($r: ResourceInput!) { update(resource: $r) { created } }', { r: parameter }); // prettier-ignore
  expect(stored.errors).toEqual([]);
  const own = '{ ObservationList(own_status: amended) { id } ObservationAggregate { countBy(parameter: own_status) { code } } }'; // prettier-ignore
  const [atFirst, atSecond] = [senderOf(servers.first, 'other'), senderOf(servers.second, 'other')];
  for (const send of [atFirst, atSecond]) {
    await eventually(async () => (await send(own)).status === 200, 10_000);
    expect((await send(own)).found.ObservationList).toEqual([{ id: 'seen' }]);
  }
  for (const server of [servers.first, servers.second])
    expect((await senderOf(server)(own)).status).toBe(400);
});
