import { parseValue } from 'graphql';
import { DECIMAL_MARK as markOfCore, parseJson } from '../../src/core/fhir/json';
import { DECIMAL_MARK } from '../../src/schema/json';
import {
  instantScalar,
  jsonScalar,
  parametersInputScalar,
  resourceInputScalar,
} from '../../src/schema/scalars';

const literal = (text: string, variables: Record<string, unknown> = {}): unknown =>
  jsonScalar.parseLiteral(parseValue(text), variables);

describe('JSON in a GraphQL document', () => {
  it('marks decimals with the same character as core', () => {
    expect(DECIMAL_MARK).toBe(markOfCore);
  });

  it.each(['1.00', '0.10', '1e400', '12345678901234567890', '-0', '1E5', '1', '-7', '2.5', '1e21'])(
    'keeps the number %s as the body parser does',
    (number) => {
      expect(literal(number)).toEqual(parseJson(number).value);
    },
  );

  it('accepts objects, lists, null and variables at any depth', () => {
    expect(literal('{a: [1, "x", null, true], b: {c: $v}}', { v: { d: 1 } })).toEqual({
      a: [1, 'x', null, true],
      b: { c: { d: 1 } },
    });
  });

  it('gives null for a variable that was not given', () => {
    expect(literal('{a: $v}')).toEqual({ a: null });
  });

  it('refuses a string that would pass for a decimal', () => {
    expect(() => literal('"\\u00011.00"')).toThrow('U+0001');
  });

  it('refuses __proto__ as a name, and words without quotes', () => {
    expect(() => literal('{__proto__: {admin: true}}')).toThrow('__proto__');
    expect(() => literal('{status: final}')).toThrow("'final' is not JSON");
  });

  it('accepts only an object as a resource and as parameters', () => {
    for (const scalar of [resourceInputScalar, parametersInputScalar]) {
      expect(scalar.parseValue({ resourceType: 'Patient' })).toEqual({ resourceType: 'Patient' });
      for (const value of [[], 'Patient', 1, null])
        expect(() => scalar.parseValue(value)).toThrow('must be a JSON object');
      expect(() => scalar.parseLiteral(parseValue('[1]'), {})).toThrow('must be a JSON object');
    }
  });
});

describe('an instant', () => {
  it.each(['2024-05-17T10:30:00Z', '2024-05-17T10:30:00.123+02:00', '2024-05-17T10:30:00-11:30'])(
    'may be %s',
    (text) => {
      expect(instantScalar.parseValue(text)).toBe(text);
    },
  );

  it.each(['2024-05-17', '2024-05-17T10:30:00', '2024-13-01T00:00:00Z', 'yesterday', 5, null])(
    'may not be %s',
    (value) => {
      expect(() => instantScalar.parseValue(value)).toThrow('An instant must be written as');
    },
  );
});
