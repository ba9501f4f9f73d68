import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import { parseJson, type JsonObject, type JsonValue } from '../../../../src/core/fhir/json';
import { compilePath } from '../../../../src/core/fhir/path';
import { leastProcessorMilliseconds } from '../../../support/processor-time';
import { textOf } from './examples';
import { rounds } from '../../../support/rounds';

const definitions = loadDefinitions('r4');

function evaluate(expression: string, resource: JsonValue, rootType: string): JsonValue[] {
  return compilePath(expression, { definitions, rootType })(resource).map(({ value }) => value);
}

function numbered<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_value, index) => make(index));
}

/** Linear: some 400 ms; quadratic: 1.6 billion comparisons, ten seconds and more. */
const MANY = rounds(40_000, 50_000);
const LIMIT_MILLISECONDS = 2_000;

describe('searching values among many', () => {
  const codings = (offset: number): JsonValue[] =>
    numbered(MANY, (index) => ({ system: 'urn:x', code: `c${index + offset}` }));
  const observation: JsonObject = {
    resourceType: 'Observation',
    code: { coding: codings(0) },
    component: [{ code: { coding: codings(MANY - 1) } }],
  };
  const patient: JsonObject = {
    resourceType: 'Patient',
    name: numbered(MANY, (index) => ({ family: `f${index}`, given: [`f${index - 1}`] })),
  };
  const extensions = numbered(MANY, (index) => ({
    url: 'urn:x',
    ...(index % 2 === 0
      ? { valueDateTime: new Date(index * 60_000).toISOString() }
      : {
          valueQuantity: {
            value: index,
            system: 'http://unitsofmeasure.org',
            code: index % 4 === 1 ? 'g' : 'mg',
          },
        }),
  }));
  const basic: JsonObject = { resourceType: 'Basic', extension: extensions };
  const cases: [expression: string, resource: JsonObject, expected: JsonValue][] = [
    ['component.code.coding.intersect(%resource.code.coding).count()', observation, 1],
    ['component.code.coding.exclude(%resource.code.coding).count()', observation, MANY - 1],
    ['code.coding.subsetOf(component.code.coding)', observation, false],
    ['code.coding.isDistinct()', observation, true],
    ['(code.coding | component.code.coding).count()', observation, 2 * MANY - 1],
    ['name.where(given.first() in %resource.name.family).count()', patient, MANY - 1],
    ['name.where(%context.name.family contains given.first()).count()', patient, MANY - 1],
    ['name.repeat(given | family).count()', patient, MANY + 1],
    ['extension.value.distinct().count()', basic, MANY],
    ['extension.value.isDistinct()', basic, true],
    ['extension.value.exclude(%resource.extension.tail().value).count()', basic, 1],
    ['extension.value.tail().subsetOf(%resource.extension.value)', basic, true],
    ['(extension.value | extension.value.ofType(dateTime)).count()', basic, MANY],
    ['((@2000-01-01).repeat(iif($this < @2100-01-01, $this + 1 day))).count()', basic, 36525],
  ];

  it.each(cases)('takes linear time for %s', (expression, resource, expected) => {
    let found: JsonValue[] = [];
    const spent = leastProcessorMilliseconds(LIMIT_MILLISECONDS, () => {
      found = evaluate(expression, resource, textOf(resource['resourceType']));
    });
    expect(found).toEqual([expected]);
    expect(spent).toBeLessThan(LIMIT_MILLISECONDS);
  });
});

describe('the same values are found among many as among few', () => {
  const FILLERS = 30;

  /** Texts of JSON objects with the member `value…` of an Extension. */
  function count(values: readonly string[], fillers: (index: number) => string): number[] {
    return [0, FILLERS].map((length) => {
      const extensions = [...values, ...numbered(length, fillers)].map((value) => `{"url":"urn:x",${value}}`);
      const { value } = parseJson(`{"resourceType":"Basic","extension":[${extensions.join(',')}]}`);
      const distinct = evaluate('extension.value.distinct().count()', value, 'Basic');
      const isIn = evaluate(
        'extension.where(value in %resource.extension.tail().value).count()',
        value,
        'Basic',
      );
      return Number(distinct[0]) - length + (Number(isIn[0]) - length) / 100;
    });
  }

  it.each([
    ['decimals by value', ['"valueDecimal":1.0', '"valueDecimal":1.00', '"valueDecimal":1.5']],
    ['decimals and integers', ['"valueDecimal":1.0', '"valueInteger":1', '"valueInteger":2']],
    ['texts, and codes of the same text', ['"valueString":"a"', '"valueCode":"a"', '"valueString":"b"']],
    ['dates of unequal precision', ['"valueDate":"2020"', '"valueDate":"2020-01"', '"valueDate":"2020"']],
    [
      'moments in different zones',
      ['"valueInstant":"2020-01-01T10:00:00Z"', '"valueInstant":"2020-01-01T11:00:00+01:00"'],
    ],
    [
      'objects, whatever the order of their members',
      ['"valueCoding":{"code":"a","system":"urn:s"}', '"valueCoding":{"system":"urn:s","code":"a"}'],
    ],
    [
      'quantities in other units',
      [
        '"valueQuantity":{"value":1,"system":"http://unitsofmeasure.org","code":"g"}',
        '"valueQuantity":{"value":1000,"system":"http://unitsofmeasure.org","code":"mg"}',
      ],
    ],
    [
      'values that are missing for the same reason',
      [
        '"_valueString":{"extension":[{"url":"urn:r","valueCode":"unknown"}]}',
        '"_valueInteger":{"extension":[{"url":"urn:r","valueCode":"unknown"}]}',
        '"_valueString":{"extension":[{"url":"urn:r","valueCode":"masked"}]}',
      ],
    ],
    ['booleans and their words', ['"valueBoolean":true', '"valueString":"true"', '"valueBoolean":true']],
  ])('%s', (_title, values) => {
    const [few, many] = count(values, (index) => `"valueString":"filler ${index}"`);
    expect(many).toBe(few);
  });
});

describe('matches()', () => {
  const matches = (family: string) =>
    compilePath("family.matches('^([a-z]|[a-z]b)*$')", {
      definitions,
      rootType: 'HumanName',
      isStrict: true,
    })({
      family,
    })[0]?.value;

  it('searches texts of up to a mebibyte, as long as FHIR allows a string to be', () => {
    expect(matches('b'.repeat(1024 * 1024))).toBe(true);
    expect(() => matches('b'.repeat(1024 * 1024 + 1))).toThrow('1048577 characters is too long');
  });

  it('has no position left from the previous text', () => {
    const path = compilePath("name.family.select(replaceMatches('a', 'b'))", {
      definitions,
      rootType: 'Patient',
    });
    const patient = { resourceType: 'Patient', name: [{ family: 'aba' }, { family: 'aa' }, { family: 'a' }] };
    expect([path(patient), path(patient)].map((values) => values.map(({ value }) => value))).toEqual([
      ['bbb', 'bb', 'b'],
      ['bbb', 'bb', 'b'],
    ]);
  });
});
