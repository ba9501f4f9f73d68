import { buildSchema, getIntrospectionQuery, parse, validate } from 'graphql';
import { DEFAULT_LIMITS, limitRule, measureText } from '../../src/schema/limits';
import { leastProcessorMilliseconds } from '../support/processor-time';

const schema = buildSchema('type Query { a: Query b(x: [Int], q: String): Query id: ID }');

const refusalOfText = (text: string): string | undefined => measureText(text, DEFAULT_LIMITS)?.message;
const refusalOfRule = (text: string): string[] =>
  validate(schema, parse(text), [limitRule(DEFAULT_LIMITS)]).map((error) => error.message);
const times = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

describe('before a document is parsed', () => {
  it('passes the introspection query of GraphiQL', () => {
    const text = getIntrospectionQuery({ schemaDescription: true, inputValueDeprecation: true });
    expect(refusalOfText(text)).toBeUndefined();
    expect(refusalOfRule(text)).toEqual([]);
  });

  it.each([
    ['10,000 aliases', `{${times(10_000, (index) => `a${index}: id`)}}`, '500 aliases'],
    ['a name used over and over', `{${times(501, () => 'id')}}`, "500 uses of the name 'id'"],
    ['200 levels of fields', `${'{a'.repeat(200)}${'}'.repeat(200)}`, '100 nested levels'],
    ['200 levels of a list', `{b(x: ${'['.repeat(200)}${']'.repeat(200)})}`, '100 nested levels'],
    [
      'fragments that spread each other',
      times(301, (index) => `fragment f${index} on Query{...f${index + 1}}`),
      '300 uses of fragments',
    ],
    ['directives', `{${times(201, (index) => `x${index} @a`)}}`, '200 directives'],
    ['a hundred thousand words', 'word '.repeat(100_000), "500 uses of the name 'word'"],
    [
      'a hundred thousand different words',
      `{b(q: [${times(100_000, (index) => `w${index}`)}])}`,
      '10000 words',
    ],
    ['a long text', `{b(q: "${'x'.repeat(1_000_000)}")}`, '1000000 characters outside of variables'],
  ])('refuses %s', (_what, text, limit) => {
    let refusal: string | undefined;
    const spent = leastProcessorMilliseconds(250, () => (refusal = refusalOfText(text)));
    expect(refusal).toContain(`more than ${limit}`);
    expect(spent).toBeLessThan(250);
  });

  it('does not count names inside of arguments', () => {
    expect(refusalOfText(`{b(x: [${times(900, () => 'x')}])}`)).toBeUndefined();
  });

  it('leaves invalid GraphQL to the parser', () => {
    expect(refusalOfText('{"resourceType": \u0000')).toBeUndefined();
  });
});

describe('before a document runs', () => {
  it('refuses more than 20 levels of fields, through fragments as well', () => {
    const deep = (levels: number): string => `${'{a'.repeat(levels - 1)}{id}${'}'.repeat(levels - 1)}`;
    expect(refusalOfRule(deep(20))).toEqual([]);
    expect(refusalOfRule(deep(21))).toEqual([
      'The document has more than 20 levels of fields, which is the limit',
    ]);
    expect(refusalOfRule(`{a{...f}} fragment f on Query ${deep(20)}`)).toHaveLength(1);
    expect(refusalOfRule(`{a{...f}} fragment f on Query ${deep(19)}`)).toEqual([]);
  });

  it('refuses more than 50 fields at the root, spread or not', () => {
    expect(refusalOfRule(`{${times(50, (index) => `x${index}: id`)}}`)).toEqual([]);
    expect(refusalOfRule(`{${times(51, (index) => `x${index}: id`)}}`)).toHaveLength(1);
    expect(
      refusalOfRule(`{...f ...f} fragment f on Query {${times(26, (index) => `x${index}: id`)}}`),
    ).toHaveLength(1);
  });

  it('counts the fields that fragments multiply without multiplying its own work', () => {
    const doubling = times(
      60,
      (index) => `fragment f${index} on Query {a{...f${index + 1}} b{...f${index + 1}}}`,
    );
    let refusals: string[] = [];
    const spent = leastProcessorMilliseconds(250, () => {
      refusals = refusalOfRule(`{...f0} ${doubling} fragment f60 on Query {id}`);
    });
    expect(refusals).toHaveLength(1);
    expect(spent).toBeLessThan(250);
  });

  it('ends on fragments in circles', () => {
    expect(refusalOfRule('{...f} fragment f on Query {a{...g}} fragment g on Query {a{...f}}')).toEqual([]);
  });
});
