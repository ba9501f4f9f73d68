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
