import { parseJson, type JsonObject } from '../../console/src/api/json';
import { columnsOf } from '../../console/src/fhir/group-table';
import { headlineOf } from '../../console/src/fhir/headline';
import { humanize } from '../../console/src/fhir/humanize';
import { membersOf } from '../../console/src/fhir/members';
import { parseDefinition, type ElementInfo } from '../../console/src/fhir/parse-definition';
import { parseReference } from '../../console/src/fhir/reference';
import { referencesIn } from '../../console/src/fhir/references-in';
import { conveyed } from '../../console/src/fhir/conveyed';
import { choiceMember } from '../../console/src/fhir/choice';
import { extensionType } from '../../console/src/fhir/extension';
import { readBaseResources } from '../../src/core/fhir/definitions';

const json = (text: string): JsonObject => parseJson(text) as JsonObject;

function element(path: string, types: readonly string[], more: object = {}): object {
  return { path, short: `About ${path}`, type: types.map((code) => ({ code })), ...more };
}

function define(type: string, elements: readonly object[]): readonly ElementInfo[] {
  const definition = {
    resourceType: 'StructureDefinition',
    type,
    name: type,
    snapshot: { element: elements },
  };
  return parseDefinition(json(JSON.stringify(definition))).elements;
}

const OBSERVATION = define('Observation', [
  { path: 'Observation' },
  element('Observation.status', ['code'], { isSummary: true, isModifier: true }),
  element('Observation.value[x]', ['Quantity', 'string', 'dateTime'], { isSummary: true }),
  element('Observation.referenceRange', ['BackboneElement']),
  element('Observation.referenceRange.low', ['Quantity']),
  element('Observation.component', ['BackboneElement']),
  element('Observation.component.value[x]', ['Quantity']),
  { path: 'Observation.component.referenceRange', contentReference: '#Observation.referenceRange' },
]);

describe('A definition', () => {
  it('says in which order the members of a record are read, with their labels and types', () => {
    const members = membersOf(
      json('{"valueQuantity": {"value": 1.50}, "status": "final", "mood": "good"}'),
      OBSERVATION,
    );
    expect(members.map(({ label, type, short }) => [label, type, short])).toEqual([
      ['Status', 'code', 'About Observation.status'],
      ['Value', 'Quantity', 'About Observation.value[x]'],
      ['Mood', undefined, ''],
    ]);
  });

  it('gives an element that has the content of another one the elements of that one', () => {
    const component = OBSERVATION.find(({ name }) => name === 'component');
    const range = component?.children.find(({ name }) => name === 'referenceRange');
    expect(range?.children.map(({ name }) => name)).toEqual(['low']);
  });
});

describe('The members of a record', () => {
  it('have the extensions of simple values beside their values, also where a value is absent', () => {
    const [given] = membersOf(json('{"given": ["Anna", null], "_given": [null, {"id": "second"}]}'), []);
    expect(given?.items).toEqual([
      { value: 'Anna', more: undefined },
      { value: undefined, more: { id: 'second' } },
    ]);
    const [birth] = membersOf(json('{"_birthDate": {"extension": [{"url": "http://a/b"}]}}'), []);
    expect([birth?.label, birth?.items[0]?.more]).toEqual([
      'Birth date',
      { extension: [{ url: 'http://a/b' }] },
    ]);
  });

  it('are all shown without a definition, under words made from their names', () => {
    const patient = json(
      '{"multipleBirthBoolean": true, "photo": [{"contentType": "image/png"}], "x": {"y": 1}}',
    );
    expect(membersOf(patient, []).map(({ label, type }) => [label, type])).toEqual([
      ['Multiple birth boolean', undefined],
      ['Photo', 'Attachment'],
      ['X', undefined],
    ]);
    expect(humanize('instantiatesUri')).toBe('Instantiates URI');
  });

  it('that a short text does not say are shown beside it', () => {
    const name = json('{"use": "maiden", "family": "Windsor", "period": {"end": "2002"}}');
    const said = conveyed('HumanName', name);
    expect(Object.keys(name).filter((each) => said?.has(each) !== true)).toEqual(['use', 'period']);
    expect(conveyed('SampledData', json('{"data": "1 2"}'))).toBeUndefined();
  });

  it('make a table where a group repeats with short values, and none where a value is long or has extensions', () => {
    const rows = (text: string): readonly string[] | undefined =>
      columnsOf([json('{"code": "a"}'), json(text)], [])?.map(({ name }) => name);
    expect(rows('{"code": "b", "preferred": true}')).toEqual(['code', 'preferred']);
    expect(rows(`{"code": "${'b'.repeat(200)}"}`)).toBeUndefined();
    expect(rows('{"code": "b", "extension": [{"url": "http://a"}]}')).toBeUndefined();
    expect(columnsOf([json('{"code": "a"}')], [])).toBeUndefined();
  });

  it('of an extension have the type that their name says', () => {
    const extension = json('{"url": "http://a", "valueDateTime": "2020-01-01"}');
    expect(choiceMember(extension, 'value')).toBe('valueDateTime');
    expect(extensionType('valueDateTime', '2020-01-01')).toBe('dateTime');
    expect(extensionType('valueCoding', json('{}'))).toBe('Coding');
  });
});

describe('The title of a record', () => {
  it('is its name, title or code', () => {
    expect(headlineOf(json('{"resourceType": "Patient", "id": "1", "name": [{"family": "Doe"}]}'))).toBe(
      'Doe',
    );
    const document = { resourceType: 'DocumentReference', id: '1', type: { text: 'Letter' } };
    const content = [{ attachment: { title: 'letter.txt' } }];
    const named = (more: object) => headlineOf(json(JSON.stringify({ ...document, ...more })));
    expect([named({}), named({ content }), named({ content, description: 'Letter of May' })]).toEqual([
      ...['Letter', 'letter.txt', 'Letter of May'],
    ]);
    expect(headlineOf(json('{"resourceType": "Condition", "id": "1", "code": {"text": "Asthma"}}'))).toBe(
      'Asthma',
    );
  });

  it('is else what its definition says first, and not its state', () => {
    const elements = define('Encounter', [
      { path: 'Encounter' },
      element('Encounter.priorState', ['CodeableConcept'], { isSummary: true, isModifier: true }),
      element('Encounter.class', ['Coding'], { isSummary: true }),
      element('Encounter.type', ['CodeableConcept'], { isSummary: true }),
    ]);
    const encounter = json(
      '{"resourceType": "Encounter", "id": "1", "priorState": {"text": "open"}, "class": {"code": "AMB"}, "type": [{"text": "Check up"}]}',
    );
    expect(headlineOf(encounter, { type: 'Encounter', title: 'Encounter', elements })).toBe('Check up');
  });

  it('is the medication also where a reference leads to it', () => {
    const request = json(
      '{"resourceType": "MedicationRequest", "id": "1", "medicationReference": {"reference": "#m"}, "contained": [{"resourceType": "Medication", "id": "m", "code": {"text": "Oxycodone"}}], "performerType": {"text": "Nurse"}}',
    );
    expect(headlineOf(request)).toBe('Oxycodone');
  });

  it('is absent where nothing names the record', () => {
    expect(headlineOf(json('{"resourceType": "Provenance", "id": "1", "status": "x"}'))).toBeUndefined();
  });
});

describe('A reference', () => {
  const ROOT = 'http://localhost:3000/w/acme/api/v1/fhir/r4';

  it('leads to a record of the tenant, with or without the address of the server', () => {
    const record = { kind: 'record', type: 'Patient', id: '1' };
    expect(parseReference('Patient/1', ROOT)).toEqual(record);
    expect(parseReference(`${ROOT}/Patient/1`, ROOT)).toEqual(record);
    expect(parseReference('Patient/1/_history/2', ROOT)).toEqual({ ...record, versionId: '2' });
  });

  it('leads elsewhere, into the record itself, or nowhere', () => {
    expect(parseReference('#med', ROOT)).toEqual({ kind: 'contained', id: 'med' });
    expect(parseReference('https://example.org/Patient/1', ROOT).kind).toBe('external');
    expect(parseReference('javascript:alert(1)', ROOT)).toEqual({ kind: 'words' });
    expect(parseReference('urn:uuid:1', ROOT)).toEqual({ kind: 'words' });
  });

  it('is found in every place of a record but the metadata of the server', () => {
    const found = referencesIn(
      json(
        '{"meta": {"extension": [{"valueReference": {"reference": "Practitioner/9"}}]}, "subject": {"reference": "Patient/1"}, "participant": [{"actor": {"reference": "Practitioner/2"}}, {"actor": {"reference": "#in"}}]}',
      ),
    );
    expect(found.map(({ path, label }) => [path, label])).toEqual([
      ['subject', 'Subject'],
      ['participant.actor', 'Participant · Actor'],
    ]);
  });
});

describe('The definition of Observation on this server', () => {
  const base = [...readBaseResources('r4')].find(
    ({ type, text }) => type === 'StructureDefinition' && text.includes('"id":"Observation"'),
  );
  const { elements } = parseDefinition(json(base?.text ?? ''));

  it('has the elements of a component, and the reference range of the observation in it', () => {
    const component = elements.find(({ name }) => name === 'component');
    const range = component?.children.find(({ name }) => name === 'referenceRange');
    expect(range?.children.map(({ name }) => name)).toEqual(expect.arrayContaining(['low', 'high', 'text']));
  });

  it('tells the type of a value with a choice of types', () => {
    const [value] = membersOf(json('{"valueCodeableConcept": {"text": "A"}}'), elements);
    expect([value?.label, value?.type]).toEqual(['Value', 'CodeableConcept']);
  });
});
