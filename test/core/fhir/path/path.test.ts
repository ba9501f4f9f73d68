import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import { parseJson, type JsonValue } from '../../../../src/core/fhir/json';
import {
  compilePath,
  PathEvaluationError,
  PathSyntaxError,
  PathTypeError,
  UnsupportedPathError,
} from '../../../../src/core/fhir/path';
import { readExamples, textOf } from './examples';

const definitions = loadDefinitions('r4');

function evaluate(expression: string, resource: JsonValue) {
  return compilePath(expression, { definitions, rootType: 'Resource' })(resource).map(
    ({ value, type, system, element }) => ({
      value,
      type,
      ...(system === undefined ? {} : { system }),
      ...(element === undefined ? {} : { element }),
    }),
  );
}

describe('a value that a path finds', () => {
  it('has the type of the choice', () => {
    const observation = { resourceType: 'Observation', valueQuantity: { value: 1 } };
    expect(evaluate('Observation.value', observation)).toEqual([{ value: { value: 1 }, type: 'Quantity' }]);
    expect(evaluate('(Observation.value as Period)', observation)).toEqual([]);
  });

  it('keeps the digits of a decimal', () => {
    const { value } = parseJson('{"resourceType":"Observation","valueQuantity":{"value":1.00}}');
    expect(evaluate('Observation.value.value', value)).toEqual([{ value: '\u00011.00', type: 'decimal' }]);
    expect(evaluate('Observation.value.value = 1', value)).toMatchObject([{ value: true, type: 'boolean' }]);
  });

  it('compares arbitrary units by prefix and volume, and with no other unit', () => {
    const basic = { resourceType: 'Basic' };
    const compared = (expression: string): unknown => evaluate(expression, basic).map(({ value }) => value);
    expect(compared("2.5 'm[IU]/L' = 2.5 'u[IU]/mL'")).toEqual([true]);
    expect(compared("2.5 'm[IU]/L' < 1 '[IU]/L'")).toEqual([true]);
    expect(compared("1 '[IU]' < 2 '[CFU]'")).toEqual([]);
    expect(compared("1 '[IU]' < 2 'g'")).toEqual([]);
  });

  it('names the code system of a code that is bound to one', () => {
    expect(evaluate('Patient.gender', { resourceType: 'Patient', gender: 'male' })).toEqual([
      { value: 'male', type: 'code', system: 'http://hl7.org/fhir/administrative-gender' },
    ]);
    const parameter = {
      resourceType: 'OperationDefinition',
      parameter: [{ type: 'Patient' }, { type: 'code' }],
    };
    expect(evaluate('OperationDefinition.parameter.type', parameter).map(({ system }) => system)).toEqual([
      'http://hl7.org/fhir/resource-types',
      'http://hl7.org/fhir/data-types',
    ]);
  });

  it('brings the extensions of a primitive, also of one that has nothing else', () => {
    const extension = [{ url: 'http://example.org/absent', valueCode: 'unknown' }];
    const patient = {
      resourceType: 'Patient',
      _birthDate: { extension },
      name: [{ given: [null, 'Ann'], _given: [{ extension }] }],
    };
    expect(evaluate('Patient.birthDate', patient)).toEqual([
      { value: null, type: 'date', element: { extension } },
    ]);
    expect(evaluate('Patient.name.given', patient)).toEqual([
      { value: null, type: 'string', element: { extension } },
      { value: 'Ann', type: 'string' },
    ]);
    expect(evaluate('Patient.birthDate.hasValue()', patient)).toMatchObject([{ value: false }]);
    expect(evaluate("Patient.birthDate.extension('http://example.org/absent').value", patient)).toEqual([
      { value: 'unknown', type: 'code' },
    ]);
  });

  it('has the resourceType of a resource inside another one', () => {
    const bundle = {
      resourceType: 'Bundle',
      entry: [{ resource: { resourceType: 'Composition', status: 'final' } }],
    };
    expect(evaluate('Bundle.entry[0].resource', bundle)[0]?.type).toBe('Composition');
    expect(evaluate('Bundle.entry.resource.status', bundle)).toMatchObject([
      { value: 'final', type: 'code' },
    ]);
  });
});

describe('a reference', () => {
  const condition = (subject: JsonValue) => ({
    resourceType: 'Condition',
    contained: [{ resourceType: 'Patient', id: 'p' }],
    subject,
  });

  it.each([
    ['by its text', { reference: 'Patient/1' }],
    ['by its text with a version', { reference: 'http://example.org/fhir/Patient/1/_history/2' }],
    ['by its type element', { type: 'Patient', identifier: { value: '1' } }],
    ['by the contained resource', { reference: '#p' }],
  ])('is resolved %s, without any read', (_how, subject) => {
    expect(evaluate('Condition.subject.where(resolve() is Patient)', condition(subject))).toHaveLength(1);
    expect(evaluate('Condition.subject.where(resolve() is Group)', condition(subject))).toEqual([]);
  });
});

describe('a component of a composite', () => {
  it('is evaluated on the values of the composite, whatever type they have', () => {
    const observation = {
      resourceType: 'Observation',
      code: { text: 'whole' },
      component: [{ code: { text: 'part' }, valueString: 'x' }],
    };
    const elements = compilePath('Observation | Observation.component', {
      definitions,
      rootType: 'Observation',
    })(observation);
    const code = compilePath('code', { definitions });
    expect(elements.flatMap((element) => code(element)).map(({ value }) => value)).toEqual([
      { text: 'whole' },
      { text: 'part' },
    ]);
    const resource = compilePath('%resource.code.text', { definitions });
    expect(elements.flatMap((element) => resource(element, { resource: observation }))).toMatchObject([
      { value: 'whole' },
      { value: 'whole' },
    ]);
  });
});

describe('impossible expressions', () => {
  it.each(["memberOf('http://example.org')", '%unknown', 'name.sort()', 'conformsTo($this)'])(
    'is refused when it compiles: %s',
    (expression) => {
      expect(() => compilePath(expression, { definitions, rootType: 'Patient' })).toThrow(
        UnsupportedPathError,
      );
    },
  );

  it('is a syntax error with its place', () => {
    expect(() => compilePath('name..given', { definitions, rootType: 'Patient' })).toThrow(PathSyntaxError);
    expect(() => compilePath("name = 'open", { definitions, rootType: 'Patient' })).toThrow('(at 7)');
  });

  it.each(['(', '-', '1 + ', 'name.', 'name | ', 'name[', 'where(', 'a and '])(
    'is an expression without end, whatever it is made of: %s',
    (part) => {
      for (const count of [300, 2_000, 100_000]) {
        const expression = `${part.repeat(count)}name`;
        expect(() => compilePath(expression, { definitions, rootType: 'Patient' })).toThrow(
          /may be 250 levels deep|may have 10000 characters/,
        );
      }
    },
  );

  it('are an error only in strict mode', () => {
    const patient = { resourceType: 'Patient', active: true };
    expect(compilePath('nonsense', { definitions, rootType: 'Patient' })(patient)).toEqual([]);
    expect(() => compilePath('nonsense', { definitions, rootType: 'Patient', isStrict: true })).toThrow(
      PathTypeError,
    );
    expect(compilePath("active > 'a'", { definitions, rootType: 'Patient' })(patient)).toEqual([]);
    const strict = compilePath("active > 'a'", { definitions, rootType: 'Patient', isStrict: true });
    expect(() => strict(patient)).toThrow(PathEvaluationError);
  });

  it('never makes an evaluation throw, whatever shape a resource has', () => {
    const junk: readonly JsonValue[] = [
      null,
      true,
      0,
      'x',
      '\u00011e400',
      [],
      [[]],
      {},
      [null, 1, {}],
      { reference: 1 },
    ];
    let next = 1;
    const random = (limit: number) => (next = (next * 48271) % 2147483647) % limit;
    const spoil = (value: JsonValue): JsonValue => {
      if (random(12) === 0) return junk[random(junk.length)] ?? null;
      if (Array.isArray(value)) return value.map(spoil);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          name,
          name === 'resourceType' ? member : spoil(member),
        ]),
      );
    };
    for (const resource of readExamples('r4').filter((_resource, index) => index % 5 === 0)) {
      const type = textOf(resource['resourceType']);
      const spoiled = spoil(resource);
      for (const { expression, components } of definitions.searchParameters(type).values()) {
        if (expression === undefined) continue;
        for (const value of compilePath(expression, { definitions, rootType: type })(spoiled)) {
          for (const component of components)
            compilePath(component.expression, { definitions })(value, { resource: spoiled });
        }
      }
    }
  });
});
