import { decimalText, isMarkedDecimal, parseJson, stringifyJson } from '../../../src/core/fhir/json';
import { copyJson } from '../../../src/core/fhir/json/copy';
import { areEqualDecimals } from '../../../src/core/fhir/json/decimal';
import { duplicateMember, makeTree, NUMBERS, Random, writeTree } from './random-json';
import { refusalOf } from './refusal';
import { leastProcessorMilliseconds } from '../../support/processor-time';
import { rounds } from '../../support/rounds';

const roundTrip = (text: string): string => {
  const { value, marked } = parseJson(text);
  return stringifyJson(value, marked);
};

describe('decimals', () => {
  test.each(NUMBERS)('%s keeps its digits', (literal) => {
    expect(roundTrip(`{"value":${literal}}`)).toBe(`{"value":${literal}}`);
    expect(roundTrip(`[${literal}, ${literal}]`)).toBe(`[${literal},${literal}]`);
    expect(roundTrip(` ${literal} `)).toBe(literal);
  });

  test('a document without such decimals is not marked', () => {
    expect(parseJson('{"value":1.5,"text":"1.00"}')).toEqual({
      value: { value: 1.5, text: '1.00' },
      marked: false,
    });
  });

  test('a decimal that JavaScript would change is a marked string', () => {
    const { value, marked } = parseJson('{"value":1.00}');
    expect(value).toEqual({ value: '\u00011.00' });
    expect(marked).toBe(true);
    expect(isMarkedDecimal('\u00011.00')).toBe(true);
    expect(isMarkedDecimal('1.00')).toBe(false);
    expect(isMarkedDecimal(1)).toBe(false);
  });

  test('the literal of a number is available, marked or not', () => {
    expect([decimalText('\u00011.00'), decimalText(1.5), decimalText('1.5'), decimalText(undefined)]).toEqual(
      ['1.00', '1.5', undefined, undefined],
    );
  });

  test.each([
    ['1.0', '1.00', true],
    ['100', '1e2', true],
    ['0.001', '1E-3', true],
    ['-0', '0.00', true],
    ['-1.50', '-1.5', true],
    ['0e99999', '0', true],
    ['1e400', '10e399', true],
    ['1', '-1', false],
    ['1.0', '1.01', false],
    ['12345678901234567890', '12345678901234567891', false],
    ['1e99999999999999999999', '1e99999999999999999998', false],
  ])('%s and %s are the same number: %s', (first, second, expected) => {
    expect(areEqualDecimals(first, second)).toBe(expected);
    expect(areEqualDecimals(second, first)).toBe(expected);
  });
});

describe('random documents', () => {
  test('are written back as they were, in any style of writing', () => {
    const random = new Random(20261121);
    for (let run = 0; run < rounds(300, 3000); run++) {
      const tree = makeTree(random, 5);
      const text = writeTree(tree);
      expect(roundTrip(text)).toBe(text);
      expect(roundTrip(writeTree(tree, { escaped: true }))).toBe(text);
      expect(roundTrip(`\ufeff${writeTree(tree, { space: ' \r\n\t' })}`)).toBe(text);
    }
  });

  test('are refused whenever a member occurs twice', () => {
    const random = new Random(4711);
    let found = 0;
    for (let run = 0; run < rounds(300, 3000); run++) {
      const tree = duplicateMember(makeTree(random, 5), random);
      if (tree === undefined) continue;
      found++;
      for (const style of [{}, { escaped: true }, { space: ' ' }]) {
        const refusal = refusalOf(() => parseJson(writeTree(tree, style)));
        expect(refusal.key).toBe('invalidResource');
        expect(refusal.reason).toContain('occurs twice');
      }
    }
    expect(found).toBeGreaterThan(rounds(50, 500));
  });

  test('are refused exactly when JSON.parse refuses them, with a line and a column', () => {
    const random = new Random(99);
    let refused = 0;
    for (let run = 0; run < rounds(600, 6000); run++) {
      const text = writeTree(makeTree(random, 4), { space: run % 2 === 0 ? '' : '\n' });
      const at = random.below(text.length + 1);
      const damage = random.pick([
        '',
        '"',
        '{',
        ']',
        ':',
        ',',
        '0',
        '1.00',
        '-',
        '.',
        'e',
        '\\',
        '\u0000',
        '\u00a0',
        'null',
      ]);
      const damaged = text.slice(0, at) + damage + text.slice(at + random.below(2));
      let expected = true;
      try {
        JSON.parse(damaged);
      } catch {
        expected = false;
      }
      if (expected) continue;
      refused++;
      const refusal = refusalOf(() => parseJson(damaged));
      expect(refusal.key).toBe('invalidJson');
      expect(refusal.reason).toMatch(/^The body is not valid JSON: line \d+, column \d+: /);
    }
    expect(refused).toBeGreaterThan(rounds(200, 2000));
  });
});

describe('a body is refused with a reason', () => {
  test.each([
    ['a missing value', '{"resourceType":"Patient",\n"active": }', 'line 2, column 11: a value was expected'],
    ['nothing at all', '', 'line 1, column 1: a value was expected, but the body ends here'],
    ['something after the end', '{} {}', 'line 1, column 4: the end of the body was expected'],
    ['a comma too many', '[1,]', 'line 1, column 4: a value was expected'],
    [
      'a name without quotes',
      '{active:true}',
      'line 1, column 2: a member name in double quotes was expected',
    ],
    ['a number as a name', '{1.00:true}', 'line 1, column 2: a member name in double quotes was expected'],
    ['a leading zero', '[01]', 'line 1, column 2: a value was expected'],
    ['a bare point', '[1.]', 'line 1, column 2: a value was expected'],
    ['a line break in a string', '["a\nb"]', 'line 1, column 4: a line break, tab'],
    ['an open string', '["abc', 'line 1, column 6: a string is not closed, but the body ends here'],
    ['single quotes', "{'a':1}", 'line 1, column 2: a member name'],
    ['NaN', '[NaN]', 'line 1, column 2: a value was expected'],
    [
      'an object that ends early',
      '{"a":{"b":1}',
      "line 1, column 13: ',' or '}' was expected, but the body ends here",
    ],
  ])('%s', (_case, text, reason) => {
    const refusal = refusalOf(() => parseJson(text));
    expect(refusal).toMatchObject({ key: 'invalidJson', status: 400 });
    expect(refusal.reason).toContain(reason);
  });

  test('a member that occurs twice is named by its path', () => {
    const text =
      '{"resourceType":"Patient","name":[{"family":"Chalmers"},{"family":"A","given":["B"],"family":"C"}]}';
    expect(refusalOf(() => parseJson(text))).toEqual({
      key: 'invalidResource',
      status: 400,
      reason: "The member 'family' occurs twice in Patient.name[1]",
      expression: 'Patient.name[1].family',
    });
  });

  test('a member that occurs twice, once with an escape, is found', () => {
    expect(refusalOf(() => parseJson('{"a":1,"\\u0061":2}')).expression).toBe('a');
    expect(refusalOf(() => parseJson('[{"a":1,"a":1}]')).expression).toBe('$this[0].a');
  });

  test.each(['__proto__', 'constructor', '\\u005f_proto__'])('a member %s is refused anywhere', (name) => {
    for (const text of [
      `{"${name}":{"polluted":1}}`,
      `{"resourceType":"Basic","extension":[{"${name}":1}]}`,
    ]) {
      expect(refusalOf(() => parseJson(text))).toMatchObject({ key: 'invalidResource', status: 400 });
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('a member called like a method of objects is only a member', () => {
    expect(roundTrip('{"toString":1,"hasOwnProperty":2,"prototype":3}')).toBe(
      '{"toString":1,"hasOwnProperty":2,"prototype":3}',
    );
  });

  test('U+0001 is refused, since it marks decimals', () => {
    const refusal = refusalOf(() => parseJson('{"resourceType":"Basic","id":"\\u00011.00"}'));
    expect(refusal).toMatchObject({ key: 'invalidValue', expression: 'Basic.id' });
    expect(refusalOf(() => parseJson('{"a\\u0001":1}')).key).toBe('invalidValue');
    expect(refusalOf(() => parseJson('["\u0001"]')).key).toBe('invalidJson');
  });

  test.each(['"\\ud800"', '"\\udc00\\ud800"', '"a\ud83d"', '"\\ud83dx"'])(
    'half of a surrogate pair is refused: %j',
    (text) => {
      expect(refusalOf(() => parseJson(`{"resourceType":"Basic","code":{"text":${text}}}`))).toMatchObject({
        key: 'invalidValue',
        expression: 'Basic.code.text',
      });
    },
  );

  test.each(['"\\ud83d\\ude00"', '"😀"', '"\\ud83d\ude00"'])('a whole pair is accepted: %j', (text) => {
    expect(parseJson(text).value).toBe('😀');
  });

  test('nesting is allowed up to the limit and refused beyond it, however deep', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(64)).value).toHaveLength(1);
    expect(refusalOf(() => parseJson(nested(65)))).toMatchObject({ key: 'invalidResource', status: 400 });
    expect(refusalOf(() => parseJson(nested(65)))).toMatchObject({
      reason: 'The body is nested deeper than 64 levels',
      expression: `$this${'[0]'.repeat(64)}`,
    });
    expect(refusalOf(() => parseJson('{"a":'.repeat(5_000_000))).status).toBe(400);
    expect(parseJson(`${nested(3)}`, { maxDepth: 3 }).value).toHaveLength(1);
    expect(refusalOf(() => parseJson(nested(4), { maxDepth: 3 })).status).toBe(400);
    expect(parseJson(`["${'['.repeat(200)}"]`).value).toHaveLength(1);
  });

  test('too deep nesting is reported with its expression, which begins with the type if that comes first', () => {
    const patient = (rest: string): string => `{"resourceType":"Patient","id":"a",${rest}`;
    const limits = { maxDepth: 3 };
    const deep = '"active":true,"name":[{"a":1},{"period":{"extension":[]}}]}';
    expect(refusalOf(() => parseJson(patient(deep), limits)).expression).toBe('Patient.name[1].period');
    expect(refusalOf(() => parseJson(`{${deep}`, limits)).expression).toBe('name[1].period');
    expect(refusalOf(() => parseJson('{"resourceType":5,"a":[[[]]]}', limits)).expression).toBe('a[0][0]');
    expect(refusalOf(() => parseJson(patient('"a":x,"b":[[[[]]]]}'), limits))).toMatchObject({
      key: 'invalidJson',
      reason: 'The body is not valid JSON: line 1, column 40: a value was expected',
    });
  });

  test('a byte order mark is ignored', () => {
    expect(parseJson('\ufeff{"a":1}').value).toEqual({ a: 1 });
  });

  test('a large body with a fault near its end is refused in good time', () => {
    const many = Array.from({ length: 200_000 }, (_unused, index) => `{"value":${index}.00,"unit":"mg"}`);
    const spent = leastProcessorMilliseconds(15_000, () => {
      expect(refusalOf(() => parseJson(`[${many.join(',')},{"a":1,"a":2}]`)).expression).toBe(
        '$this[200000].a',
      );
    });
    expect(spent).toBeLessThan(15_000);
  });
});

describe('values that were not parsed from text', () => {
  const copy = (value: unknown): unknown => copyJson(value, { maxDepth: 4, bytes: 1000, marked: false });

  test('become plain objects', () => {
    const bare: unknown = Object.assign(Object.create(null), { a: [1, null, 'x', true] });
    const copied = copy(bare);
    expect(copied).toEqual({ a: [1, null, 'x', true] });
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype);
  });

  test('are refused when they are not JSON, too deep, too large or dangerous', () => {
    const own: unknown = JSON.parse('{"__proto__":{"polluted":1}}');
    for (const value of [
      undefined,
      NaN,
      Infinity,
      1n,
      () => 1,
      { a: undefined },
      '\u0001',
      'a\ud800',
      own,
      { constructor: 1 },
    ]) {
      expect(refusalOf(() => copy(value)).key).toBe('invalidValue');
    }
    expect(refusalOf(() => copy([[[[[]]]]])).key).toBe('invalidResource');
    expect(refusalOf(() => copy('x'.repeat(1001))).key).toBe('tooCostly');
  });

  test('may hold marked decimals', () => {
    const allowance = { maxDepth: 4, bytes: 1000, marked: false };
    expect(copyJson(['\u00011.00'], allowance)).toEqual(['\u00011.00']);
    expect(allowance.marked).toBe(true);
  });
});

describe('values', () => {
  test.each([
    ['objects', '{},', 4_000_000],
    ['arrays', '[],', 4_000_000],
    ['numbers whose digits are kept', '1.0,', 1_000_000],
  ])('more %s than there is memory for are refused before they are made', (_title, value, most) => {
    const refuse = (count: number): unknown => refusalOf(() => parseJson(`[${value.repeat(count)}0]`));
    const spent = leastProcessorMilliseconds(3000, () => {
      expect(refuse(15_000_000)).toMatchObject({ key: 'tooCostly', status: 422 });
    });
    expect(spent).toBeLessThan(3000);
    expect(refuse(most + 1)).toMatchObject({ key: 'tooCostly' });
  });

  test('as many as FHIR has in 64 MB are taken', () => {
    const { value } = parseJson(`[${'{"a":1},'.repeat(500_000)}0]`);
    expect(value).toHaveLength(500_001);
  });
});

describe('different member names', () => {
  const textOf = (count: number): string =>
    `{"a":[${Array.from({ length: count }, (_, index) => `{"n${index}":1}`).join()}]}`;

  it('are refused when there are more than FHIR can have, before they cost anything', () => {
    expect(refusalOf(() => parseJson(textOf(300_000)))).toMatchObject({
      status: 400,
      reason: 'The body has more than 8000 different member names, which is more than FHIR has',
    });
  });

  it('are not counted twice, and may be as many as FHIR has', () => {
    expect(() => parseJson(textOf(8_000))).not.toThrow();
    expect(() => parseJson(`[${'{"a":1,"b":2},'.repeat(100_000)}{}]`)).not.toThrow();
  });
});
