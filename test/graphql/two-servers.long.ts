/** Mutations through two server processes at the same time, and what the one shows of what the other did. */
import { eventually, startTwoServers, type TwoServers } from '../faults/two-servers';
import type { HttpClient } from '../support/http';
import { gatewayPath, type GatewayAnswer, toGatewayAnswer } from './gateway-client';

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

it('@atomic documents of many clients are done one after the other, and no half of them is there', async () => {
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

it('what one process wrote the other shows at once, as of each moment, and nothing of what it tried out', async () => {
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

it('none of it is there for another tenant', async () => {
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
