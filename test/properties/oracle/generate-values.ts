/** Random values of datatypes, with the edges at which they collide. */
import { Digits, tidy, type JsonObject } from './json';
import type { Random } from './random';
import { UCUM } from './units';

export const CONCEPTS = {
  anatomySystem: 'http://andiron.example/anatomy',
  anatomy: ['limb', 'arm', 'hand', 'head'],
};

const CODINGS: readonly (readonly [system: string | undefined, code: string, display: string | undefined])[] =
  [
    ['http://loinc.org', '8310-5', 'Body temperature'],
    ['http://loinc.org', '85354-9', 'Blood pressure panel'],
    ['urn:local', '8310-5', 'Temperature of the body'],
    ['urn:local', 'A', undefined],
    ['http://loinc.org', 'a', undefined],
    [undefined, 'b', 'a b without a system'],
    ['urn:odd', 'x|y,z$w\\v', 'Odd'],
    ...CONCEPTS.anatomy.map((code) => [CONCEPTS.anatomySystem, code, undefined] as const),
  ];

/** Codings with one code under two systems, cases that differ, separators inside. */
export function makeConcept(random: Random): JsonObject {
  if (random.chance(0.05)) return { text: 'Körpertemperatur' };
  const codings = random.several(CODINGS, random.chance(0.25) ? 2 : 1).map(([system, code, display]) => ({
    ...(system === undefined ? {} : { system }),
    code,
    ...(display === undefined ? {} : { display }),
  }));
  return {
    coding: codings,
    ...(random.chance(0.3) ? { text: random.pick(['Body Temp', 'pressure, blood']) } : {}),
  };
}

export function makeIdentifier(random: Random): JsonObject {
  return {
    ...(random.chance(0.3)
      ? {
          type: {
            coding: [
              { system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: random.pick(['MR', 'SS']) },
            ],
            text: random.pick(['Medical record', 'Social security']),
          },
        }
      : {}),
    ...(random.chance(0.7) ? { system: random.pick(['urn:mrn', 'urn:ssn']) } : {}),
    value: random.pick(['123', '124', 'Ab1', 'aB1', '1|2']),
  };
}

const FAMILIES = [
  'Smith',
  'Smithson',
  'smith',
  'Muñoz',
  'Carreno Quinones',
  'van Helsing',
  "O'Neil",
  'O’Neil',
  'Ødegård',
  'Smith-Jones',
  'Łuczak',
  'Groß',
  'Παπάς',
  'L'.padEnd(230, 'ong') + 'end',
];
const GIVEN = ['Ann', 'Anna', 'José', 'Jo', 'Mary-Jane', 'Jörg', 'J. R.'];

export function makeNames(random: Random): JsonObject[] {
  return Array.from({ length: random.below(3) }, () => {
    const name = {
      ...(random.chance(0.8) ? { family: random.pick(FAMILIES) } : {}),
      ...(random.chance(0.8) ? { given: random.several(GIVEN, random.chance(0.3) ? 2 : 1) } : {}),
      ...(random.chance(0.1) ? { text: 'Dr. Strange' } : {}),
      ...(random.chance(0.1) ? { prefix: ['Dr.'] } : {}),
      ...(random.chance(0.1) ? { suffix: ['PhD'] } : {}),
    };
    return Object.keys(name).length > 0 ? name : { use: 'official' };
  });
}

export const DATES = [
  '2019',
  '2019-12-31T23:59:59Z',
  '2020',
  '2020-02',
  '2020-02-29',
  '2020-03-01',
  '2020-03-01T10:00:00Z',
  '2020-03-01T10:00:00.500Z',
  '2020-03-01T12:00:00+02:00',
  '2020-03-01T23:30:00-05:00',
  '2021-06-15',
  '2021',
  '1890-01-01',
  '2099-12-31',
];

export const makeDate = (random: Random): string => random.pick(DATES);

const PERIODS: readonly JsonObject[] = [
  { end: '2020-03-01T11:00:00Z' },
  { start: '2019', end: '2021' },
  { start: '2020-03-01', end: '2020-03-01' },
  { start: '2020-02-29', end: '2020-03-01T10:00:00Z' },
  { start: '1890', end: '2099' },
];

/** Closed, open at the start or open at the end. */
export const makePeriod = (random: Random): JsonObject =>
  random.chance(0.4) ? { start: makeDate(random) } : random.pick(PERIODS);

export const NUMBERS = [
  '0',
  '0.5',
  '5.4',
  '5.40',
  '5.35',
  '5.45',
  '5.349999999999999999',
  '5.449999999999999999',
  '5.400000000000000001',
  '95',
  '99.5',
  '100',
  '100.00',
  '99.995',
];

/** At the borders of a precision, some with 18 decimal digits. */
export const makeNumber = (random: Random): Digits => new Digits(random.pick(NUMBERS));

const UNITS: Readonly<Record<string, string>> = {
  ug: 'µg',
  mg: 'milligram',
  Cel: '°C',
  a: 'years',
  mo: 'months',
};

/**
 * A quantity; factors of ten apart by the unit, so that conversions collide.
 * @param isUcum always with system and code; else now and then with a unit alone, or under another system
 */
export function makeQuantity(
  random: Random,
  codes: readonly string[] = UNIT_POOL,
  isUcum = false,
): JsonObject {
  const code = random.pick(codes);
  const value = new Digits(
    isUcum
      ? random.pick(['1', '2', '12', '24', '1.0'])
      : random.pick([...NUMBERS, '0.0054', '5400', '2.54', '1', '-5.4', '212']),
  );
  const comparator: JsonObject = random.chance(0.15)
    ? { comparator: random.pick(['<', '<=', '>=', '>']) }
    : {};
  const form = isUcum ? 9 : random.below(10);
  if (form === 0) return { value, ...comparator };
  if (form === 1) return { value, ...comparator, unit: code };
  if (form === 2) return { value, ...comparator, unit: code, system: 'urn:units', code };
  return { value, ...comparator, unit: UNITS[code] ?? code, system: UCUM, code };
}

const whole = (value: number): Digits => new Digits(String(value));

export function makeTiming(random: Random): JsonObject {
  return random.pick<JsonObject>([
    { event: [makeDate(random), makeDate(random)] },
    {
      repeat: { boundsPeriod: makePeriod(random), frequency: whole(1), period: whole(1), periodUnit: 'd' },
    },
    { event: [makeDate(random)] },
  ]);
}

/** A Range in one unit: both ends or one. */
export function makeRange(random: Random, unit: string): JsonObject {
  const low = random.below(5);
  const end = (value: number): JsonObject => ({
    value: whole(value),
    unit,
    system: 'http://unitsofmeasure.org',
    code: unit,
  });
  const form = random.below(3);
  return tidy({
    low: form === 1 ? undefined : end(low),
    high: form === 2 ? undefined : end(low + random.below(4)),
  });
}

export const URIS = [
  'http://acme.org/fhir/one',
  'http://acme.org/fhir/one/two',
  'http://acme.org/fhir/ONE',
  'http://acme.org/fhir',
  'http://acme.org/fhirst',
  'urn:oid:1.2.3',
  'urn:oid:1.2.3.4',
];

/** The units of quantities, by default. */
export const UNIT_POOL = ['mg', 'ug', 'g', 'kg', 'cm', 'm', '[in_i]', 'Cel', '[degF]', 'mg/dL', 'g/L'];
