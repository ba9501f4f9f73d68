/**
 * Sentences of HL7's page (http://hl7.org/fhir/R4/graphql.html) over the official examples of both releases: those that no
 * other test has. docs/use/graphql-hl7.md lists all of them.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { gatewayPath } from './gateway-client';
import { readExamples } from '../support/examples';
import { load, type Json } from './official-data';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer('structure');
});
afterAll(() => server.close());

const PATIENT = 'Patient/example';
const LIST = 'List/long';
/** All requested resources except observations, of which there are more than in a list. */
const NAMED = [PATIENT, 'Patient/f001', 'Condition/example', LIST];

/** A sentence, its request to the server or to a resource, and the answer. */
type Sentence = readonly [sentence: string, of: string, query: string, data: object];

const ANSWERED: readonly Sentence[] = [
  [
    'any field that FHIR defines can be selected',
    PATIENT,
    '{ name { text given family } }',
    { name: [{ text: null, given: ['Peter', 'James'], family: 'Chalmers' }, { text: null, given: ['Jim'], family: null }, { text: null, given: ['Peter', 'James'], family: 'Windsor' }] },
  ],
  [
    'a choice has the names that it has in JSON',
    'Observation/example',
    '{ valueQuantity { value unit } }',
    { valueQuantity: { value: 185, unit: 'lbs' } },
  ],
  [
    'extensions of a primitive stand below its name with an underscore',
    PATIENT,
    '{ birthDate _birthDate { extension { valueDateTime } } }',
    { birthDate: '1974-12-25', _birthDate: { extension: [{ valueDateTime: '1974-12-25T14:35:45-05:00' }] } },
  ],
  [
    'a FHIRPath statement selects which of the elements are included',
    PATIENT,
    '{ name(fhirpath: "family.exists()") { text given family } }',
    { name: [{ text: null, given: ['Peter', 'James'], family: 'Chalmers' }, { text: null, given: ['Peter', 'James'], family: 'Windsor' }] },
  ],
  [
    'the value of a sub-element selects which are included',
    PATIENT,
    '{ name(use: official) { text given family } }',
    { name: [{ text: null, given: ['Peter', 'James'], family: 'Chalmers' }] },
  ],
  [
    'extensions are selected by their url, under a name of the client',
    PATIENT,
    '{ contact { name { _family { myext: extension(url: "http://hl7.org/fhir/StructureDefinition/humanname-own-prefix") { value: valueString } none: extension(url: "http://myextension.url/details") { url } } } } }',
    { contact: [{ name: { _family: { myext: [{ value: 'VV' }], none: [] } } }] },
  ],
  [
    'offset and count apply to the list that a filter has left',
    PATIENT,
    '{ telecom(system: phone, _offset: 1, _count: 1) { use value } }',
    { telecom: [{ use: 'mobile', value: '(03) 3410 5613' }] },
  ],
  [
    'behind the end of a list there are no more entries',
    PATIENT,
    '{ telecom(_offset: 4, _count: 5) { use } }',
    { telecom: [] },
  ],
  [
    'a Reference has the resource that it refers to, under any name',
    'Observation/example',
    '{ subject { reference, who: resource { ... on Patient { active } } } }',
    { subject: { reference: 'Patient/example', who: { active: true } } },
  ],
  [
    'types of the resource are chosen by fragments',
    'Observation/example',
    '{ id subject { reference resource { ... on Patient { birthDate } ... on Group { name } } } code { coding(_count: 1) { system code } } }',
    { id: 'example', subject: { reference: 'Patient/example', resource: { birthDate: '1974-12-25' } }, code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }] } },
  ],
  [
    'types of the resource are chosen by an argument, in which a type of another name is none',
    'Observation/example',
    '{ subject { patient: resource(type: Patient) { ... on Patient { birthDate } } other: resource(type: Practitioner) { id } } }',
    { subject: { patient: { birthDate: '1974-12-25' }, other: null } },
  ],
  ['one resource is asked for by its type and id', '', '{ Patient(id: "example") { id, active } }', { Patient: { id: 'example', active: true } }],
  [
    'a list is asked for by search parameters, hyphens as underscores',
    '',
    '{ ConditionList(clinical_status: active, patient: example, _id: ["example", "f201"]) { id } }',
    { ConditionList: [{ id: 'example' }] },
  ],
  [
    'an array of values is met by any of them',
    '',
    '{ PatientList(_id: [example, f001, "none"], _sort: "_id") { id } }',
    { PatientList: [{ id: 'example' }, { id: 'f001' }] },
  ],
  [
    'the AND of criteria, chains and modifiers can be written as _filter',
    '',
    '{ PatientList(_filter: "family eq Chalmers and given eq Jim") { id } }',
    { PatientList: [{ id: 'example' }] },
  ],
  [
    'fhirpath is looked at on all possible matches',
    '',
    `{ PatientList(_id: [example, f001], fhirpath: "name.where(use = 'maiden').exists()") { id } }`,
    { PatientList: [{ id: 'example' }] },
  ],
  [
    'a connection tells about the search and has an edge for each match',
    '',
    '{ ConditionConnection(clinical_status: active, patient: example, _id: example) { count offset pagesize edges { mode resource { id } } next previous } }',
    { ConditionConnection: { count: 1, offset: 0, pagesize: 50, edges: [{ mode: 'match', resource: { id: 'example' } }], next: null, previous: null } },
  ],
  [
    'fhirpath on a connection is looked at behind the page, which may be empty',
    '',
    '{ PatientConnection(_id: [example, f001], _sort: "_id", _count: 1, fhirpath: "false") { count edges { resource { id } } } }',
    { PatientConnection: { count: 2, edges: [] } },
  ],
  [
    'what refers to a resource stands on it, by the search parameter that leads here',
    PATIENT,
    '{ name(use: official) { family } ConditionList(_reference: patient, clinical_status: active, code: "http://snomed.info/sct|39065001") { id } }',
    { name: [{ family: 'Chalmers' }], ConditionList: [{ id: 'example' }] },
  ],
  [
    'what refers to a resource comes as a connection too',
    PATIENT,
    '{ ConditionConnection(_reference: patient, code: "http://snomed.info/sct|39065001") { count offset pagesize edges { mode resource { resourceType id } } } }',
    { ConditionConnection: { count: 1, offset: 0, pagesize: 50, edges: [{ mode: 'match', resource: { resourceType: 'Condition', id: 'example' } }] } },
  ],
  [
    '@skip and @include choose by variables',
    PATIENT,
    'query($a: Boolean = true, $b: Boolean = false) { id @skip(if: $a) active @include(if: $a) gender @include(if: $b) birthDate @skip(if: $b) }',
    { active: true, birthDate: '1974-12-25' },
  ],
]; // prettier-ignore

/** Refused requests, with their statuses: `errors`, and 200 if there is `data`, whose fields may be null. */
const REFUSED: readonly (readonly [sentence: string, of: string, query: string, status: number])[] = [
  ['fields that are not valid', PATIENT, '{ nope }', 400],
  ['arguments that are not known', '', '{ PatientList(nope: "x") { id } }', 400],
  ['types that are not known', PATIENT, '{ ... on Nope { id } }', 400],
  ['directives that are not known', PATIENT, '{ id @nope }', 400],
  ['queries that are not known', '', '{ NopeList { id } }', 400],
  ['mutations that are not known', '', 'mutation { NopeCreate(res: {}) { location } }', 400],
  ['arguments of a primitive that is no list', PATIENT, '{ birthDate(_count: 1) }', 400],
  ['_include', '', '{ PatientList(_include: "Patient:organization") { id } }', 400],
  ['_revinclude', '', '{ PatientList(_revinclude: "Observation:subject") { id } }', 400],
  ['_contained', '', '{ PatientList(_contained: "true") { id } }', 400],
  ['_containedType', '', '{ PatientList(_containedType: "contained") { id } }', 400],
  ['what refers to a resource without saying how', PATIENT, '{ ConditionList { id } }', 400],
  ['what refers to a resource by an id of its own', PATIENT, '{ ConditionList(_reference: patient, id: "example") { id } }', 400],
  ['what refers to a resource by _id', PATIENT, '{ ConditionConnection(_reference: patient, _id: "example") { count } }', 400],
  ['what was not found, where it is not optional', 'Patient/nobody', '{ id }', 404],
  ['a list that is too long to be given whole', '', '{ PatientList(_sort: "_id") { id } ObservationList { id } }', 200],
  ['an update that fails', '', 'mutation { PatientUpdate(id: "other", res: {resourceType: "Patient", id: "example"}) { resource { id } } }', 200],
  ['a create that fails', '', 'mutation { PatientCreate(res: {resourceType: "Observation"}) { location } }', 200],
]; // prettier-ignore

describe.each(TESTED_RELEASES)("sentences of HL7's page in %s", (release) => {
  const send = async (
    of: string,
    query: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; contentType: string; json: Json }> => {
    const address = `${server.path('system', release)}/${of === '' ? '' : `${of}/`}$graphql`;
    const sent = { 'content-type': 'application/graphql', ...headers };
    const answer = await server.request('POST', address, query, sent);
    return {
      status: answer.status,
      contentType: String(answer.headers['content-type']),
      json: answer.json,
    };
  };

  beforeAll(async () => {
    const examples = readExamples(release).filter(
      ({ type, id, text }) =>
        NAMED.includes(`${type}/${id}`) || (type === 'Observation' && text.length < 10_000),
    );
    await load(server, 'system', release, examples);
  });

  it.each(ANSWERED)('%s', async (_sentence, of, query, data) => {
    const { status, json } = await send(of, query);
    expect([status, json]).toEqual([200, { data }]);
  });

  it.each(REFUSED)(
    'refuses %s, with a message and an OperationOutcome with the same reason',
    async (_sentence, of, query, status) => {
      const answer = await send(of, query);
      const { errors } = answer.json;
      expect(answer.status).toBe(status);
      expect(errors.length).toBeGreaterThan(0);
      for (const { message, extensions } of errors)
        expect(extensions.resource).toMatchObject({
          resourceType: 'OperationOutcome',
          issue: [{ severity: 'error', code: extensions.code, diagnostics: message }],
        });
    },
  );

  it('offset and count return a part of a list, and the next one, to its end', async () => {
    const list = (await server.request('GET', `${server.path('system', release)}/${LIST}`)).json;
    const { length } = list.entry;
    expect(length).toBeGreaterThan(200);
    for (const offset of [5, 10, length - 2, length]) {
      const { json } = await send(LIST, `{ entry(_count: 5, _offset: ${offset}) { item { reference } } }`);
      const part = list.entry.slice(offset, offset + 5);
      expect(json.data.entry).toEqual(part.map(({ item: { reference } }: Json) => ({ item: { reference } })));
    }
  });

  it('answers application/json, for any FHIR type in Accept', async () => {
    const { contentType } = await send(PATIENT, '{ id }', { accept: 'application/fhir+json' });
    expect(contentType).toMatch(/^application\/json\b/);
  });

  it('continues by a cursor alone, and refuses one beside other parameters', async () => {
    const page = (args: string): Promise<{ status: number; json: Json }> =>
      send('', `{ PatientConnection(${args}) { first next last previous edges { resource { id } } } }`);
    const first = (await page('_id: [example, f001], _sort: "_id", _count: 1')).json.data.PatientConnection;
    const second = (await page(`_cursor: "${first.next}"`)).json.data.PatientConnection;
    expect([first, second].map(({ edges }) => edges[0].resource.id)).toEqual(['example', 'f001']);
    const back = (await page(`_cursor: "${second.previous}"`)).json.data.PatientConnection;
    expect(back.edges).toEqual(first.edges);
    const other = await page(`_cursor: "${first.next}", active: true`);
    expect(other.json.errors[0].extensions).toMatchObject({ status: 400, code: 'value' });
  });

  it('overwrites the id of a created resource', async () => {
    const { json } = await send(
      '',
      'mutation { PatientCreate(res: {resourceType: "Patient", id: "mine"}) { location resource { id } } }',
    );
    const { location, resource } = json.data.PatientCreate;
    expect(resource.id).not.toBe('mine');
    expect(location).toContain(resource.id);
    expect((await send('', '{ Patient(id: "mine") { id } }')).json.data).toEqual({ Patient: null });
  });

  it('refuses _graphql on other operations, which is not supported', async () => {
    const address = `${server.path('system', release)}/Patient/$validate?_graphql={issue{code}}`;
    expect((await server.request('GET', address)).status).toBe(400);
  });

  it('has a field or an argument for each entry of the CapabilityStatement', async () => {
    const capabilities = (await server.request('GET', `${server.path('system', release)}/metadata`)).json;
    const { bytes } = await server.request(
      'GET',
      `${gatewayPath(server.tenant('system'), release)}/schema.json`,
      undefined,
      {
        'accept-encoding': 'gzip',
      },
    );
    const { data } = JSON.parse(gunzipSync(bytes).toString());
    const fieldsOf = (name: string): Map<string, Json> => {
      const type = data.__schema.types.find((each: Json) => each.name === name);
      return new Map(type.fields.map((field: Json) => [field.name, field]));
    };
    const [queries, changes] = [fieldsOf('Query'), fieldsOf('Mutation')];
    const FIELDS: Readonly<Record<string, (type: string) => boolean>> = {
      read: (type) => queries.has(type),
      'search-type': (type) => queries.has(`${type}List`) && queries.has(`${type}Connection`),
      create: (type) => changes.has(`${type}Create`),
      update: (type) => changes.has(`${type}Update`),
      patch: (type) => changes.has(`${type}Patch`),
      delete: (type) => changes.has(`${type}Delete`),
    };
    const missing: string[] = [];
    for (const { type, interaction, searchParam = [] } of capabilities.rest[0].resource) {
      for (const { code } of interaction) if (FIELDS[code]?.(type) === false) missing.push(`${type} ${code}`);
      const args = new Set(queries.get(`${type}List`).args.map(({ name }: Json) => name));
      for (const { name } of searchParam)
        if (!args.has(name.replaceAll('-', '_'))) missing.push(`${type} ${name}`);
    }
    expect(missing).toEqual([]);
  });
});

it('every test that docs/use/graphql-hl7.md names exists', () => {
  const folder = path.resolve(__dirname, '..', '..');
  const page = readFileSync(path.join(folder, 'docs', 'use', 'graphql-hl7.md'), 'utf8');
  const named = [...page.matchAll(/`(test\/\S+?\.ts)`: ([^|]+?) *\|/g)];
  expect(named.length).toBeGreaterThan(60);
  for (const [, file = '', titles = ''] of named) {
    const source = readFileSync(path.join(folder, file), 'utf8').replaceAll("\\'", "'");
    for (const title of titles.split(' · '))
      expect([file, title, source.includes(title)]).toEqual([file, title, true]);
  }
});
