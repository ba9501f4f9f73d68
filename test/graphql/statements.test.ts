import { startServer, type TestServer } from '../support/server';
import { createSender, type SendQuery } from './gateway-client';
import { boundOf } from './statement-bound';
import { statementsOf } from './statement-count';

const PATIENTS = 8;
const OBSERVATIONS = 3;

/** Queries of one group of patients, with the name `F`; their observations have the code `C`. */
const SHAPES: readonly (readonly [what: string, query: string])[] = [
  ['a read', '{ Patient(id: "F-0") { id } }'],
  ['two reads', '{ a: Patient(id: "F-0") { id } b: Patient(id: "F-1") { id } }'],
  ['a list', '{ PatientList(family: "F", _count: 8) { id } }'],
  ['a list by two parameters', '{ PatientList(family: "F", given: "A", _count: 8) { id } }'],
  ['a list in an order of its own', '{ ObservationList(code: "C", _sort: "value-quantity", _count: 8) { id } }'],
  ['a part of a list from the oldest on', '{ ObservationList(code: "C", _sort: "date", _offset: 3, _count: 8) { id } }'],
  ['a page with its count', '{ PatientConnection(family: "F", _count: 5) { count edges { resource { id } } } }'],
  ['a reference of each', '{ PatientList(family: "F", _count: 8) { managingOrganization { resource { id } } } }'],
  ['a list of each', '{ PatientList(family: "F", _count: 8) { ObservationList(_reference: subject, _count: 5) { id } } }'],
  ['three levels', '{ PatientList(family: "F", _count: 8) { ObservationList(_reference: subject, _count: 10) { encounter { resource { id } } } } }'],
  ['two kinds of lists of each', '{ PatientList(family: "F", _count: 8) { ObservationList(_reference: subject, _count: 5) { id } EncounterList(_reference: subject, _count: 5) { id } } }'],
  ['back and forth', '{ PatientList(family: "F", _count: 8) { EncounterList(_reference: subject, _count: 5) { ObservationList(_reference: encounter, _count: 5) { subject { resource { id } } } } } }'],
  ['a list of each by a further parameter', '{ PatientList(family: "F", _count: 8) { ObservationList(_reference: subject, code: "C", _count: 3) { id } } }'],
  ['a list of each in an order of its own', '{ PatientList(family: "F", _count: 8) { ObservationList(_reference: subject, _sort: "value-quantity", _count: 3) { id } } }'],
  ['a part of a list of each', '{ PatientList(family: "F", _count: 8) { ObservationList(_reference: subject, _offset: 2, _count: 2) { id } } }'],
  ['a page with its count of each', '{ PatientList(family: "F", _count: 8) { ObservationConnection(_reference: subject, _count: 2) { count next edges { resource { id } } } } }'],
  ['a count of each', '{ PatientList(family: "F", _count: 8) { ObservationConnection(_reference: subject) { count } } }'],
  ['the generic search', '{ search(type: Patient, query: "family=F", first: 8) { resources { id } } }'],
]; // prettier-ignore

const groupOf = (shape: number): string => `group${String.fromCharCode(97 + shape)}`;
const queryOf = (shape: number): string =>
  (SHAPES[shape]?.[1] ?? '')
    .replace(/"F/g, `"${groupOf(shape)}`)
    .replace('=F', `=${groupOf(shape)}`)
    .replace('"C"', `"${groupOf(shape)}"`);

let server: TestServer;
let send: SendQuery;

const patientOf = (group: string, id: string): object => ({
  resourceType: 'Patient',
  id,
  name: [{ family: group, given: ['A', 'B'] }],
  managingOrganization: { reference: 'Organization/o' },
});

function observationOf(group: string, patient: string, value: number): object {
  return {
    resourceType: 'Observation',
    id: `${patient}-${value}`,
    status: 'final',
    code: { coding: [{ system: 'http://example.org', code: group }] },
    subject: { reference: `Patient/${patient}` },
    encounter: { reference: `Encounter/${patient}` },
    ...(value === 1 ? {} : { valueQuantity: { value } }),
    ...(value === 2 ? {} : { effectiveDateTime: `2020-01-0${value + 1}` }),
  };
}

beforeAll(async () => {
  server = await startServer({ because: 'the tests count its SQL statements' });
  send = createSender(server, 'system', 'r4');
  const resources: { readonly resourceType?: string; readonly id?: string }[] = [
    { resourceType: 'Organization', id: 'o', ...{ name: 'Org' } },
  ];
  for (const group of SHAPES.map((_shape, index) => groupOf(index))) {
    for (let p = 0; p < PATIENTS; p++) {
      const id = `${group}-${p}`;
      const subject = { reference: `Patient/${id}` };
      resources.push(patientOf(group, id), {
        ...{ resourceType: 'Encounter', id, status: 'finished' },
        ...{ class: { code: 'AMB' }, subject },
      });
      for (let o = 0; o < OBSERVATIONS; o++) resources.push(observationOf(group, id, o));
    }
  }
  const entry = resources.map((resource) => ({
    request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    resource,
  }));
  const bundle = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
  const { status, text } = await server.request('POST', server.path('system', 'r4'), bundle);
  if (status !== 200) throw new Error(text);
});
afterAll(() => server.close());

interface Cost {
  readonly statements: number;
  readonly rows: number;
}

async function costOf(query: string): Promise<Cost> {
  const { errors, json } = await send(query, {}, { 'x-graphql-cost': '1' });
  expect(errors).toEqual([]);
  return json.extensions.cost as Cost;
}

async function changeGroup(shape: number): Promise<void> {
  const group = groupOf(shape);
  for (const [url, resource] of [
    [`Patient/${group}-1`, { ...patientOf(group, `${group}-1`), active: true }],
    [`Observation/${group}-1-0`, { ...observationOf(group, `${group}-1`, 0), status: 'amended' }],
  ] as const) {
    const path = `${server.path('system', 'r4')}/${url}`;
    const { status } = await server.request('PUT', path, JSON.stringify(resource));
    expect(status).toBe(200);
  }
}

describe('the statements of a query', () => {
  it.each(SHAPES.map(([what], index) => [what, index] as const))(
    'are at most the kinds of reads, summed over its levels: %s',
    async (_what, shape) => {
      const query = queryOf(shape);
      const most = boundOf(query);
      const few = query.replaceAll('_count: 8', '_count: 2').replace('first: 8', 'first: 2');
      // Nothing of the group is cached; then some of it; then all.
      const counts: number[] = [];
      for (const sentQuery of [few, query, query]) {
        const { statements, rows } = await costOf(sentQuery);
        expect(rows).toBeGreaterThan(0);
        expect(statements).toBeGreaterThan(0);
        expect(statements).toBeLessThanOrEqual(most);
        counts.push(statements);
      }
      await changeGroup(shape);
      expect((await costOf(query)).statements).toBe(counts[2]);
      expect((await costOf(few)).statements).toBe(counts[2]);
    },
  );
});

describe('the statements of a query without usage statistics, as PostgreSQL receives them', () => {
  let fresh: TestServer;
  let another: TestServer;
  beforeAll(async () => {
    [fresh, another] = await Promise.all([
      startServer({ because: 'the tests count its SQL statements', database: server.database }),
      startServer({ because: 'the tests count its SQL statements', database: server.database }),
    ]);
    // Reads that a process does once for a tenant: its properties and last change. Afterwards it checks for changes
    // only.
    for (const each of [fresh, another]) {
      const sendToEach = createSender(each, 'system', 'r4');
      let sentQuery: string[] = [];
      for (let again = 0; again < 100 && !(sentQuery.length === 1 && isPlanningQuery(sentQuery[0])); again++)
        sentQuery = await statementsOf(() => sendToEach('{ PatientList(family: "Nobody") { id } }'));
      expect(sentQuery.map(isPlanningQuery)).toEqual([true]);
    }
  });
  afterAll(async () => {
    await fresh.close();
    await another.close();
  });

  const isPlanningQuery = (text: string | undefined): boolean =>
    text?.includes('t.unversioned_changes') === true && text.includes('v.sequence >= ');

  async function countOf(sentQuery: TestServer, query: string): Promise<number> {
    const statements = await statementsOf(async () => {
      const { errors } = await createSender(sentQuery, 'system', 'r4')(query);
      expect(errors).toEqual([]);
    });
    expect(statements.length).toBeGreaterThan(0);
    return statements.length;
  }

  it.each(SHAPES.map(([what], index) => [what, index] as const))(
    'are no more, and one more at most where some of it was queried before: %s',
    async (_what, shape) => {
      const query = queryOf(shape);
      const most = boundOf(query);
      const few = query.replaceAll('_count: 8', '_count: 2').replace('first: 8', 'first: 2');
      const other = query.replaceAll('_count: 8', '_count: 7').replace('first: 8', 'first: 7');
      // Nothing of the group is cached.
      expect(await countOf(fresh, few)).toBeLessThanOrEqual(most);
      expect(await countOf(another, query)).toBeLessThanOrEqual(most);
      // Some of it, and parts of it were queried before.
      expect(await countOf(fresh, query)).toBeLessThanOrEqual(most + 1);
      // All of it, some in another list.
      for (const [server, sentQuery] of [
        [another, few],
        [another, other],
      ] as const)
        expect(await countOf(server, sentQuery)).toBeLessThanOrEqual(most + 1);
      // All of it in this list: the first check defines the moment from which it is valid, and the first answer
      // whether reads are in it.
      for (const change of [undefined, changeGroup])
        for (const each of [fresh, another])
          for (const sentQuery of [few, query]) {
            await change?.(shape);
            for (const more of [1, 1, 0])
              expect(await countOf(each, sentQuery)).toBeLessThanOrEqual(most + more);
          }
    },
  );

  it('are those of the header', async () => {
    for (const query of SHAPES.map((_shape, index) => queryOf(index))) {
      let reported = 0;
      const statements = await statementsOf(async () => {
        reported = (await costOf(query)).statements;
      });
      expect(reported).toBe(statements.length);
    }
  });
});

describe('a page of resources with and without the value, by one statement', () => {
  const code = groupOf(0);
  it.each([
    ['of a list by a code', `code=${code}&_sort=date`, `code: "${code}", _sort: "date"`, 7],
    ['of all', '_sort=-value-quantity', '_sort: "-value-quantity"', 200],
  ])('is that of REST, forward, backward and from the middle on: %s', async (_what, rest, given, size) => {
    const { json } = await server.request(
      'GET',
      `${server.path('system', 'r4')}/Observation?${rest}&_count=1000`,
    );
    const all = (json.entry as { resource: { id: string } }[]).map(({ resource }) => resource.id);
    expect(all.length).toBeGreaterThan(2 * size);
    const pageOf = async (place: string) => {
      const query = `{ ObservationConnection(${given}, _count: ${size}, ${place}) { next previous last edges { resource { id } } } }`;
      const { found, errors, json: whole } = await send(query, {}, { 'x-graphql-cost': '1' });
      expect(errors).toEqual([]);
      expect((whole.extensions.cost as Cost).statements).toBeLessThanOrEqual(boundOf(query));
      const page = found.ObservationConnection as Record<'next' | 'previous' | 'last', string | null>;
      const edges = found.ObservationConnection.edges as { resource: { id: string } }[];
      return { ...page, ids: edges.map(({ resource }) => resource.id) };
    };
    const followPages = async (first: Awaited<ReturnType<typeof pageOf>>, way: 'next' | 'previous') => {
      const pages = [first.ids];
      for (let at = first[way]; at;) {
        const page = await pageOf(`_cursor: "${at}"`);
        pages.push(page.ids);
        at = page[way];
      }
      return way === 'next' ? pages.flat() : pages.reverse().flat();
    };
    const first = await pageOf('_offset: 0');
    expect(await followPages(first, 'next')).toEqual(all);
    expect(await followPages(await pageOf(`_cursor: "${first.last}"`), 'previous')).toEqual(all);
    const middle = await pageOf(`_offset: ${size + 3}`);
    expect(middle.ids).toEqual(all.slice(size + 3, 2 * size + 3));
  });
});

describe('a query of several levels', () => {
  it('sees one moment while others write', async () => {
    const query = `{ PatientList(family: "${groupOf(0)}", _count: 20) {
      id meta { lastUpdated } ObservationList(_reference: subject, _count: 10) { subject { resource { meta { lastUpdated } } } }
    } }`;
    const reading = new AbortController();
    const writing = (async () => {
      for (let version = 0; !reading.signal.aborted; version++) {
        const name = [{ family: groupOf(0), given: [`v${version}`] }];
        for (const id of [`${groupOf(0)}-0`, `${groupOf(0)}-1`]) {
          const body = JSON.stringify({ resourceType: 'Patient', id, name });
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
