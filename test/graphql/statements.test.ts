import { startServer, type TestServer } from '../support/server';
import { createSender, type SendQuery } from './gateway-client';

const PATIENTS = 20;
const OBSERVATIONS = 5;

let server: TestServer;
let send: SendQuery;
beforeAll(async () => {
  server = await startServer();
  send = createSender(server, 'system', 'r4');
  const put = (type: string, id: string, members: object): object => ({
    request: { method: 'PUT', url: `${type}/${id}` },
    resource: { resourceType: type, id, ...members },
  });
  const entry = [put('Organization', 'o', { name: 'Org' })];
  for (let p = 0; p < PATIENTS; p++) {
    const patient = { reference: `Patient/p${p}` };
    entry.push(
      put('Patient', `p${p}`, {
        name: [{ family: 'Statement', given: ['A', 'B'] }],
        managingOrganization: { reference: 'Organization/o' },
      }),
      put('Encounter', `e${p}`, { status: 'finished', class: { code: 'AMB' }, subject: patient }),
    );
    for (let o = 0; o < OBSERVATIONS; o++) {
      const encounter = { reference: `Encounter/e${p}` };
      const code = { coding: [{ system: 'http://loinc.org', code: '29463-7' }] };
      entry.push(put('Observation', `b${p}-${o}`, { status: 'final', code, subject: patient, encounter }));
    }
  }
  const bundle = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
  const { status, text } = await server.request('POST', server.path('system', 'r4'), bundle);
  if (status !== 200) throw new Error(text);
});
afterAll(() => server.close());

/** Levels that read, and statements at most: for each level which versions are current, and the texts that are not known. */
const SHAPES: readonly (readonly [what: string, query: string, most: number])[] = [
  ['a read', '{ Patient(id: "p1") { id } }', 2],
  ['two reads', '{ a: Patient(id: "p1") { id } b: Patient(id: "p2") { id } }', 2],
  ['a list', '{ PatientList(family: "Statement", _count: 20) { id } }', 3],
  ['a page with its count', '{ PatientConnection(family: "Statement", _count: 5) { count edges { resource { id } } } }', 4],
  ['a reference of each', '{ PatientList(family: "Statement", _count: 20) { managingOrganization { resource { id } } } }', 5],
  ['a list of each', '{ PatientList(family: "Statement", _count: 20) { ObservationList(_reference: subject, _count: 5) { id } } }', 5],
  ['three levels (check 186)', '{ PatientList(family: "Statement", _count: 20) { ObservationList(_reference: subject, _count: 10) { encounter { resource { id } } } } }', 7],
  ['two kinds of lists of each', '{ PatientList(family: "Statement", _count: 20) { ObservationList(_reference: subject, _count: 5) { id } EncounterList(_reference: subject, _count: 5) { id } } }', 7],
  ['back and forth', '{ Patient(id: "p1") { EncounterList(_reference: subject, _count: 5) { ObservationList(_reference: encounter, _count: 5) { subject { resource { id } } } } } }', 8],
  ['a list of each by a further parameter', '{ PatientList(family: "Statement", _count: 20) { ObservationList(_reference: subject, code: "29463-7", _count: 3) { id } } }', 9],
  ['a list of each in an order of its own', '{ PatientList(family: "Statement", _count: 20) { ObservationList(_reference: subject, _sort: "value-quantity", _count: 3) { id } } }', 10],
  ['a part of a list of each', '{ PatientList(family: "Statement", _count: 20) { ObservationList(_reference: subject, _offset: 2, _count: 2) { id } } }', 6],
  ['a page with its count of each', '{ PatientList(family: "Statement", _count: 20) { ObservationConnection(_reference: subject, _count: 2) { count next edges { resource { id } } } } }', 6],
  ['a count of each', '{ PatientList(family: "Statement", _count: 20) { ObservationConnection(_reference: subject) { count } } }', 5],
  ['the generic search', '{ search(type: Patient, query: "family=Statement", first: 20) { resources { id } } }', 3],
]; // prettier-ignore

interface Cost {
  readonly statements: number;
  readonly rows: number;
}

async function costOf(query: string): Promise<Cost> {
  const { errors, json } = await send(query, {}, { 'x-graphql-cost': '1' });
  expect(errors).toEqual([]);
  return json.extensions.cost as Cost;
}

describe('the statements of a query', () => {
  it.each(SHAPES)('are bounded by its levels and kinds of field: %s', async (_what, query, most) => {
    const { statements, rows } = await costOf(query);
    expect(statements).toBeGreaterThan(0);
    expect(statements).toBeLessThanOrEqual(most);
    expect(rows).toBeGreaterThan(0);
  });

  it('are the same for 2 rows as for 20', async () => {
    for (const [, query] of SHAPES) {
      const few = query.replaceAll('_count: 20', '_count: 2').replace('first: 20', 'first: 2');
      const [of20, of2] = [await costOf(query), await costOf(few)];
      expect([query, of2.statements]).toEqual([query, of20.statements]);
    }
  });
});

describe('a query of several levels', () => {
  it('sees one moment while others write', async () => {
    const query = `{ PatientList(family: "Statement", _count: 20) {
      id meta { lastUpdated } ObservationList(_reference: subject, _count: 10) { subject { resource { meta { lastUpdated } } } }
    } }`;
    const reading = new AbortController();
    const writing = (async () => {
      for (let version = 0; !reading.signal.aborted; version++) {
        const family = [{ family: 'Statement', given: [`v${version}`] }];
        for (const id of ['p1', 'p2']) {
          const body = JSON.stringify({ resourceType: 'Patient', id, name: family });
          await server.request('PUT', `${server.path('system', 'r4')}/Patient/${id}`, body);
        }
      }
    })();
    for (let round = 0; round < 20; round++) {
      const { found, errors } = await send(query);
      expect(errors).toEqual([]);
      for (const { meta, ObservationList } of found.PatientList) {
        for (const { subject } of ObservationList) expect(subject.resource.meta).toEqual(meta);
      }
    }
    reading.abort();
    await writing;
  });
});
