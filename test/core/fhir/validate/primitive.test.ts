import type { Release } from '../../../../src/core/fhir/release';
import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import { parseJson, type JsonValue } from '../../../../src/core/fhir/json';
import { compilePrimitive } from '../../../../src/core/fhir/validate/primitive';
import { Random } from '../random-json';
import { leastProcessorMilliseconds } from '../../../support/processor-time';
import { TESTED_RELEASES } from '../../../support/releases';

/** As the validator gets it: a literal of JSON, read by our own parser. */
function value(literal: string): JsonValue {
  const { value: list } = parseJson(`[${literal}]`);
  return Array.isArray(list) ? (list[0] ?? null) : null;
}

function fault(type: string, literal: string, release: Release = 'r4'): string | undefined {
  return compilePrimitive(loadDefinitions(release), type)(value(literal));
}

const MB = 1_048_576;

/** By type: JSON literals that are values of it, and such as are not. */
const CASES: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> = {
  boolean: { good: ['true', 'false'], bad: ['"true"', '0', '1', 'null', '[]', '{}'] },
  integer: {
    good: ['0', '-0', '-1', '2147483647', '-2147483648'],
    bad: ['2147483648', '-2147483649', '1.0', '1.5', '1e3', '1E0', '"1"', '1e400', '12345678901234567890', 'true'],
  },
  unsignedInt: { good: ['0', '1', '2147483647'], bad: ['-1', '-0', '2147483648', '0.0', '"0"'] },
  positiveInt: { good: ['1', '2147483647'], bad: ['0', '-1', '2147483648', '1.0', '"1"'] },
  decimal: {
    good: ['1', '1.00', '0.10', '1e-7', '1E+5', '-0', '123456789012345678', '3.14159265358979323846', '1e400'],
    bad: ['"1.0"', 'true', 'null', '{}', `1.${'0'.repeat(399)}`],
  },
  string: {
    good: ['"a"', '" a "', '" "', '"\\t\\r\\n"', '"寿司 😀"', '"\\u00a0"', '"\\u007f"', `"${'a'.repeat(MB)}"`, `"${'😀'.repeat(MB)}"`],
    bad: ['""', '1', '1.00', 'true', '"\\u0000"', '"\\u0007"', '"a\\u000b"', '"\\u001f"', `"${'a'.repeat(MB + 1)}"`, `"${'😀'.repeat(MB + 1)}"`],
  },
  markdown: { good: ['"# Title\\n\\n* a"'], bad: ['""', '5', '"\\u0002"', `"${'a'.repeat(MB + 1)}"`] },
  code: {
    good: ['"a"', '"a b"', '"<="', '"vital-signs"', '"µg"'],
    bad: ['""', '" "', '" a"', '"a "', '"a  b"', '"a\\tb"', '"a\\nb"', '"a\\u0000b"', '5', '1.0'],
  },
  id: {
    good: ['"a"', '"A-1.b"', `"${'9'.repeat(64)}"`],
    bad: ['""', '"a_b"', '"a b"', '"é"', '"a\\n"', `"${'9'.repeat(65)}"`, '1'],
  },
  uri: {
    good: ['"a"', '"#p1"', '"http://a.b/c?d=e#f"', '"urn:oid:1.2"', '"http://müller.example"', '"http://a/{id}|1.0"'],
    bad: ['""', '" "', '"http://a b"', '"http://a "', '"a\\tb"', '"a\\u00a0b"', '"a\\u2028b"', '"a\\u0000"', '1', '1.0'],
  },
  url: { good: ['"http://a.b"', '"mailto:a@b.c"'], bad: ['""', '"http://a b"'] },
  canonical: { good: ['"http://a.b|1.0#c"', '"#c"'], bad: ['""', '"http://a.b |1.0"'] },
  oid: {
    good: ['"urn:oid:1.2.3.4.5"', '"urn:oid:2.16.840.1.113883"', '"urn:oid:0.0"'],
    bad: ['"1.2.3"', '"urn:oid:"', '"urn:oid:1"', '"urn:oid:3.1"', '"urn:oid:1.02"', '"urn:oid:1..2"', '"urn:oid:1.2."', '"URN:OID:1.2"', '""'],
  },
  uuid: {
    good: ['"urn:uuid:c757873d-ec9a-4326-a141-556f43239520"'],
    bad: ['"urn:uuid:C757873D-EC9A-4326-A141-556F43239520"', '"c757873d-ec9a-4326-a141-556f43239520"', '"urn:uuid:c757873d-ec9a-4326-a141-556f4323952"', '"urn:uuid:c757873d-ec9a-4326-a141-556f43239520\\n"', '""'],
  },
  base64Binary: {
    good: ['"AAAA"', '"AA=="', '"AAA="', '"AAAA\\r\\nAAAA"', '" AAAA "', '"A A A A"', '"+/az"'],
    bad: ['""', '" "', '"A"', '"AA="', '"AAA"', '"A==="', '"===="', '"AA==AA=="', '"A=AA"', '"-_-_"', '"AAA\\u00a0"', '"AAAé"', '"AAAA="', '5'],
  },
  date: {
    good: ['"2018"', '"1973-06"', '"1905-08-23"', '"2024-02-29"', '"2000-02-29"', '"0001-01-01"', '"9999-12-31"'],
    bad: ['"2023-02-29"', '"1900-02-29"', '"0000"', '"2023-13"', '"2023-00"', '"2023-04-31"', '"2023-01-00"', '"2023-1-1"', '"2023-01-01T00:00:00Z"', '"2023-01-01Z"', '"23-01-01"', '"20230101"', '"2023-"', '" 2023"', '"2023 "', '""', '2023', 'null', '"not a date"', '"２０２３"'],
  },
  dateTime: {
    good: ['"2018"', '"1973-06"', '"1905-08-23"', '"2015-02-07T13:28:17-05:00"', '"2017-01-01T00:00:00.000Z"', '"2016-12-31T23:59:60Z"', '"2015-02-07T13:28:17+14:00"', '"2015-02-07T13:28:17-14:00"', '"2015-02-07T13:28:17.123456789+00:00"'],
    bad: ['"2015-02-07T13:28:17"', '"2015-02-07T13:28Z"', '"2015-02-07T13:28-05:00"', '"2015-02-07T24:00:00Z"', '"2015-02-07T23:60:00Z"', '"2015-02-07T23:59:61Z"', '"2015-02-07T13:28:17-14:01"', '"2015-02-07T13:28:17+15:00"', '"2015-02-07T13:28:17+05:60"', '"2015-02-07T13:28:17.Z"', '"2015-02-07 13:28:17Z"', '"2015-02-07T13:28:17z"', '"2015-02-07T13:28:17+0500"', '"2015-02-07T13:28:17Z "', '"2015-02-07T"', '"2015-02T13:28:17Z"', '"2015-02-30T13:28:17Z"', '""'],
  },
  instant: {
    good: ['"2015-02-07T13:28:17.239+02:00"', '"2017-01-01T00:00:00Z"', '"2016-12-31T23:59:60Z"'],
    bad: ['"2015-02-07"', '"2015"', '"2015-02-07T13:28:17"', '"2015-02-07T13:28Z"', '"2023-02-29T00:00:00Z"', '"2015-02-07T13:28:17-14:01"', '1423315697'],
  },
  time: {
    good: ['"00:00:00"', '"23:59:59"', '"23:59:60"', '"12:00:00.5"'],
    bad: ['"24:00:00"', '"12:00"', '"12:00:00Z"', '"12:00:00+01:00"', '"12:60:00"', '"12:00:61"', '"12:00:00."', '"1:00:00"', '"T12:00:00"', '""'],
  },
  xhtml: { good: ['"<div/>"'], bad: ['""', '5', '1.0', 'null', '{}'] },
}; // prettier-ignore

describe.each(TESTED_RELEASES)('Primitive values of %s', (release) => {
  const definitions = loadDefinitions(release);

  it('have a check and examples for every primitive type', () => {
    const types = typesOf(release);
    expect(types.length).toBeGreaterThanOrEqual(20);
    expect(Object.keys(CASES).sort()).toEqual(types);
  });

  it.each(Object.entries(CASES))(
    'are allowed and refused as the specification says: %s',
    (type, { good, bad }) => {
      const check = compilePrimitive(definitions, type);
      const refused = good.filter((literal) => check(value(literal)) !== undefined);
      const accepted = bad.filter((literal) => check(value(literal)) === undefined);
      expect({ refused, accepted }).toEqual({ refused: [], accepted: [] });
    },
  );

  it('are refused with what was found, why, and what is allowed, in a sentence of bounded length', () => {
    for (const [type, { bad }] of Object.entries(CASES)) {
      for (const literal of bad) {
        const sentence = fault(type, literal, release);
        expect(sentence).toMatch(new RegExp(`^.+ is not an? ${type}(: .+)?; allowed: .+$`, 'su'));
        expect(sentence?.length).toBeLessThan(300);
      }
    }
  });

  it('are too long only beyond the limit of the specification, counted in characters', () => {
    const check = compilePrimitive(definitions, 'string');
    const sentence = /^'a{80}…' is not a string: it is too long; allowed: at most 1048576 characters$/;
    expect(check('a'.repeat(MB + 1))).toMatch(sentence);
    expect(check('😀'.repeat(MB))).toBeUndefined();
  });

  it('are validated in linear time, with any content', () => {
    const bits = ['a', '1', ' ', 'a ', '\n', '=', 'AAA=', '.1', '-', '寿', '😀', '\u0007'];
    for (const type of typesOf(release)) {
      const check = compilePrimitive(definitions, type);
      for (const bit of bits) {
        const text = (STARTS[type] ?? '') + bit.repeat(Math.floor(4_000_000 / bit.length));
        // Makes it one flat string, as the parser gives it, so that the making is not measured.
        text.charCodeAt(0);
        expect(leastProcessorMilliseconds(1_000, () => check(text))).toBeLessThan(1_000);
      }
    }
  });

  it('are checked by the regular expressions of the definitions, except where the text of the specification differs', () => {
    const random = new Random(20_260_801);
    const differences: unknown[] = [];
    for (const type of typesOf(release)) {
      const regex = definitions.structure(type)?.regex;
      const literals = TEXTS.get(type);
      if (regex === undefined || literals === undefined) continue;
      const check = compilePrimitive(definitions, type);
      const official = new RegExp(`^(?:${regex})$`);
      for (let round = 0; round < 4_000; round++) {
        const text = mutate(random.pick(literals), random);
        const isAllowed = EXCEPTIONS[type]?.(text) ?? official.test(text);
        if ((check(text) === undefined) !== isAllowed) differences.push({ type, text, isAllowed });
      }
    }
    expect(differences).toEqual([]);
  });
});

/** Beginnings after which a text of the type may be of any length. */
const STARTS: Readonly<Record<string, string>> = {
  oid: 'urn:oid:1.',
  time: '12:00:00.',
  dateTime: '2017-01-01T00:00:00.',
  instant: '2017-01-01T00:00:00.',
};

it('A name that is no primitive type has no check', () => {
  expect(() => compilePrimitive(loadDefinitions('r4'), 'Patient')).toThrow(
    "'Patient' is not a primitive type",
  );
  expect(() => compilePrimitive(loadDefinitions('r4'), 'nothing')).toThrow(
    "'nothing' is not a primitive type",
  );
});

it.each([
  ['date', '"2023-02-29"', "'2023-02-29' is not a date: 2023-02 has the days 01 to 28; allowed: YYYY, YYYY-MM or YYYY-MM-DD"],
  ['instant', '"2015-02-07T13:28:17"', "'2015-02-07T13:28:17' is not an instant: the zone is missing; allowed: YYYY-MM-DDThh:mm:ss.sss+zz:zz"],
  ['dateTime', '"2015-02-07T13:28Z"', "'2015-02-07T13:28Z' is not a dateTime: the seconds are missing; allowed: YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ss+zz:zz"],
  ['integer', '1.0', 'The number 1.0 is not an integer; allowed: whole numbers from -2147483648 to 2147483647, as digits without a point or an exponent'],
  ['decimal', '"5.40"', "'5.40' is not a decimal; allowed: JSON numbers, such as 5.40"],
  ['canonical', '""', 'An empty string is not a canonical; allowed: at least one character, without white space'],
  ['boolean', '{"a":1}', 'An object is not a boolean; allowed: true and false'],
  ['string', '"a\\u0007"', "'a\ufffd' is not a string: it holds a control character; allowed: at least one character, below U+0020 only tab, line feed and carriage return"],
  ['code', '["a"]', 'An array is not a code; allowed: text in quotation marks: at least one character, without white space but for single spaces inside'],
])('The sentence for a %s of %s is one that a person can act on', (type, literal, sentence) => {
  expect(fault(type, literal)).toBe(sentence);
}); // prettier-ignore

function typesOf(release: Release): string[] {
  const definitions = loadDefinitions(release);
  const types: string[] = [];
  for (let number = 1; ; number++) {
    const name = definitions.typeName(number);
    if (name === undefined) return types.sort();
    if (definitions.structure(name)?.kind === 'primitive') types.push(name);
  }
}

/** The texts among the cases, from which random ones are made. */
const TEXTS = new Map(
  Object.entries(CASES).flatMap(([type, { good, bad }]) => {
    const texts = [...good, ...bad]
      .map(value)
      .filter((text) => typeof text === 'string' && text.length < 100);
    const isText = !['boolean', 'integer', 'unsignedInt', 'positiveInt', 'decimal'].includes(type);
    return isText && texts.length > 0 ? [[type, texts as string[]] as const] : [];
  }),
);

const BITS = ['', '0', '1', '9', 'a', 'F', '=', '/', ' ', '  ', '\t', '\n', '\u0000', '\u000b', '\u00a0', '-', ':', '.', '+', 'Z', 'T', 'é', '\u2028', '\ufeff']; // prettier-ignore

function mutate(text: string, random: Random): string {
  let mutated = text;
  for (let changes = random.below(3); changes > 0; changes--) {
    const at = random.below(mutated.length + 1);
    mutated = mutated.slice(0, at) + random.pick(BITS) + mutated.slice(at + random.below(3));
  }
  return mutated;
}

/** True or false for a text that the regular expression of its type gets wrong; undefined where the expression is right. */
const EXCEPTIONS: Readonly<Record<string, (text: string) => boolean | undefined>> = {
  string: controlledText,
  markdown: controlledText,
  // "No whitespace other than single spaces", where `\s` of JavaScript knows more than XML does.
  code: (text) => text.split(' ').every((part) => part !== '' && [...part].every((character) => character > ' ')),
  uri: spacelessText,
  url: spacelessText,
  canonical: spacelessText,
  // Padding at the end only; white space anywhere.
  base64Binary: (text) => {
    const packed = text.replace(/[ \t\r\n]/g, '');
    return packed !== '' && Buffer.from(packed, 'base64').toString('base64').length === packed.length && /^[A-Za-z0-9+/]+={0,2}$/.test(packed);
  },
  date: dayThatIsNot,
  dateTime: dayThatIsNot,
  instant: dayThatIsNot,
}; // prettier-ignore

function controlledText(text: string): boolean {
  return text !== '' && [...text].every((character) => character >= ' ' || '\t\r\n'.includes(character));
}

function spacelessText(text: string): boolean {
  return text !== '' && [...text].every((character) => character > ' ' && character.trim() !== '');
}

/** False for a day that its month does not have. */
function dayThatIsNot(text: string): false | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCDate() === Number(day) ? undefined : false;
}
