/** Scores of Patients that are compared with each other. */
import { compareDates, likeness } from '../../../src/core/operations/patient-match/likeness';
import { readPerson } from '../../../src/core/operations/patient-match/person';
import { scoreOf } from '../../../src/core/operations/patient-match/score';
import type { JsonObject } from '../../../src/core/fhir/json';

it.each([
  ['martha', 'marhta', 0.961],
  ['dwayne', 'duane', 0.84],
  ['dixon', 'dicksonx', 0.813],
  ['abc', 'xyz', 0],
  ['same', 'same', 1],
])('the similarity of %s and %s is the one in Winkler’s table, in both orders', (one, other, expected) => {
  expect(likeness(one, other)).toBeCloseTo(expected, 3);
  expect(likeness(other, one)).toBeCloseTo(expected, 3);
});

it.each([
  ['1984-02-29', '1984-02-29', 'same'],
  ['1984-02', '1984-02-29', 'compatible'],
  ['1984', '1984', 'compatible'],
  ['1984-03-04', '1984-04-03', 'slip'],
  ['1984-03-04', '1974-03-04', 'slip'],
  ['1984-03-04', '1985-05-04', 'other'],
  ['1983', '1984-03-04', 'other'],
])('the birth dates %s and %s are compared as %s', (one, other, expected) => {
  expect(compareDates(one, other)).toBe(expected);
  expect(compareDates(other, one)).toBe(expected);
});

const candidate: JsonObject = {
  resourceType: 'Patient',
  identifier: [{ system: 'http://hospital.example/mrn', value: '17' }],
  name: [
    { family: 'Muñoz', given: ['María', 'Pilar'] },
    { use: 'maiden', family: 'Ibáñez' },
  ],
  gender: 'female',
  birthDate: '1984-02-28',
  telecom: [{ system: 'phone', value: '+34 600 123 456' }],
  address: [{ line: ['Calle Mayor 1'], postalCode: '28013', city: 'Madrid' }],
};
const gradeOf = (requested: JsonObject): string | undefined =>
  scoreOf(readPerson({ resourceType: 'Patient', ...requested }), readPerson(candidate)).grade;

const name = [{ family: 'MUNOZ', given: ['Maria'] }];
const birthDate = '1984-02-28';

it.each<[string, string | undefined, JsonObject]>([
  ['the same number', 'certain', { identifier: [{ system: 'http://hospital.example/mrn', value: '17' }] }],
  ['the same number in another register', undefined, { identifier: [{ system: 'urn:x', value: '17' }] }],
  ['name, birth date and telephone', 'certain', { name, birthDate, telecom: [{ value: '600123456' }] }],
  ['name and birth date', 'probable', { name, birthDate }],
  ['the maiden name', 'probable', { name: [{ family: 'Ibanez', given: ['María'] }], birthDate }],
  ['a misspelt name', 'probable', { name: [{ family: 'Muñozz', given: ['Maria'] }], birthDate }],
  ['one wrong digit in the birth date', 'possible', { name, birthDate: '1984-02-18' }],
  ['the name alone', 'possible', { name }],
  ['the birth date alone', undefined, { birthDate }],
  ['a sister', undefined, { name: [{ family: 'Muñoz', given: ['Lucía'] }], birthDate: '1986-05-05' }],
  ['another person with the same name', undefined, { name, birthDate: '1951-11-03' }],
  [
    'the same number with all other data different',
    'possible',
    {
      identifier: [{ system: 'http://hospital.example/mrn', value: '17' }],
      name: [{ family: 'Schmidt', given: ['Otto'] }],
      gender: 'male',
      birthDate: '1951-11-03',
    },
  ],
  [
    'the same data with another number of the hospital',
    'probable',
    { identifier: [{ system: 'http://hospital.example/mrn', value: '18' }], name, birthDate },
  ],
])('%s gives the grade %s', (_title, expected, requested) => {
  expect(gradeOf(requested)).toBe(expected);
});
