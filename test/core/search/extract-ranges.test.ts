import type { JsonObject } from '../../../src/core/fhir/json';
import { ROW_SCHEME } from '../../../src/core/search/rows/index-rows';
import { markExact } from '../../../src/core/search/rows/token';
import { combined, hasher, index, qualifier } from './indexed';

const LOINC = 'http://loinc.org';
const UCUM = 'http://unitsofmeasure.org';
const patient: JsonObject = { resourceType: 'Patient', birthDate: '1970-03' };

describe('a date parameter', () => {
  it('has the range of the precision, in the time zone of the space if the date has none', () => {
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

  it('stores Period and Timing by their outer limits', () => {
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

  it('gives the clinical sort date: the earliest start', () => {
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

  it('stores a decimal as a point with the hashes of its unit', () => {
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

  it('stores it a second time in base units, under its own number', () => {
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

  it('stores equal values in different units or systems separately', () => {
    const component = [
      { valueQuantity: { value: 5.4, system: UCUM, code: 'mg' } },
      { valueQuantity: { value: 5400, system: UCUM, code: 'ug' } },
      { valueQuantity: { value: 1, system: 'urn:units', code: 'g' } },
      { valueQuantity: { value: 1, system: UCUM, code: 'g' } },
    ];
    const { ranges } = index({ resourceType: 'Observation', component });
    const code = 'component-value-quantity';
    const systems = [hasher.short(UCUM), hasher.short('urn:units')];
    expect(ranges(code).map(({ low, unitSystem }) => [low, systems.indexOf(unitSystem)])).toEqual([
      [5.4, 0],
      [5400, 0],
      [1, 1],
      [1, 0],
    ]);
    expect(ranges(code, ROW_SCHEME.canonicalUnit).map(({ low }) => low)).toEqual([0.0054, 1]);
  });

  it('is open if a comparator says so', () => {
    const { ranges } = index(weight(5, { comparator: '<' }));
    expect(ranges('value-quantity')).toEqual([
      expect.objectContaining({ low: -Infinity, high: 4.999999999999999 }),
    ]);
    expect(index(weight(5, { comparator: '>=' })).ranges('value-quantity')).toEqual([
      expect.objectContaining({ low: 5, high: Infinity }),
    ]);
  });

  it('keeps the order of pH and concentration apart: a higher pH is a lower concentration', () => {
    const acid = index(weight(7, { code: '[pH]', comparator: '<' })).ranges(
      'value-quantity',
      ROW_SCHEME.canonicalUnit,
    );
    expect(acid).toHaveLength(1);
    expect(acid[0]?.high).toBe(Infinity);
    expect(acid[0]?.low).toBeGreaterThan(0);
  });

  it('stores Range and SampledData from the least to the greatest value', () => {
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

  it('stores probabilities and money', () => {
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

  it('pairs a code only with the value of the same component, and has its system beside it', () => {
    const rows = pressure.ranges('component-code-value-quantity');
    expect(rows).toEqual([
      expect.objectContaining({ ...qualifier(LOINC, '8480-6'), low: 107 }),
      expect.objectContaining({ ...qualifier(LOINC, '8462-4'), low: 60 }),
    ]);
    expect(rows.some((row) => row.isLowest || row.isHighest)).toBe(false);
  });

  it('has a row for each system of a code, and one for a code without a system', () => {
    const { ranges } = index({
      resourceType: 'Observation',
      code: {
        coding: [{ system: LOINC, code: '883-9' }, { code: '883-9' }, { system: 'urn:mine', code: '883-9' }],
      },
      valueQuantity: { value: 5 },
    });
    expect(ranges('code-value-quantity')).toEqual([
      expect.objectContaining({ ...qualifier(LOINC, '883-9'), low: 5 }),
      expect.objectContaining({ ...qualifier(undefined, '883-9'), low: 5 }),
      expect.objectContaining({ ...qualifier('urn:mine', '883-9'), low: 5 }),
    ]);
  });

  it('gives combo parameters no rows of their own, but sets their presence bits', () => {
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
        ...qualifier(LOINC, '883-9'),
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

  it('stores start and end of a variant in one row', () => {
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
      expect.objectContaining({ ...qualifier('http://chr', '1'), low: 12, high: 13 }),
    );
  });

  it('pairs the relation of a document with its target', () => {
    const { tokens } = index({
      resourceType: 'DocumentReference',
      relatesTo: [{ code: 'appends', target: { reference: 'DocumentReference/example' } }],
    });
    const appends = 'http://hl7.org/fhir/document-relationship-type';
    expect(tokens('relationship')).toEqual([
      expect.objectContaining(
        combined(undefined, 'DocumentReference/example', undefined, markExact('appends')),
      ),
      expect.objectContaining(
        combined(undefined, 'DocumentReference/example', appends, markExact('appends')),
      ),
    ]);
  });
});

it('stores a position as latitude and longitude', () => {
  const { ranges } = index({ resourceType: 'Location', position: { latitude: 42.25, longitude: -83.69 } });
  expect(ranges('near')).toEqual([expect.objectContaining({ low: 42.25, high: -83.69 })]);
});
