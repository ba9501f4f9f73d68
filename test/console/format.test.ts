import { parseJson, type JsonObject } from '../../console/src/api/json';
import {
  formatAnnotation,
  formatAttachment,
  formatBestName,
  formatQuantity,
  formatTitle,
  formatValue,
  shortUrl,
} from '../../console/src/fhir/format';
import { formatDateTime } from '../../console/src/fhir/format-date';

const BRITISH = { locale: 'en-GB', timeZone: 'Europe/Zurich' };

describe('A date', () => {
  it('is shown with the name of its month, and with no more parts than it has', () => {
    expect(formatDateTime('1974', BRITISH)).toBe('1974');
    expect(formatDateTime('1974-12', BRITISH)).toBe('Dec 1974');
    expect(formatDateTime('1974-12-25', BRITISH)).toBe('25 Dec 1974');
  });

  it('is the same day in every time zone', () => {
    for (const timeZone of ['Pacific/Auckland', 'America/Los_Angeles'])
      expect(formatDateTime('1974-12-25', { locale: 'en-GB', timeZone })).toBe('25 Dec 1974');
  });

  it('with a time is shown in the time zone of the reader, which it names', () => {
    expect(formatDateTime('2016-03-28T12:30:05Z', BRITISH)).toBe('28 Mar 2016, 14:30:05 CEST');
    expect(formatDateTime('2016-01-28T23:30:00.000Z', BRITISH)).toBe('29 Jan 2016, 00:30 CET');
  });

  it('that is none stays as it is', () => {
    for (const text of ['', 'soon', '2016-13-45', '2016-03-28T25:00:00Z', '1.5'])
      expect(formatDateTime(text, BRITISH)).toBe(text);
  });
});

describe('A value', () => {
  it('keeps the digits that its number was written with', () => {
    const quantity = parseJson('{"value": 1.50, "comparator": "<", "unit": "mg"}') as JsonObject;
    expect(formatQuantity(quantity)).toBe('< 1.50 mg');
  });

  it.each([
    [{ coding: [{ system: 'http://loinc.org', code: '29463-7', display: 'Body Weight' }] }, 'Body Weight'],
    [{ text: 'Weight', coding: [{ display: 'Body Weight' }] }, 'Weight'],
    [{ coding: [{ code: 'a' }, { code: 'b', userSelected: true }] }, 'b'],
    [{ system: 'http://loinc.org', code: '29463-7' }, '29463-7'],
    [{ reference: 'Patient/1', display: 'Ann' }, 'Ann'],
    [{ identifier: { value: '7', type: { text: 'MRN' } } }, '7 (MRN)'],
    [{ system: 'urn:oid:1.2', value: '7' }, '7'],
    [{ system: 'phone', value: '555', use: 'work' }, '555 (phone, work)'],
    [{ system: 'phone', use: 'home' }, ''],
    [{ line: ['Main 1'], city: 'Bern', postalCode: '3000' }, 'Main 1, 3000 Bern'],
    [{ low: { value: 1, unit: 'g' }, high: { value: 2, unit: 'g' } }, '1 g – 2 g'],
    [{ low: { value: 1, unit: 'g' } }, '≥ 1 g'],
    [{ numerator: { value: 1 }, denominator: { value: 128 } }, '1 / 128'],
    [{ value: 20, currency: 'CHF' }, '20 CHF'],
    [{ start: '2020', end: '2021' }, '2020 – 2021'],
    [{ end: '2021' }, '… – 2021'],
    [{ repeat: { frequency: 2, period: 1, periodUnit: 'd' } }, '2 × / 1 d'],
  ])('is a short text without its type being known: %j', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it('that has no short text is empty', () => {
    for (const value of [undefined, null, {}, { gender: 'male' }, [{ gender: 'male' }]])
      expect(formatValue(value)).toBe('');
  });

  it('that repeats is shown with all its values, and booleans as words', () => {
    expect(formatValue([{ text: 'a' }, { text: 'b' }], 'CodeableConcept')).toBe('a; b');
    expect(formatValue(true)).toBe('Yes');
    expect(formatValue(false, 'boolean')).toBe('No');
  });

  it('is not taken for a date when its type is another', () => {
    expect(formatValue('2016-03', 'string')).toBe('2016-03');
  });

  it('of a note or file says where it comes from', () => {
    expect(formatAnnotation({ text: 'Well', authorString: 'Dr. Doe', time: '2020' })).toBe(
      'Well (Dr. Doe, 2020)',
    );
    expect(formatAttachment({ title: 'Scan', contentType: 'image/png' })).toBe('Scan (image/png)');
    expect(formatAttachment({ contentType: 'image/png' })).toBe('image/png');
  });
});

describe('A name', () => {
  it('is the one in use, and not a former one', () => {
    const names = [
      { use: 'maiden', family: 'Windsor' },
      { use: 'usual', given: ['Jim'] },
      { use: 'official', given: ['Peter', 'James'], family: 'Chalmers' },
    ];
    expect(formatBestName(names)).toBe('Peter James Chalmers');
    expect(formatValue(names)).toBe('Peter James Chalmers');
  });
});

it('A record is called by its name, title or code, else by its address', () => {
  expect(formatTitle({ resourceType: 'Patient', id: 'a', name: [{ text: 'Ann' }] })).toBe('Ann');
  expect(formatTitle({ resourceType: 'Location', id: 'a', name: 'Ward' })).toBe('Ward');
  expect(formatTitle({ resourceType: 'Observation', id: 'a', code: { text: 'Weight' } })).toBe('Weight');
  expect(formatTitle({ resourceType: 'Encounter', id: 'a' })).toBe('Encounter/a');
});

it('The url of a code system is short without what all of them begin with', () => {
  expect(shortUrl('http://terminology.hl7.org/CodeSystem/v3-ActCode')).toBe('v3-ActCode');
  expect(shortUrl('urn:oid:1.2.3')).toBe('1.2.3');
  expect(shortUrl('http://loinc.org')).toBe('loinc.org');
});
