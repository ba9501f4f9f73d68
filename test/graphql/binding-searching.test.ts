/** HL7's binding for searching (http://hl7.org/fhir/R4/graphql.html#searching), over the official examples. */
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { createSender, type SendQuery } from './gateway-client';
import { createQuerySender, load, loadExamples, type Json } from './official-data';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer('structure');
  await server.createTenant('south');
});
afterAll(() => server.close());

const TYPES = [
  'Patient',
  'Organization',
  'Practitioner',
  'Observation',
  'Encounter',
  'Condition',
  'MedicationRequest',
  'Bundle',
  'Questionnaire',
];

describe.each(TESTED_RELEASES)('searches of %s', (release) => {
  let send: SendQuery;
  const get = async (path: string): Promise<Json> =>
    (await server.request('GET', `${server.path('system', release)}/${path}`)).json;
  const data = createQuerySender(() => send);

  beforeAll(async () => {
    send = createSender(server, 'system', release);
    await loadExamples(server, release, TYPES);
    const containing = '{"resourceType":"Observation","id":"containing","status":"final","code":{"text":"x"},"contained":[{"resourceType":"Patient","id":"p"}],"subject":{"reference":"#p"}}'; // prettier-ignore
    await load(server, 'system', release, [{ type: 'Observation', id: 'containing', text: containing }]);
    await load(server, 'south', release, [
      {
        type: 'Patient',
        id: 'example',
        text: '{"resourceType":"Patient","id":"example","name":[{"family":"Southern"}]}',
      },
    ]);
  });

  it('finds the same as REST by the same parameters, in the same order', async () => {
    for (const [args, query, type] of [
      ['name: "chalmers"', 'name=chalmers', 'Patient'],
      ['gender: female, _sort: "birthdate", _count: 3', 'gender=female&_sort=birthdate&_count=3', 'Patient'],
      ['birthdate: ["lt1960", "gt2010"], active: true', 'birthdate=lt1960,gt2010&active=true', 'Patient'],
      ['address_city: "PleasantVille"', 'address-city=PleasantVille', 'Patient'],
      ['_id: ["f001", "f201"]', '_id=f001,f201', 'Patient'],
      ['subject: "Patient/example", code: "http://loinc.org|29463-7"', 'subject=Patient/example&code=http://loinc.org|29463-7', 'Observation'], // prettier-ignore
      ['value_quantity: "gt100"', 'value-quantity=gt100', 'Observation'],
      ['component_code_value_quantity: "http://loinc.org|8480-6$gt100"', 'component-code-value-quantity=http://loinc.org|8480-6$gt100', 'Observation'], // prettier-ignore
      [
        '_filter: "gender eq male and birthdate lt 1975"',
        '_filter=gender eq male and birthdate lt 1975',
        'Patient',
      ],
      ['date: "ge2013-04-02", _count: 5, _offset: 2', 'date=ge2013-04-02&_count=5&_offset=2', 'Observation'],
    ] as const) {
      const found = await data(`{ ${type}List(${args}) { id } }`);
      const { entry = [] } = await get(`${type}?${encodeURI(query).replaceAll('|', '%7C')}`);
      const expected = entry.map(({ resource }: { resource: { id: string } }) => ({ id: resource.id }));
      expect([args, found[`${type}List`]]).toEqual([args, expected]);
      expect([args, expected.length > 0]).toEqual([args, true]);
    }
  });

  it('accepts arguments from variables', async () => {
    const { PatientList } = await data(
      'query($name: [String], $count: Int) { PatientList(name: $name, _count: $count) { id } }',
      { name: ['chalmers', 'windsor'], count: 1 },
    );
    expect(PatientList).toEqual([{ id: 'example' }]);
  });

  it('never leaves out matches without _count, or a cursor of the next page', async () => {
    const refused = await send('{ ObservationList(status: final) { id } }');
    expect([refused.status, refused.found.ObservationList, refused.errors[0]?.extensions.code]).toEqual([
      422,
      null,
      'too-costly',
    ]);
    expect(refused.errors[0]?.message).toContain('ObservationConnection');
    const { ObservationList } = await data('{ ObservationList(status: final, _count: 7) { id } }');
    expect(ObservationList).toHaveLength(7);
    const { ObservationConnection } = await data(
      '{ ObservationConnection(status: final) { count pagesize next edges { resource { id } } } }',
    );
    const { count, pagesize, next, edges } = ObservationConnection;
    expect([edges.length, count > pagesize, next]).toEqual([pagesize, true, expect.any(String)]);
  });

  it('goes through pages by a connection, each match once', async () => {
    const query = `query($cursor: String) { ObservationConnection(status: "final", _count: 20, _cursor: $cursor, _sort: "-date") {
      count offset pagesize first previous next last edges { mode score resource { id } } } }`;
    const pageAt = async (cursor: string): Promise<Json> =>
      (await data(query, { cursor })).ObservationConnection;
    const idsOf = ({ edges }: Json): string[] =>
      edges.map(({ resource }: { resource: { id: string } }) => resource.id);
    const pages: Json[] = [];
    for (let cursor: string | null = 'first'; cursor !== null; cursor = pages.at(-1).next)
      pages.push(await pageAt(cursor));
    for (const page of pages) {
      expect([page.pagesize, page.first]).toEqual([20, pages[0].first]);
      expect(page.edges[0]).toMatchObject({ mode: 'match', score: null });
    }
    const { total, entry } = await get('Observation?status=final&_total=accurate&_count=200&_sort=-date');
    const ids = entry.map(({ resource }: { resource: { id: string } }) => resource.id);
    expect([pages.flatMap(idsOf), pages[0].count]).toEqual([ids, total]);
    // And back: from each page to the one before, and from the end of all.
    expect(pages[0].previous).toBeNull();
    for (const [index, page] of pages.slice(1).entries())
      expect(idsOf(await pageAt(page.previous))).toEqual(idsOf(pages[index]));
    const last = await pageAt(pages[0].last);
    expect([idsOf(last), last.next]).toEqual([ids.slice(-20), null]);
    // A cursor is enough by itself, and only the same search may be beside it.
    const alone = async (cursor: string, args = ''): Promise<Json> =>
      send(`query($c: String) { ObservationConnection(_cursor: $c ${args}) { pagesize edges { resource { id } } } }`, { c: cursor }); // prettier-ignore
    for (const [cursor, expected] of [
      [pages[0].next, pages[1]],
      [pages[1].previous, pages[0]],
      [pages[1].first, pages[0]],
    ]) {
      const { pagesize, edges } = (await alone(cursor)).found.ObservationConnection;
      expect([pagesize, idsOf({ edges })]).toEqual([20, idsOf(expected)]);
    }
    const fewer = await alone(pages[0].next, '_count: 3');
    expect(idsOf(fewer.found.ObservationConnection)).toEqual(ids.slice(20, 23));
    const [size, , inner] = pages[0].next.split('.');
    const forged = Buffer.from('{"type":"Observation","parameters":[],"needs":false}').toString('base64url');
    for (const [cursor, args] of [
      [pages[0].next, 'status: "amended"'],
      ['nonsense', ''],
      ['1.e30.first', ''],
      [[size, forged, inner].join('.'), ''],
    ] as const) {
      const { errors } = await alone(cursor, args);
      expect([cursor, errors.map(({ extensions }: Json) => extensions.code)]).toEqual([cursor, ['value']]);
    }
    expect(await data('{ ObservationConnection(status: final) { count } }')).toEqual({
      ObservationConnection: { count: total },
    });
  });

  it('finds the resources that refer to a resource', async () => {
    const { Patient } = await data(`{ Patient(id: "example") {
      ConditionList(_reference: subject) { id subject { reference } }
      quoted: ConditionList(_reference: "patient", _count: 2) { id }
      ObservationList(_reference: subject, code: "29463-7") { id }
      ObservationConnection(_reference: patient, _count: 3) { count next edges { resource { id } } }
    } }`);
    const ids = async (query: string): Promise<{ id: string }[]> =>
      (await get(query)).entry.map(({ resource }: { resource: { id: string } }) => ({ id: resource.id }));
    const conditions = await ids('Condition?subject=Patient/example');
    expect(Patient.ConditionList.map(({ id }: { id: string }) => ({ id }))).toEqual(conditions);
    expect(Patient.quoted).toEqual(conditions.slice(0, 2));
    expect(Patient.ObservationList).toEqual(await ids('Observation?subject=Patient/example&code=29463-7'));
    const { count, next, edges } = Patient.ObservationConnection;
    expect(edges.map(({ resource }: { resource: object }) => resource)).toEqual(
      await ids('Observation?patient=Patient/example&_count=3'),
    );
    expect([count, next]).toEqual([
      (await get('Observation?patient=Patient/example&_count=0')).total,
      expect.any(String),
    ]);
    // The next page is requested by the cursor alone.
    const further = await data('query($c: String) { ObservationConnection(_cursor: $c) { edges { resource { id } } } }', { c: next }); // prettier-ignore
    expect(further.ObservationConnection.edges.map(({ resource }: { resource: object }) => resource)).toEqual(
      await ids('Observation?patient=Patient/example&_count=3&_offset=3'),
    );
  });

  it('finds the resources for which a FHIRPath expression is true, among the matches of the other arguments', async () => {
    const { long, page, PatientList } = await data(`{
      long: PatientList(gender: male, fhirpath: "name.given.count() > 1") { id }
      page: PatientConnection(gender: male, fhirpath: "name.given.count() > 1", _count: 50) { count edges { resource { id } } }
      PatientList(gender: male) { id name { given } }
    }`);
    const expected = PatientList.filter(
      ({ name }: Json) => (name ?? []).flatMap(({ given }: Json) => given ?? []).length > 1,
    ).map(({ id }: Json) => ({ id }));
    expect([long, page.edges.map(({ resource }: Json) => resource)]).toEqual([expected, expected]);
    expect([expected.length > 0, page.count]).toEqual([true, PatientList.length]);
    const refused = await send('{ PatientList(gender: male, fhirpath: "name.") { id } }');
    expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([400, 'value']);
  });

  it('finds for each of many resources the same as REST for one', async () => {
    const forms = [
      ['_count: 3', '_count=3'],
      ['code: ["29463-7", "8310-5"], _count: 4', 'code=29463-7,8310-5&_count=4'],
      ['_sort: "-value-quantity", _count: 5', '_sort=-value-quantity&_count=5'],
      ['_sort: "code", _count: 5', '_sort=code&_count=5'],
      ['status: "final", _offset: 1, _count: 2', 'status=final&_offset=1&_count=2'],
    ] as const;
    const fields = forms.map(([args], n) => `f${n}: ObservationConnection(_reference: subject, ${args}) { count edges { resource { id } } }`); // prettier-ignore
    const { PatientList } = await data(`{ PatientList(_count: 100) { id ${fields.join(' ')} } }`);
    let met = 0;
    for (const patient of PatientList as Json[]) {
      for (const [n, [, query]] of forms.entries()) {
        const { entry = [], total } = await get(
          `Observation?subject=Patient/${patient.id}&${query}&_total=accurate`,
        );
        const ids = entry.map(({ resource }: Json) => ({ resource: { id: resource.id } }));
        expect([patient.id, query, patient[`f${n}`]]).toEqual([
          patient.id,
          query,
          { count: total, edges: ids },
        ]);
        met += ids.length;
      }
    }
    expect(met).toBeGreaterThan(20);
  });

  it('refuses a parameter that never refers to the type, and finds nothing for a resource that is not stored', async () => {
    const refused = await send(
      '{ Patient(id: "example") { ObservationList(_reference: encounter) { id } } }',
    );
    expect([refused.found.Patient.ObservationList, refused.errors[0]?.extensions.code]).toEqual([
      null,
      'value',
    ]);
    const unknown = await send('{ Patient(id: "example") { ObservationList(_reference: nothing) { id } } }');
    expect(unknown.status).toBe(400);
    const { Observation } =
      await data(`{ Observation(id: "containing") { subject { resource { ... on Patient {
      ConditionList(_reference: subject) { id } ConditionConnection(_reference: subject) { count edges { mode } }
    } } } } }`);
    expect(Observation.subject.resource).toEqual({
      ConditionList: [],
      ConditionConnection: { count: 0, edges: [] },
    });
  });

  it('returns null for a missing resource, and nothing of another tenant', async () => {
    const south = createSender(server, 'south', release);
    const query = `{ Patient(id: "example") { name { family } ConditionList(_reference: subject) { id } }
      nobody: Patient(id: "nobody") { id } PatientList { id } ObservationConnection { count } }`;
    expect((await south(query)).json).toEqual({
      data: {
        Patient: { name: [{ family: 'Southern' }], ConditionList: [] },
        nobody: null,
        PatientList: [{ id: 'example' }],
        ObservationConnection: { count: 0 },
      },
    });
  });

  it('refuses fields and arguments that do not exist, before anything runs', async () => {
    for (const query of [
      '{ Patient(id: "example") { nmae } }',
      '{ PatientList(nmae: "x") { id } }',
      '{ Patient { id } }',
    ]) {
      const { status, json } = await send(query);
      expect([query, status, 'data' in json]).toEqual([query, 400, false]);
    }
  });
});
