import { RawJson, stringifyAround } from '../../src/schema/raw-json';

const plain = (value: unknown): string => JSON.stringify(value);

describe('a response with resources in it', () => {
  it('holds each text as it is stored, to the last digit', () => {
    const first = new RawJson('{"value":1.00, "big":12345678901234567890}');
    const second = new RawJson('{"value":0.10}');
    const text = stringifyAround({ errors: undefined, list: [first, { json: second }], again: first }, plain);
    expect(text).toBe(`{"list":[${first.text},{"json":${second.text}}],"again":${first.text}}`);
  });

  it('leaves strings alone that look like a placeholder of a text', () => {
    let token = '';
    const spy = (value: unknown): string => {
      token = JSON.parse(JSON.stringify(value)).json as string;
      return JSON.stringify({ json: token, other: `x"${token}"`, beyond: token.replace(/\d+$/, '7') });
    };
    const text = stringifyAround({ json: new RawJson('{}') }, spy);
    expect(JSON.parse(text)).toEqual({ json: {}, other: `x"${token}"`, beyond: token.replace(/\d+$/, '7') });
  });

  it('does not replace parts of a text that look like a pattern', () => {
    expect(stringifyAround(new RawJson('{"cost":"$& $1"}'), plain)).toBe('{"cost":"$& $1"}');
  });

  it('is an ordinary value for any other serializer', () => {
    expect(JSON.stringify({ json: new RawJson('{"a":[1]}') })).toBe('{"json":{"a":[1]}}');
  });

  it('can be written again after an error', () => {
    const fail = (): string => {
      throw new Error('too long');
    };
    expect(() => stringifyAround(new RawJson('{}'), fail)).toThrow('too long');
    expect(JSON.stringify(new RawJson('{"a":1}'))).toBe('{"a":1}');
  });
});
