import type { JsonObject } from '../../../src/core/fhir/json';
import { ROW_SCHEME } from '../../../src/core/search/index-rows';
import { combined, hasher, index, makeExtractor, qualifier, target, token } from './indexed';

const LOINC = 'http://loinc.org';
const UCUM = 'http://unitsofmeasure.org';

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

  it('keeps codes as they are, with the system of their required binding', () => {
    expect(indexed.tokens('gender')).toEqual([
      expect.objectContaining(token('http://hl7.org/fhir/administrative-gender', 'female')),
    ]);
    expect(indexed.tokens('active')).toEqual([expect.objectContaining(token(undefined, 'true'))]);
  });

  it('knows contact points by their value alone, and phone numbers from e-mail addresses', () => {
    expect(indexed.tokens('telecom')).toHaveLength(2);
    expect(indexed.tokens('phone')).toEqual([expect.objectContaining(token(undefined, '+34 555 1234'))]);
    expect(indexed.tokens('email')).toEqual([expect.objectContaining(token(undefined, 'nena@example.org'))]);
  });

  it('takes each coding of a concept, and nothing from its text', () => {
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

  it('finds tags, security labels and whether somebody has died', () => {
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

  it('keeps a hash of the whole text as it was written', () => {
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

  it('takes a versioned reference by its id, another server and a urn as tokens, and nothing contained or unknown', () => {
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

  it('gives patient no rows beside subject, but knows whether the subject is a patient', () => {
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
  it('keeps uris as they are, and splits profiles', () => {
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

  it('is cut where it is longer than an index may hold, and left out when PostgreSQL could not store it', () => {
    expect(
      index({ resourceType: 'ValueSet', url: `http://${'x'.repeat(9000)}` }).uris('url')[0]?.[0],
    ).toHaveLength(500);
    expect(index({ resourceType: 'ValueSet', url: 'http://\u0000' }).uris('url')).toEqual([]);
    expect(index({ resourceType: 'ValueSet', url: 'http://\ud800' }).uris('url')).toEqual([]);
  });
});

describe('a date parameter', () => {
  it('holds the range of the precision, in the zone of the space where none is named', () => {
    expect(index(patient).ranges('birthdate')).toEqual([
      expect.objectContaining({
        low: Date.UTC(1970, 2),
        high: Date.UTC(1970, 3),
        isLowest: true,
        isHighest: true,
      }),
    ]);
    expect(index(patient, 'r4', 60).ranges('birthdate')[0]?.low).toBe(Date.UTC(1970, 2) - 3_600_000);
  });

  it('takes Period and Timing by their outer limits', () => {
    const period = index({
      resourceType: 'Observation',
      effectivePeriod: { start: '2013-04-02T09:30:10+01:00' },
    });
    expect(period.ranges('date')).toEqual([
      expect.objectContaining({ low: Date.UTC(2013, 3, 2, 8, 30, 10), high: Infinity }),
    ]);
    const timing = index({
      resourceType: 'Observation',
      effectiveTiming: { event: ['2013-04-02', '2013-04-05'] },
    });
    expect(timing.ranges('date')).toEqual([
      expect.objectContaining({ low: Date.UTC(2013, 3, 2), high: Date.UTC(2013, 3, 6) }),
    ]);
  });

  it('marks one lowest and one highest value', () => {
    const { ranges } = index({
      resourceType: 'Encounter',
      location: [
        { location: { reference: 'Location/1' }, period: { start: '2013-01-02', end: '2013-01-05' } },
        { location: { reference: 'Location/2' }, period: { start: '2013-01-01', end: '2013-01-03' } },
        { location: { reference: 'Location/2' }, period: { start: '2013-01-01', end: '2013-01-02' } },
      ],
    });
    const rows = ranges('location-period');
    expect(rows.map(({ isLowest, isHighest }) => [isLowest, isHighest])).toEqual([
      [false, true],
      [false, false],
      [true, false],
    ]);
  });

  it('gives the clinical sort date: the start of what the type is sorted by', () => {
    expect(index({ resourceType: 'Observation', effectiveDateTime: '2013' }).rows.sortDate).toBe(
      Date.UTC(2013),
    );
    expect(index({ resourceType: 'Encounter', period: { start: '2013-05' } }).rows.sortDate).toBe(
      Date.UTC(2013, 4),
    );
    expect(index({ resourceType: 'Encounter', period: { end: '2013-05' } }).rows.sortDate).toBeUndefined();
    expect(index({ resourceType: 'Observation' }).rows.sortDate).toBeUndefined();
    expect(
      index({ resourceType: 'Observation', effectiveInstant: '2013-01-01T00:00:00.1234567Z' }).rows.sortDate,
    ).toBe(Date.UTC(2013) + 123);
  });
});

describe('a number or quantity parameter', () => {
  const weight = (value: number | string, more: JsonObject = {}) => ({
    resourceType: 'Observation',
    valueQuantity: { value, unit: 'pounds', system: UCUM, code: '[lb_av]', ...more },
  });

  it('holds a stored decimal as a point with the hashes of its unit', () => {
    expect(index(weight(185)).ranges('value-quantity')).toEqual([
      expect.objectContaining({
        low: 185,
        high: 185,
        unitSystem: hasher.short(UCUM),
        unitCode: hasher.short('[lb_av]'),
        unitName: hasher.short('pounds'),
      }),
    ]);
    expect(index(weight('\u0001185.00')).ranges('value-quantity')[0]?.low).toBe(185);
    expect(index(weight(185, { unit: '[lb_av]' })).ranges('value-quantity')[0]?.unitName).toBe(0);
  });

  it('holds it once more in base units, under a number of its own', () => {
    const [inPounds] = index(weight(185)).ranges('value-quantity', ROW_SCHEME.canonicalUnit);
    const [inGrams] = index(weight(83914.58845, { code: 'g' })).ranges(
      'value-quantity',
      ROW_SCHEME.canonicalUnit,
    );
    expect(inPounds).toEqual({ ...inGrams });
    expect(inPounds?.unitCode).toBe(hasher.short('g'));
    expect(index(weight(1, { code: 'tablets' })).ranges('value-quantity', ROW_SCHEME.canonicalUnit)).toEqual(
      [],
    );
    expect(
      index(weight(1, { system: 'http://x' })).ranges('value-quantity', ROW_SCHEME.canonicalUnit),
    ).toEqual([]);
  });

  it('is open where a comparator says so', () => {
    const { ranges } = index(weight(5, { comparator: '<' }));
    expect(ranges('value-quantity')).toEqual([expect.objectContaining({ low: -Infinity, high: 5 })]);
    expect(index(weight(5, { comparator: '>=' })).ranges('value-quantity')).toEqual([
      expect.objectContaining({ low: 5, high: Infinity }),
    ]);
  });

  it('keeps the order of acidity and concentration apart: a higher pH is a lower concentration', () => {
    const acid = index(weight(7, { code: '[pH]', comparator: '<' })).ranges(
      'value-quantity',
      ROW_SCHEME.canonicalUnit,
    );
    expect(acid).toHaveLength(1);
    expect(acid[0]?.high).toBe(Infinity);
    expect(acid[0]?.low).toBeGreaterThan(0);
  });

  it('takes Range and SampledData from the least to the greatest', () => {
    const onset = index({
      resourceType: 'Condition',
      onsetRange: { low: { value: 41, unit: 'years' }, high: { value: 43, unit: 'years' } },
    });
    expect(onset.ranges('onset-age')).toEqual([expect.objectContaining({ low: 41, high: 43 })]);
    const sampled = index({
      resourceType: 'Observation',
      valueSampledData: { origin: { value: 10 }, factor: 2, data: '1 -3 E 4', period: 1, dimensions: 1 },
    });
    expect(sampled.ranges('value-quantity')).toEqual([expect.objectContaining({ low: 4, high: 18 })]);
  });

  it('takes probabilities and money', () => {
    const risk = index({ resourceType: 'RiskAssessment', prediction: [{ probabilityDecimal: 0.000168 }] });
    expect(risk.ranges('probability')).toEqual([expect.objectContaining({ low: 0.000168, high: 0.000168 })]);
    const invoice = index({ resourceType: 'Invoice', totalGross: { value: 48, currency: 'EUR' } });
    expect(invoice.ranges('totalgross')).toEqual([
      expect.objectContaining({
        low: 48,
        unitCode: hasher.short('EUR'),
        unitSystem: hasher.short('urn:iso:std:iso:4217'),
      }),
    ]);
  });
});

describe('a composite parameter', () => {
  const part = (code: string, value: number): JsonObject => ({
    code: { coding: [{ system: LOINC, code }] },
    valueQuantity: { value, system: 'http://units.example', code: 'mm[Hg]' },
  });
  const pressure = index({
    resourceType: 'Observation',
    component: [part('8480-6', 107), part('8462-4', 60)],
  });

  it('pairs a code only with the value of the same component, with its system and without', () => {
    const rows = pressure.ranges('component-code-value-quantity');
    expect(rows).toEqual([
      expect.objectContaining({ ...qualifier(undefined, '8480-6'), low: 107 }),
      expect.objectContaining({ ...qualifier(LOINC, '8480-6'), low: 107 }),
      expect.objectContaining({ ...qualifier(undefined, '8462-4'), low: 60 }),
      expect.objectContaining({ ...qualifier(LOINC, '8462-4'), low: 60 }),
    ]);
    expect(rows.some((row) => row.isLowest || row.isHighest)).toBe(false);
  });

  it('gives combo parameters no rows of their own, but knows that they have values', () => {
    expect(pressure.ranges('combo-code-value-quantity')).toEqual([]);
    expect(pressure.tokens('combo-code')).toEqual([]);
    expect(
      ['combo-code', 'combo-code-value-quantity', 'combo-value-quantity', 'code-value-quantity'].map(
        pressure.isPresent,
      ),
    ).toEqual([true, true, true, false]);
  });

  it('pairs code with concept, date and string', () => {
    const code = { coding: [{ system: LOINC, code: '883-9' }] };
    const concept = index({
      resourceType: 'Observation',
      code,
      valueCodeableConcept: { coding: [{ code: 'A' }] },
    });
    expect(concept.tokens('code-value-concept')).toEqual(
      [
        combined(undefined, '883-9', undefined, 'a'),
        combined(undefined, '883-9', '', 'a'),
        combined(LOINC, '883-9', undefined, 'a'),
        combined(LOINC, '883-9', '', 'a'),
      ].map((row) => expect.objectContaining(row)),
    );
    const date = index({ resourceType: 'Observation', code, valueDateTime: '2013' });
    expect(date.ranges('code-value-date')).toContainEqual(
      expect.objectContaining({
        ...qualifier(undefined, '883-9'),
        low: Date.UTC(2013),
        high: Date.UTC(2014),
      }),
    );
    const text = index({ resourceType: 'Observation', code, valueString: 'Señal débil' });
    expect(text.strings('code-value-string').map(({ value }) => value.slice(16))).toEqual([
      ' senal debil',
      ' senal debil',
    ]);
  });

  it('holds start and end of a variant in one row', () => {
    const { ranges } = index({
      resourceType: 'MolecularSequence',
      referenceSeq: {
        chromosome: { coding: [{ system: 'http://chr', code: '1' }] },
        windowStart: 10,
        windowEnd: 20,
      },
      variant: [{ start: 12, end: 13 }],
    });
    expect(ranges('chromosome-window-coordinate')).toContainEqual(
      expect.objectContaining({ ...qualifier('http://chr', '1'), low: 10, high: 20 }),
    );
    expect(ranges('chromosome-variant-coordinate')).toContainEqual(
      expect.objectContaining({ ...qualifier(undefined, '1'), low: 12, high: 13 }),
    );
  });

  it('pairs the relation of a document with its target', () => {
    const { tokens } = index({
      resourceType: 'DocumentReference',
      relatesTo: [{ code: 'appends', target: { reference: 'DocumentReference/example' } }],
    });
    const appends = 'http://hl7.org/fhir/document-relationship-type';
    expect(tokens('relationship')).toEqual([
      expect.objectContaining(combined(undefined, 'DocumentReference/example', undefined, 'appends')),
      expect.objectContaining(combined(undefined, 'DocumentReference/example', appends, 'appends')),
    ]);
  });
});

it('holds a position as latitude and longitude', () => {
  const { ranges } = index({ resourceType: 'Location', position: { latitude: 42.25, longitude: -83.69 } });
  expect(ranges('near')).toEqual([expect.objectContaining({ low: 42.25, high: -83.69 })]);
});

describe('whether a parameter has a value', () => {
  it('is no when there are only extensions, or an id', () => {
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
  it('has no rows for what is wrong, and all for the rest', () => {
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

  it('with more values than search can take is refused', () => {
    const given = Array.from({ length: 101 }, (_, i) => `name ${i}`);
    expect(() =>
      makeExtractor('r4', 0, 100)('Patient', { resourceType: 'Patient', name: [{ given }] }),
    ).toThrow(expect.objectContaining({ key: 'tooCostly', status: 422 }));
  });
});
