import type { JsonObject } from '../../../src/core/fhir/json';
import { ROW_SCHEME } from '../../../src/core/search/rows/index-rows';
import { combined, hasher, index, makeExtractor, target, token } from './indexed';

const LOINC = 'http://loinc.org';

const patient: JsonObject = {
  resourceType: 'Patient',
  identifier: [
    {
      type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] },
      system: 'http://hospital.example/mrn',
      value: 'Ab-12345',
    },
    { value: 'no system' },
    { system: 'http://no.value' },
  ],
  active: true,
  name: [
    { use: 'official', family: 'Carreño Quiñones', given: ['Martha', 'Ana María'], prefix: ['Dra.'] },
    { text: 'Nena', _family: { extension: [{ url: 'http://x', valueString: 'y' }] } },
  ],
  telecom: [
    { system: 'phone', value: '+34 555 1234' },
    { system: 'email', value: 'Nena@Example.org' },
  ],
  gender: 'female',
  birthDate: '1970-03',
  address: [{ line: ['Calle Mayor, 3'], city: 'Alcalá', postalCode: '28801', country: 'ES' }],
  generalPractitioner: [{ reference: 'Practitioner/f001' }],
  managingOrganization: { reference: 'https://fhir.example/w/acme/api/v1/fhir/r4/Organization/hl7' },
  _maritalStatus: { extension: [] },
};

describe('a token parameter', () => {
  const indexed = index(patient);

  it('finds identifiers without regard to case, with and without their system', () => {
    expect(indexed.tokens('identifier')).toEqual([
      expect.objectContaining(token('http://hospital.example/mrn', 'ab-12345')),
      expect.objectContaining(token(undefined, 'no system')),
    ]);
  });

  it('finds an identifier by its type, under a number of its own', () => {
    expect(indexed.tokens('identifier', ROW_SCHEME.ofType)).toEqual([
      expect.objectContaining(combined('http://terminology.hl7.org/CodeSystem/v2-0203', 'mr', 'ab-12345')),
    ]);
  });

  it('stores codes unchanged, with the system of their required binding', () => {
    expect(indexed.tokens('gender')).toEqual([
      expect.objectContaining(token('http://hl7.org/fhir/administrative-gender', 'female')),
    ]);
    expect(indexed.tokens('active')).toEqual([expect.objectContaining(token(undefined, 'true'))]);
  });

  it('stores contact points by system and value, and separates phone numbers from e-mail addresses', () => {
    expect(indexed.tokens('telecom')).toHaveLength(2);
    expect(indexed.tokens('phone')).toEqual([expect.objectContaining(token('phone', '+34 555 1234'))]);
    expect(indexed.tokens('email')).toEqual([expect.objectContaining(token('email', 'nena@example.org'))]);
  });

  it('stores each coding of a concept, and nothing from its text', () => {
    const { tokens, isPresent } = index({
      resourceType: 'Observation',
      code: {
        coding: [
          { system: LOINC, code: '8310-5' },
          { system: 'http://snomed.info/sct', code: '386725007' },
          { display: 'x' },
        ],
        text: 'Body temperature',
      },
      method: { text: 'by hand' },
    });
    expect(tokens('code')).toEqual([
      expect.objectContaining(token(LOINC, '8310-5')),
      expect.objectContaining(token('http://snomed.info/sct', '386725007')),
    ]);
    expect(tokens('method')).toEqual([]);
    expect(isPresent('method')).toBe(true);
  });

  it('finds the value of an extension', () => {
    const { tokens } = index({
      resourceType: 'Observation',
      extension: [
        {
          url: 'http://hl7.org/fhir/StructureDefinition/observation-geneticsGene',
          valueCodeableConcept: { coding: [{ system: 'http://www.genenames.org', code: 'EGFR' }] },
        },
      ],
    });
    expect(tokens('gene-identifier')).toEqual([
      expect.objectContaining(token('http://www.genenames.org', 'egfr')),
    ]);
  });

  it('finds tags, security labels and whether a patient has died', () => {
    const { tokens } = index({
      resourceType: 'Patient',
      meta: { tag: [{ system: 'http://t', code: 'A' }], security: [{ code: 'R' }] },
      deceasedDateTime: '2015-02-14',
    });
    expect(tokens('_tag')).toEqual([expect.objectContaining(token('http://t', 'a'))]);
    expect(tokens('_security')).toEqual([expect.objectContaining(token(undefined, 'r'))]);
    expect(tokens('deceased')).toEqual([expect.objectContaining(token(undefined, 'true'))]);
  });
});

describe('a string parameter', () => {
  const { strings } = index(patient);
  const valuesOf = (code: string) =>
    strings(code).map(({ value, isWhole }) => `${value}${isWhole ? '' : ' (word)'}`);

  it('covers all parts of a name, and each further word of a family name', () => {
    expect(valuesOf('name').sort()).toEqual(
      ['carreno quinones', 'quinones (word)', 'martha', 'ana maria', 'dra', 'nena'].sort(),
    );
    expect(valuesOf('family')).toEqual(['carreno quinones', 'quinones (word)']);
    expect(valuesOf('given')).toEqual(['martha', 'ana maria']);
  });

  it('covers all parts of an address', () => {
    expect(valuesOf('address').sort()).toEqual(['28801', 'alcala', 'calle mayor 3', 'es']);
    expect(valuesOf('address-city')).toEqual(['alcala']);
  });

  it('stores a hash of the unfolded text', () => {
    expect(strings('family').map(({ exact }) => exact)).toEqual(
      Array(2).fill(hasher.short('Carreño Quiñones')),
    );
  });

  it('marks the first and the last of the whole values, each once', () => {
    const marked = strings('name');
    expect(marked.filter((row) => row.isLowest).map((row) => row.value)).toEqual(['ana maria']);
    expect(marked.filter((row) => row.isHighest).map((row) => row.value)).toEqual(['nena']);
  });

  it('is not written twice for the same text, and not for phonetic, which shares the rows of name', () => {
    const rows = index({
      resourceType: 'Patient',
      name: [{ family: 'Levin' }, { family: 'Levin', given: ['levin'] }],
    });
    expect(rows.strings('name').map(({ exact }) => exact)).toEqual([
      hasher.short('Levin'),
      hasher.short('levin'),
    ]);
    expect(rows.strings('phonetic')).toEqual([]);
    expect(rows.isPresent('phonetic')).toBe(true);
  });
});

describe('a reference parameter', () => {
  it('finds relative references and absolute ones under our own address', () => {
    const { references } = index(patient);
    expect(references('general-practitioner')).toEqual([
      expect.objectContaining(target('Practitioner', 'f001')),
    ]);
    expect(references('organization')).toEqual([expect.objectContaining(target('Organization', 'hl7'))]);
  });

  it('stores a versioned reference by its id, other servers and urns as tokens, and no contained or unknown target', () => {
    const performer = [
      'Practitioner/1/_history/2',
      'https://elsewhere.example/fhir/Practitioner/1',
      'urn:uuid:8d7d0e5c-3c9b-4b0a-9f7e-2b6d0f3c1a11',
      '#p1',
      'Wizard/1',
      'Practitioner?identifier=5',
    ].map((reference) => ({ reference }));
    const { references, tokens } = index({ resourceType: 'Observation', performer });
    expect(references('performer')).toEqual([expect.objectContaining(target('Practitioner', '1'))]);
    expect(tokens('performer')).toEqual([
      expect.objectContaining(token(undefined, 'https://elsewhere.example/fhir/Practitioner/1')),
      expect.objectContaining(token(undefined, 'urn:uuid:8d7d0e5c-3c9b-4b0a-9f7e-2b6d0f3c1a11')),
    ]);
  });

  it('finds the identifier of a reference under a number of its own', () => {
    const subject = { identifier: { system: 'http://mrn', value: 'X1' } };
    const { tokens, references, isPresent } = index({ resourceType: 'Observation', subject });
    expect(tokens('subject', ROW_SCHEME.identifier)).toEqual([
      expect.objectContaining(token('http://mrn', 'x1')),
    ]);
    expect(references('subject')).toEqual([]);
    expect(isPresent('subject')).toBe(true);
  });

  it('gives patient no rows of its own, but sets its presence bit if the subject is a patient', () => {
    const ofPatient = index({ resourceType: 'Observation', subject: { reference: 'Patient/1' } });
    const ofDevice = index({ resourceType: 'Observation', subject: { reference: 'Device/1' } });
    const ofContained = index({
      resourceType: 'Observation',
      contained: [{ resourceType: 'Patient', id: 'p' }],
      subject: { reference: '#p' },
    });
    expect(ofPatient.references('subject')).toHaveLength(1);
    expect(ofPatient.references('patient')).toEqual([]);
    expect([ofPatient, ofDevice, ofContained].map(({ isPresent }) => isPresent('patient'))).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('splits a canonical reference into url and version', () => {
    const { uris } = index({
      resourceType: 'QuestionnaireResponse',
      questionnaire: 'http://forms.example/q|1.2#top',
    });
    expect(uris('questionnaire')).toEqual([['http://forms.example/q', '1.2']]);
  });
});

describe('a uri parameter', () => {
  it('stores uris unchanged, and splits profiles', () => {
    const { uris } = index({
      resourceType: 'ValueSet',
      meta: {
        profile: ['http://hl7.org/fhir/StructureDefinition/vitalsigns|4.0.1', 'http://p'],
        source: 'urn:Source#1',
      },
      url: 'http://Example.org/ValueSet/A',
    });
    expect(uris('url')).toEqual([['http://Example.org/ValueSet/A', '']]);
    expect(uris('_profile')).toEqual([
      ['http://hl7.org/fhir/StructureDefinition/vitalsigns', '4.0.1'],
      ['http://p', ''],
    ]);
    expect(uris('_source')).toEqual([['urn:Source#1', '']]);
  });

  it('is cut if it is too long for an index, and omitted if PostgreSQL cannot store it', () => {
    expect(
      index({ resourceType: 'ValueSet', url: `http://${'x'.repeat(9000)}` }).uris('url')[0]?.[0],
    ).toHaveLength(500);
    expect(index({ resourceType: 'ValueSet', url: 'http://\u0000' }).uris('url')).toEqual([]);
    expect(index({ resourceType: 'ValueSet', url: 'http://\ud800' }).uris('url')).toEqual([]);
  });
});

describe('the presence bit of a parameter', () => {
  it('is unset if there are only extensions, or an id', () => {
    const { isPresent } = index({
      resourceType: 'Patient',
      name: [{ id: 'n1', extension: [{ url: 'http://x', valueString: 'unknown' }] }],
      _birthDate: { extension: [{ url: 'http://x', valueString: 'unknown' }] },
      gender: 'other',
    });
    expect(
      ['name', 'family', 'birthdate', 'gender', '_id', '_lastUpdated', 'phonetic'].map(isPresent),
    ).toEqual([false, false, false, true, true, true, false]);
  });
});

describe('a resource of a wrong shape', () => {
  it('has no rows for wrong values, and all others', () => {
    const rows = index({
      resourceType: 'Patient',
      name: 'Peter',
      identifier: { value: 5 },
      birthDate: ['1974'],
      gender: { code: 'male' },
      telecom: [null, 'x', [[]], { value: null }],
      generalPractitioner: [{ reference: 17 }, { reference: '' }],
      active: true,
    });
    expect(rows.tokens('active')).toHaveLength(1);
    expect(rows.rows.references).toEqual([]);
    expect(rows.rows.strings).toEqual([]);
  });

  it('with more values than can be indexed is refused', () => {
    const given = Array.from({ length: 101 }, (_, i) => `name ${i}`);
    expect(() =>
      makeExtractor('r4', 0, 100)('Patient', { resourceType: 'Patient', name: [{ given }] }),
    ).toThrow(expect.objectContaining({ key: 'tooCostly', status: 422 }));
  });
});
