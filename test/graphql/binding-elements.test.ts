/**
 * HL7's binding for the content of a resource and its references (http://hl7.org/fhir/R4/graphql.html), over the
 * official examples.
 */
import { readExamples } from '../support/examples';
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { createSender, type SendQuery } from './gateway-client';
import { createQuerySender, load, loadExamples, type Json } from './official-data';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer('structure');
});
afterAll(() => server.close());

const TYPES = ['Patient', 'Organization', 'Practitioner', 'Observation', 'Encounter'];

describe.each(TESTED_RELEASES)('the elements of resources of %s', (release) => {
  let send: SendQuery;
  const get = async (path: string): Promise<Json> =>
    (await server.request('GET', `${server.path('system', release)}/${path}`)).json;
  const data = createQuerySender(() => send);

  beforeAll(async () => {
    send = createSender(server, 'system', release);
    await loadExamples(server, release, TYPES);
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

    it('are null where the resource has none, even if they are required', async () => {
      const { Patient } = await data(
        '{ Patient(id: "animal") { maritalStatus { text } photo { url } multipleBirthInteger } }',
      );
      expect(Patient).toEqual({ maritalStatus: null, photo: null, multipleBirthInteger: null });
    });

    it('keep the digits of decimals', async () => {
      const text = '{"resourceType":"Observation","id":"exact","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.00},"component":[{"code":{"text":"y"},"valueQuantity":{"value":12345678901234567890.10}}]}'; // prettier-ignore
      await load(server, 'system', release, [{ type: 'Observation', id: 'exact', text }]);
      const answer = await send(
        '{ Observation(id: "exact") { valueQuantity { value } component { valueQuantity { value } } } }',
      );
      expect(answer.text).toContain(
        '{"valueQuantity":{"value":1.00},"component":[{"valueQuantity":{"value":12345678901234567890.10}}]}',
      );
    });

    it('of a list are filtered by the values of their elements, by number and by position', async () => {
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

    it('of a list are filtered by FHIRPath, which is refused where it is invalid or takes too long', async () => {
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
        await load(server, 'system', release, [
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

    it('to a missing resource are an error, unless they are optional', async () => {
      const text = '{"resourceType":"Observation","id":"broken","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/nobody"},"performer":[{"display":"somebody"},{"reference":"http://elsewhere.example/fhir/Patient/1"}]}'; // prettier-ignore
      await load(server, 'system', release, [{ type: 'Observation', id: 'broken', text }]);
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
      const reported = answer.errors.map(({ path, extensions }) => [path?.join('.'), extensions.code]);
      expect(reported.sort()).toEqual([
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
        await load(server, 'system', release, [{ type: 'Patient', id: 'versioned', text: patient(family) }]);
      await load(server, 'system', release, [{ type: 'Observation', id: 'versioned', text }]);
      const { Observation } = await data(
        '{ Observation(id: "versioned") { subject { resource { meta { versionId } ... on Patient { name { family } } } } } }',
      );
      expect(Observation.subject.resource).toEqual({ meta: { versionId: '1' }, name: [{ family: 'First' }] });
    });
  });
});
