/** HL7's GraphQL binding for reading (http://hl7.org/fhir/R4/graphql.html), over the official examples. */
import type { Release } from '../../src/core';
import { readExamples } from '../support/examples';
import { startServer, type TestServer } from '../support/server';
import { createSender, type SendQuery } from './gateway-client';

/** What a server answered, looked at by the expectations. */
type Json = Awaited<ReturnType<SendQuery>>['found'];

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { VALIDATION: 'structure' } });
  await server.createTenant('south');
});
afterAll(() => server.close());

const TYPES = new Set([
  'Patient',
  'Organization',
  'Practitioner',
  'Observation',
  'Encounter',
  'Condition',
  'MedicationRequest',
  'Bundle',
  'Questionnaire',
]);

async function load(
  tenant: string,
  release: Release,
  bundle: readonly { type: string; id: string; text: string }[],
): Promise<void> {
  const entry = bundle.map(
    ({ type, id, text }) => `{"resource":${text},"request":{"method":"PUT","url":"${type}/${id}"}}`,
  );
  const body = `{"resourceType":"Bundle","type":"batch","entry":[${entry.join(',')}]}`;
  const { json } = await server.request('POST', server.path(tenant, release), body);
  const refused = json.entry.filter((answer: Json) => !/^20[01]/.test(answer.response.status));
  // Some official examples refer to what they may not refer to.
  if (refused.length > (bundle.length > 10 ? 3 : 0)) throw new Error(JSON.stringify(refused));
}

describe.each<Release>(['r4', 'r4b'])('the binding for %s', (release) => {
  let send: SendQuery;
  const get = async (path: string): Promise<Json> =>
    (await server.request('GET', `${server.path('system', release)}/${path}`)).json;
  const data = async (query: string, variables: object = {}): Promise<Json> => {
    const answer = await send(query, variables);
    expect([answer.status, answer.errors]).toEqual([200, []]);
    return answer.found;
  };

  beforeAll(async () => {
    send = createSender(server, 'system', release);
    const examples = readExamples(release).filter(
      ({ type, text }) => TYPES.has(type) && text.length < 20_000,
    );
    await load('system', release, examples);
    await load('south', release, [
      {
        type: 'Patient',
        id: 'example',
        text: '{"resourceType":"Patient","id":"example","name":[{"family":"Southern"}]}',
      },
    ]);
  });

  describe('elements', () => {
    it('have the names and the values that they have in JSON, choices and extensions of primitives too', async () => {
      const { Patient } = await data(`{ Patient(id: "example") {
        resourceType id active birthDate gender deceasedBoolean deceasedDateTime
        name { use family given period { end } }
        contact { relationship { coding { code } } name { family _family { extension { url valueString } } given } }
        _birthDate { extension { url valueDateTime } }
        text { status div }
        json
      } }`);
      const patient = await get('Patient/example');
      expect(Patient).toMatchObject({
        resourceType: 'Patient',
        id: 'example',
        active: true,
        birthDate: patient.birthDate,
        deceasedBoolean: false,
        deceasedDateTime: null,
        _birthDate: patient._birthDate,
        text: patient.text,
        json: patient,
      });
      expect(Patient.name[0]).toEqual({
        use: 'official',
        family: 'Chalmers',
        given: ['Peter', 'James'],
        period: null,
      });
      expect(Patient.contact[0].name).toEqual({
        family: 'du Marché',
        _family: { extension: [expect.objectContaining({ valueString: 'VV' })] },
        given: ['Bénédicte'],
      });
    });

    it('are null where the resource has none, whatever it should have', async () => {
      const { Patient } = await data(
        '{ Patient(id: "animal") { maritalStatus { text } photo { url } multipleBirthInteger } }',
      );
      expect(Patient).toEqual({ maritalStatus: null, photo: null, multipleBirthInteger: null });
    });

    it('keep the digits of decimals', async () => {
      const text = '{"resourceType":"Observation","id":"exact","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.00},"component":[{"code":{"text":"y"},"valueQuantity":{"value":12345678901234567890.10}}]}'; // prettier-ignore
      await load('system', release, [{ type: 'Observation', id: 'exact', text }]);
      const answer = await send(
        '{ Observation(id: "exact") { valueQuantity { value } component { valueQuantity { value } } } }',
      );
      expect(answer.text).toContain(
        '{"valueQuantity":{"value":1.00},"component":[{"valueQuantity":{"value":12345678901234567890.10}}]}',
      );
    });

    it('of a list are narrowed by the values of their elements, by number and by place', async () => {
      const { Patient } = await data(`{ Patient(id: "example") {
        official: name(use: official) { family }
        text: name(use: "usual") { given }
        given: name(given: "Jim") { use }
        two: telecom(_offset: 1, _count: 2) { rank }
        phone: telecom(system: phone, _count: 1) { value }
        rank: telecom(rank: 2) { use }
        first: name(_count: 1) { given(_offset: 1) }
        none: name(use: temp) { family }
        address { line(_count: 1) }
      } }`);
      expect(Patient).toEqual({
        official: [{ family: 'Chalmers' }],
        text: [{ given: ['Jim'] }],
        given: [{ use: 'usual' }],
        two: [{ rank: 1 }, { rank: 2 }],
        phone: [{ value: '(03) 5555 6473' }],
        rank: [{ use: 'mobile' }],
        first: [{ given: ['James'] }],
        none: [],
        address: [{ line: ['534 Erewhon St'] }],
      });
    });

    it('of a list are narrowed by FHIRPath, which is refused where it makes no sense or takes too much', async () => {
      const { Patient } = await data(`{ Patient(id: "example") {
        name(fhirpath: "given.count() = 1") { use }
        contact(fhirpath: "relationship.coding.where(code = 'N').exists()") { gender }
        both: telecom(system: phone, fhirpath: "rank > 1") { use }
        none: contact(fhirpath: "period.start > @2020") { gender }
        first: name(fhirpath: "family.exists()", _offset: 1, _count: 1) { use given(fhirpath: "length() > 5") }
        extension(fhirpath: "url.startsWith('http')") { url }
      } }`);
      expect(Patient).toEqual({
        name: [{ use: 'usual' }],
        contact: [{ gender: 'female' }],
        both: [{ use: 'mobile' }],
        none: [],
        first: [{ use: 'maiden', given: [] }],
        extension: null,
      });
      let endless = '1';
      for (let loop = 0; loop < 8; loop++) endless = `(1|2|3|4|5|6|7|8|9).select(${endless})`;
      for (const [expression, code] of [
        ['family.', 'value'],
        ['nonsense()', 'value'],
        [`${endless}.exists()`, 'too-costly'],
      ] as const) {
        const { errors, found } = await send(
          `query($e: String) { Patient(id: "example") { name(fhirpath: $e) { use } } }`,
          { e: expression },
        );
        expect([expression, found.Patient, errors[0]?.extensions.code]).toEqual([
          expression,
          { name: null },
          code,
        ]);
      }
    });

    it('that are resources show their own fields, and those of any resource', async () => {
      const [container] = readExamples(release).filter(
        ({ type, text }) => type === 'Encounter' && text.includes('"contained"'),
      );
      const { Encounter } = await data(
        `{ Encounter(id: "${container!.id}") { contained { __typename resourceType id json ... on Location { description } } } }`,
      );
      const [contained] = (await get(`Encounter/${container!.id}`)).contained;
      const { description, id } = contained;
      expect(Encounter.contained).toEqual([
        { __typename: 'Location', resourceType: 'Location', id, description, json: contained },
      ]);
    });
  });

  describe('references', () => {
    it('lead to the resource, of any type or of one', async () => {
      const { Observation } = await data(`{ Observation(id: "example") {
        subject { reference resource { __typename id resourceType ... on Patient { birthDate } } }
        encounter { resource { ... on Encounter { status subject { resource { id } } } } }
        patient: subject { resource(type: Patient) { id } }
        group: subject { resource(type: Group) { id } }
      } }`);
      expect(Observation).toEqual({
        subject: {
          reference: 'Patient/example',
          resource: {
            __typename: 'Patient',
            id: 'example',
            resourceType: 'Patient',
            birthDate: '1974-12-25',
          },
        },
        encounter: { resource: { status: 'in-progress', subject: { resource: { id: 'example' } } } },
        patient: { resource: { id: 'example' } },
        group: { resource: null },
      });
    });

    it('to contained resources lead into the container, and # to it', async () => {
      const observation = {
        resourceType: 'Observation',
        id: 'containing',
        status: 'final',
        contained: [
          { resourceType: 'Patient', id: 'p', managingOrganization: { reference: '#o' } },
          { resourceType: 'Organization', id: 'o', name: 'Inside' },
        ],
        code: { text: 'x' },
        subject: { reference: '#p' },
      };
      const organization = {
        resourceType: 'Organization',
        id: 'containing',
        contained: [{ resourceType: 'Organization', id: 'o', name: 'Whole', partOf: { reference: '#' } }],
        name: 'Part',
        partOf: { reference: '#o' },
      };
      for (const resource of [observation, organization])
        await load('system', release, [
          { type: resource.resourceType, id: resource.id, text: JSON.stringify(resource) },
        ]);
      const found = await data(`{
        Observation(id: "containing") {
          subject { resource { id ... on Patient { managingOrganization { resource { id ... on Organization { name } } } } } }
          other: subject { resource(type: Group) { id } }
        }
        Organization(id: "containing") {
          partOf { resource { ... on Organization { name partOf { resource { id ... on Organization { name } } } } } }
        }
      }`);
      expect(found).toEqual({
        Observation: {
          subject: { resource: { id: 'p', managingOrganization: { resource: { id: 'o', name: 'Inside' } } } },
          other: { resource: null },
        },
        Organization: {
          partOf: { resource: { name: 'Whole', partOf: { resource: { id: 'containing', name: 'Part' } } } },
        },
      });
    });

    it('to what is not there are an error, unless they are optional (check 188)', async () => {
      const text = '{"resourceType":"Observation","id":"broken","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/nobody"},"performer":[{"display":"somebody"},{"reference":"http://elsewhere.example/fhir/Patient/1"}]}'; // prettier-ignore
      await load('system', release, [{ type: 'Observation', id: 'broken', text }]);
      const answer = await send(`{ Observation(id: "broken") {
        subject { resource { id } }
        other: subject { resource(type: Group) { id } }
        optional: subject { resource(optional: true) { id } }
        performer { resource { id } }
        quiet: performer { resource(optional: true) { id } }
      } }`);
      expect(answer.status).toBe(200);
      expect(answer.found.Observation).toEqual({
        subject: { resource: null },
        other: { resource: null },
        optional: { resource: null },
        performer: [{ resource: null }, { resource: null }],
        quiet: [{ resource: null }, { resource: null }],
      });
      const told = answer.errors.map(({ path, extensions }) => [path?.join('.'), extensions.code]);
      expect(told.sort()).toEqual([
        ['Observation.performer.0.resource', 'not-found'],
        ['Observation.performer.1.resource', 'not-found'],
        ['Observation.subject.resource', 'not-found'],
      ]);
      expect(answer.text).toContain("'Patient/nobody'");
    });

    it('to a version lead to that version', async () => {
      const text = '{"resourceType":"Observation","id":"versioned","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/versioned/_history/1"}}'; // prettier-ignore
      const patient = (family: string): string =>
        `{"resourceType":"Patient","id":"versioned","name":[{"family":"${family}"}]}`;
      for (const family of ['First', 'Second'])
        await load('system', release, [{ type: 'Patient', id: 'versioned', text: patient(family) }]);
      await load('system', release, [{ type: 'Observation', id: 'versioned', text }]);
      const { Observation } = await data(
        '{ Observation(id: "versioned") { subject { resource { meta { versionId } ... on Patient { name { family } } } } } }',
      );
      expect(Observation.subject.resource).toEqual({ meta: { versionId: '1' }, name: [{ family: 'First' }] });
    });
  });

  describe('searching', () => {
    it('finds what REST finds by the same parameters, in the same order', async () => {
      for (const [args, query, type] of [
        ['name: "chalmers"', 'name=chalmers', 'Patient'],
        [
          'gender: female, _sort: "birthdate", _count: 3',
          'gender=female&_sort=birthdate&_count=3',
          'Patient',
        ],
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
        [
          'date: "ge2013-04-02", _count: 5, _offset: 2',
          'date=ge2013-04-02&_count=5&_offset=2',
          'Observation',
        ],
      ] as const) {
        const found = await data(`{ ${type}List(${args}) { id } }`);
        const { entry = [] } = await get(`${type}?${encodeURI(query).replaceAll('|', '%7C')}`);
        const expected = entry.map(({ resource }: { resource: { id: string } }) => ({ id: resource.id }));
        expect([args, found[`${type}List`]]).toEqual([args, expected]);
        expect([args, expected.length > 0]).toEqual([args, true]);
      }
    });

    it('takes arguments from variables', async () => {
      const { PatientList } = await data(
        'query($name: [String], $count: Int) { PatientList(name: $name, _count: $count) { id } }',
        { name: ['chalmers', 'windsor'], count: 1 },
      );
      expect(PatientList).toEqual([{ id: 'example' }]);
    });

    it('never leaves out matches without being told how many to give (check 184)', async () => {
      const refused = await send('{ ObservationList(status: final) { id } }');
      expect([refused.status, refused.found.ObservationList, refused.errors[0]?.extensions.code]).toEqual([
        422,
        null,
        'too-costly',
      ]);
      expect(refused.errors[0]?.message).toContain('ObservationConnection');
      const { ObservationList } = await data('{ ObservationList(status: final, _count: 7) { id } }');
      expect(ObservationList).toHaveLength(7);
    });

    it('goes through pages by a connection, each match once', async () => {
      const query = `query($cursor: String) { ObservationConnection(status: "final", _count: 20, _cursor: $cursor, _sort: "-date") {
        count offset pagesize first previous next last edges { mode score resource { id } } } }`;
      const ids: string[] = [];
      let cursor: string | null = 'first';
      let count = 0;
      while (cursor !== null) {
        const page: Json = (await data(query, { cursor })).ObservationConnection;
        count = page.count;
        expect([page.pagesize, page.first, page.previous, page.last]).toEqual([20, 'first', null, null]);
        expect(page.edges[0]).toMatchObject({ mode: 'match', score: null });
        ids.push(...page.edges.map(({ resource }: { resource: { id: string } }) => resource.id));
        cursor = page.next;
      }
      const { total, entry } = await get('Observation?status=final&_total=accurate&_count=200&_sort=-date');
      expect(ids).toEqual(entry.map(({ resource }: { resource: { id: string } }) => resource.id));
      expect(count).toBe(total);
      const counted = await data('{ ObservationConnection(status: final) { count } }');
      expect(counted).toEqual({ ObservationConnection: { count: total } });
    });

    it('finds what refers to a resource', async () => {
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
    });

    it('finds for each of many what REST finds for it alone', async () => {
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

    it('refuses a parameter that never refers to the type, and finds nothing of what is not stored', async () => {
      const refused = await send(
        '{ Patient(id: "example") { ObservationList(_reference: encounter) { id } } }',
      );
      expect([refused.found.Patient.ObservationList, refused.errors[0]?.extensions.code]).toEqual([
        null,
        'value',
      ]);
      const unknown = await send(
        '{ Patient(id: "example") { ObservationList(_reference: nothing) { id } } }',
      );
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
  });

  it('answers null for what is not there, and nothing of another tenant', async () => {
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

  it('refuses fields and arguments that there are none of, before anything runs (check 183)', async () => {
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
