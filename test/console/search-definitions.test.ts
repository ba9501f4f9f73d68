import { readCapabilities, referrersOf, type Capabilities } from '../../console/src/fhir/capabilities';
import type { ElementInfo, TypeDefinition } from '../../console/src/fhir/definitions';
import { boundValueSet } from '../../console/src/fhir/search/search-binding';
import {
  cellOf,
  columnsOf,
  columnsOfRecords,
  defaultColumns,
  LAST_UPDATED,
  mainParameters,
} from '../../console/src/fhir/search/search-columns';
import { toGraphql } from '../../console/src/fhir/search/search-graphql';
import { describeFor, joinDefinitions, pathsOf } from '../../console/src/fhir/search/search-parameters';
import { parseQuery } from '../../console/src/fhir/search/search-query';

/** `name:HumanName`, `value[x]:Quantity|string`; a `-` at the end: not in the summary. */
function makeElement(text: string, valueSet?: string): ElementInfo {
  const [name = '', types = ''] = text.replace('-', '').split(':');
  return {
    name: name.replace('[x]', ''),
    label: name,
    short: '',
    types: types.split('|'),
    isChoice: name.endsWith('[x]'),
    isSummary: !text.endsWith('-'),
    isModifier: false,
    children: [],
    ...(valueSet === undefined ? {} : { valueSet }),
  };
}

const GENDER = 'http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1';

const PATIENT: TypeDefinition = {
  type: 'Patient',
  title: 'Patient',
  elements: [
    makeElement('id:string'),
    makeElement('meta:Meta'),
    makeElement('identifier:Identifier'),
    makeElement('active:boolean'),
    makeElement('name:HumanName'),
    makeElement('telecom:ContactPoint'),
    makeElement('gender:code', GENDER),
    makeElement('birthDate:date'),
    makeElement('deceased[x]:boolean|dateTime'),
    makeElement('contact:BackboneElement-'),
    makeElement('generalPractitioner:Reference-'),
  ],
};

const OBSERVATION: TypeDefinition = {
  type: 'Observation',
  title: 'Observation',
  elements: [
    makeElement('identifier:Identifier'),
    makeElement('basedOn:Reference'),
    makeElement('status:code'),
    makeElement('category:CodeableConcept-'),
    makeElement('code:CodeableConcept'),
    makeElement('subject:Reference'),
    makeElement('effective[x]:dateTime|Period|Timing|instant'),
    makeElement('issued:instant'),
    makeElement('value[x]:Quantity|CodeableConcept|string'),
  ],
};

const STATEMENT = {
  resourceType: 'CapabilityStatement',
  rest: [
    {
      resource: [
        {
          type: 'Patient',
          interaction: [{ code: 'read' }, { code: 'create' }],
          searchInclude: ['*', 'Patient:organization'],
          searchRevInclude: ['*', 'Observation:subject', 'Observation:performer', 'Account:patient'],
          searchParam: [
            { name: '_id', type: 'token' },
            { name: 'name', type: 'string', definition: 'urn:name' },
            { name: 'phonetic', type: 'string', definition: 'urn:phonetic' },
            { name: 'birthdate', type: 'date', definition: 'urn:birthdate' },
            { name: 'gender', type: 'token', definition: 'urn:gender' },
            { name: 'identifier', type: 'token', definition: 'urn:identifier' },
            { name: 'organization', type: 'reference', definition: 'urn:organization' },
            { name: 'general-practitioner', type: 'reference', definition: 'urn:gp' },
          ],
        },
        {
          type: 'Observation',
          searchParam: [
            { name: 'code', type: 'token', documentation: 'What was measured' },
            { name: 'subject', type: 'reference' },
            { name: 'date', type: 'date' },
            { name: 'status', type: 'token' },
            { name: 'identifier', type: 'token' },
            { name: 'based-on', type: 'reference' },
            { name: 'value-quantity', type: 'quantity' },
            { name: 'value-string', type: 'string' },
            { name: 'combo-code', type: 'token' },
          ],
        },
      ],
    },
  ],
};

const capabilities: Capabilities = readCapabilities(STATEMENT);

function listed(type: string): ReturnType<typeof joinDefinitions> {
  const expressions: Readonly<Record<string, string>> = {
    name: 'Patient.name',
    phonetic: 'Patient.name',
    birthdate: 'Patient.birthDate | Person.birthDate',
    gender: 'Patient.gender',
    organization: 'Patient.managingOrganization',
    'general-practitioner': 'Patient.generalPractitioner',
    code: 'Observation.code',
    subject: 'Observation.subject',
    date: 'Observation.effective',
    status: 'Observation.status',
    identifier: `${type}.identifier`,
    'based-on': 'Observation.basedOn',
    'value-quantity': '(Observation.value as Quantity) | (Observation.value as SampledData)',
    'value-string': '(Observation.value as string)',
    'combo-code': 'Observation.code | Observation.component.code',
  };
  const entry = Object.entries(expressions).map(([code, expression]) => ({
    resource: { code, expression, target: code === 'subject' ? ['Patient', 'Device'] : [] },
  }));
  return joinDefinitions(type, capabilities.get(type)?.parameters ?? [], { entry });
}

describe('The search parameters of a type', () => {
  it('search the elements that their expressions name', () => {
    expect(
      pathsOf('(Observation.value as Quantity) | (Observation.value as SampledData)', 'Observation'),
    ).toEqual(['Observation.value']);
    expect(pathsOf('AllergyIntolerance.code | Condition.code', 'Condition')).toEqual(['Condition.code']);
    expect(pathsOf("Patient.telecom.where(system='phone')", 'Patient')).toEqual(['Patient.telecom']);
    expect(pathsOf('MedicationRequest.medication.as(Reference)', 'MedicationRequest')).toEqual([
      'MedicationRequest.medication',
    ]);
    expect(pathsOf('Resource.id', 'Patient')).toEqual([]);
  });

  it('are described for this type only', () => {
    const text =
      'Multiple Resources: \r\n\r\n* [Condition](condition.html): Code for the condition\r\n* [List](list.html): Purpose';
    expect(describeFor('Condition', text)).toBe('Code for the condition');
    expect(describeFor('Patient', 'The name')).toBe('The name');
  });

  it('are there without their definitions too, which a person may not be allowed to read', () => {
    const [first] = joinDefinitions('Patient', capabilities.get('Patient')?.parameters ?? [], undefined);
    expect(first).toMatchObject({ code: '_id', type: 'token', targets: [], paths: [] });
  });

  it('of other types that refer to it are known', () => {
    const patient = capabilities.get('Patient');
    expect(patient && [...referrersOf(patient)]).toEqual([
      ['Observation', ['subject', 'performer']],
      ['Account', ['patient']],
    ]);
  });

  it('have the value set of their element', () => {
    const gender = listed('Patient').find(({ code }) => code === 'gender');
    const name = listed('Patient').find(({ code }) => code === 'name');
    expect(gender && boundValueSet(PATIENT, gender)).toBe(GENDER);
    expect(name && boundValueSet(PATIENT, name)).toBeUndefined();
    expect(gender && boundValueSet(undefined, gender)).toBeUndefined();
  });
});

describe('The table of a type', () => {
  it('begins with what a reader of patients needs', () => {
    expect(defaultColumns(PATIENT, listed('Patient'))).toEqual(['name', 'birthDate', 'gender', 'identifier']);
    expect(mainParameters(PATIENT, listed('Patient'), 3).map(({ code }) => code)).toEqual([
      'name',
      'birthdate',
      'gender',
    ]);
  });

  it('begins with what a reader of observations needs', () => {
    expect(defaultColumns(OBSERVATION, listed('Observation'))).toEqual([
      'code',
      'value',
      'effective',
      'subject',
      'status',
    ]);
    expect(mainParameters(OBSERVATION, listed('Observation'), 3).map(({ code }) => code)).toEqual([
      'code',
      'date',
      'subject',
    ]);
  });

  it('can have a column for each element with a short text, and sort by those that the server can sort by', () => {
    const columns = columnsOf(PATIENT, listed('Patient'));
    expect(columns.map(({ name, sortedBy }) => [name, sortedBy])).toEqual([
      ['identifier', 'identifier'],
      ['active', undefined],
      ['name', 'name'],
      ['telecom', undefined],
      ['gender', 'gender'],
      ['birthDate', 'birthdate'],
      ['deceased', undefined],
      ['generalPractitioner', 'general-practitioner'],
      [LAST_UPDATED, '_lastUpdated'],
    ]);
  });

  it('shows the elements that the records have where there is no definition', () => {
    const records = [
      { resourceType: 'Patient', id: '1', meta: {}, active: true, _active: {} },
      { gender: 'male' },
    ];
    expect(columnsOfRecords(records).map(({ name }) => name)).toEqual(['active', 'gender']);
    expect(mainParameters(undefined, listed('Patient'), 3).map(({ code }) => code)).toEqual(['_id']);
  });

  it('finds the value of an element with a choice of types', () => {
    const column = { name: 'value', types: ['Quantity', 'string'], isChoice: true };
    expect(cellOf({ valueString: 'high' }, column)).toEqual({ value: 'high', type: 'string' });
    expect(cellOf({}, column)).toEqual({ value: undefined, type: undefined });
  });

  it('shows the values of components with their names and units', () => {
    const column = { name: 'value', types: ['Quantity', 'string'], isChoice: true };
    const part = (text: string, value: number) => ({
      code: { text },
      valueQuantity: { value, unit: 'mmHg' },
    });
    const pressure = {
      resourceType: 'Observation',
      component: [part('Systolic', 120), part('Diastolic', 80)],
    };
    expect(cellOf(pressure, column).value).toBe('Systolic 120 mmHg, Diastolic 80 mmHg');
  });

  it('shows when a record has changed', () => {
    const column = { name: LAST_UPDATED, types: ['instant'], isChoice: false };
    expect(cellOf({ meta: { lastUpdated: '2020-01-01T00:00:00Z' } }, column).value).toBe(
      '2020-01-01T00:00:00Z',
    );
    expect(cellOf({}, column).value).toBeUndefined();
  });
});

describe('The GraphQL document of a search', () => {
  function documentOf(type: string, query: string): string {
    const definition = type === 'Patient' ? PATIENT : OBSERVATION;
    const columns = columnsOf(definition, listed(type));
    const document = toGraphql(parseQuery(query), { type, columns, capabilities, first: 20 });
    return document.replaceAll(/\s+/g, ' ');
  }

  it.each([
    ['Patient', 'name=a', 'where: { Patient: { name: { startsWith: "a" } } }'],
    ['Patient', 'name:exact=a,b%5C,c', 'name: { exact: ["a", "b,c"] }'],
    ['Patient', 'name:missing=true', 'name: { missing: true }'],
    ['Patient', 'birthdate=ge1970&birthdate=lt1980', 'birthdate: [{ ge: "1970" }, { lt: "1980" }]'],
    ['Patient', 'general-practitioner=Practitioner/1', 'general_practitioner: { eq: "Practitioner/1" }'],
    ['Observation', 'code:not-in=http://a', 'code: { notIn: "http://a" }'],
    ['Observation', 'code=http://loinc.org|1-2', 'code: { eq: "http://loinc.org|1-2" }'],
    ['Observation', 'value-quantity=gt5.40||mg', 'value_quantity: { gt: "5.40||mg" }'],
    ['Observation', 'subject:Patient=1', 'subject: { eq: "Patient/1" }'],
    ['Observation', 'subject:Patient.name=a', 'subject: { Patient: { name: { startsWith: "a" } } }'],
    [
      'Patient',
      '_has:Observation:subject:code=a',
      '_has: { Observation: { subject: { code: { eq: "a" } } } }',
    ],
  ])('has typed conditions for %s?%s', (type, query, words) => {
    const document = documentOf(type, query);
    expect(document).toContain(words);
    expect(document).not.toContain('query:');
  });

  it('has the query string for what typed conditions cannot say', () => {
    expect(documentOf('Patient', 'birthdate=ge1970,lt1960')).toContain('query: "birthdate=ge1970,lt1960"');
    expect(documentOf('Observation', 'subject.name=a&code=b')).toContain(
      'where: { Observation: { code: { eq: "b" } } } query: "subject.name=a"',
    );
    expect(documentOf('Patient', 'name=a&_sort=-birthdate&_include=Patient:organization&_count=5')).toContain(
      'query: "_include=Patient:organization&_sort=-birthdate"',
    );
  });

  it('selects the columns of the table, and continues where the page begins', () => {
    const document = documentOf('Observation', '_cursor=abc');
    expect(document).toContain('type: Observation');
    expect(document).toContain('after: "abc"');
    expect(document).toContain('effectivePeriod { start end }');
    expect(document).toContain('valueQuantity { value comparator unit }');
  });
});
