import { buildSchema, getIntrospectionQuery, type GraphQLObjectType, Kind, parse } from 'graphql';
import { SETTINGS } from '../../src/config/table';
import { COST_OF_READ, costOfOperation, costOfSearch } from '../../src/schema/cost';

const schema = buildSchema(`
  interface Resource { id: ID }
  type Patient implements Resource { id: ID name: String list(_count: Int): [Observation] contained: [Resource] }
  type Observation implements Resource { id: ID subject: Reference }
  type Reference { resource: Resource }
  type Coding { display(language: String): String }
  type Query { expand: Patient codings: [Coding] patients(_count: Int = 3, asOf: String): [Patient] patient(id: ID): Patient self: Query }
`);
const fieldsOf = (name: string) => (schema.getType(name) as GraphQLObjectType).getFields();
fieldsOf('Query')['patients']!.extensions = { cost: costOfSearch(['_count'], 50) };
fieldsOf('Query')['patient']!.extensions = { cost: COST_OF_READ };
fieldsOf('Patient')['list']!.extensions = { cost: costOfSearch(['_count'], 50) };
fieldsOf('Reference')['resource']!.extensions = { cost: COST_OF_READ };
fieldsOf('Query')['expand']!.extensions = { cost: { base: 100, items: () => 1, isApart: true } };
fieldsOf('Coding')['display']!.extensions = { cost: { base: 10, items: () => 1, onlyWith: 'language' } };

function costOf(text: string, variables: Record<string, unknown> = {}): { cost: number; levels: number } {
  const document = parse(text);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  return costOfOperation(schema, document, operation, variables);
}

describe('the cost of an operation', () => {
  it.each([
    ['nothing', '{ __typename }', 0, 0],
    ['a read', '{ patient(id: 1) { id name } }', 2, 1],
    ['a search with the default of its argument', '{ patients { id } }', 13, 1],
    ['a search with a page size', '{ patients(_count: 20) { id name } }', 30, 1],
    ['a page of null', '{ patients(_count: null) { id } }', 60, 1],
    ['a negative page', '{ patients(_count: -5) { id } }', 10, 1],
    ['more than any page has', '{ patients(_count: 1000000) { id } }', 1010, 1],
    ['a search as of a moment', '{ patients(_count: 20, asOf: "2024-01-01T00:00:00Z") { id name } }', 1030, 1],
    ['lists in lists', '{ patients(_count: 20) { list(_count: 5) { id } } }', 20 + 20 * (1 + 5), 2],
    ['three levels', '{ patients(_count: 20) { list(_count: 5) { subject { resource { id } } } } }', 21 + 20 * (1 + 5 * (1 + 1)), 3],
    ['aliases', '{ a: patients(_count: 1) { id } b: patients(_count: 1) { id } }', 22, 1],
    ['a field that is named twice', '{ patients(_count: 1) { id } patients(_count: 1) { name } }', 11, 1],
    ['fragments', '{ ...f ... on Query { ...f } } fragment f on Query { patients(_count: 1) { ...g } } fragment g on Patient { list(_count: 1) { id } }', 20 + 2, 2],
    ['fragments of several types', '{ patient { contained { ... on Patient { list(_count: 1) { id } } ... on Observation { subject { resource { id } } } } } }', 12 + 3, 2],
    ['what is no part of a snapshot', '{ expand { list(_count: 1) { id } } }', 101 + 11, 1],
    ['a field that reads with an argument', '{ codings { display(language: "de") } }', 11, 1],
    ['a field that reads with an argument, without it', '{ codings { a: display b: display(language: null) } }', 0, 0],
    ['what is left out', '{ patients(_count: 9) @skip(if: true) { id } patient @include(if: true) { id } }', 2, 1],
  ])('is calculated before it runs: %s', (_what, text, cost, levels) => {
    expect(costOf(text)).toMatchObject({ cost, levels });
  }); // prettier-ignore

  it('reads page sizes and conditions from variables', () => {
    const text = `query($n: Int, $m: Int, $skip: Boolean!) {
      patients(_count: $n) { list(_count: $m) @skip(if: $skip) { id } }
    }`;
    expect(costOf(text, { n: 100, m: 100, skip: false }).cost).toBe(20 + 100 * (1 + 100));
    expect(costOf(text, { n: 100, m: 100, skip: true }).cost).toBe(110);
    const display = 'query($language: String) { codings { display(language: $language) } }';
    expect([costOf(display).cost, costOf(display, { language: 'de' }).cost]).toEqual([0, 11]);
    // Without a value, an argument has its default.
    expect(costOf(text, { m: 2, skip: false }).cost).toBe(20 + 3 * (1 + 2));
  });

  it('has one statement for the lists of up to 256 resources', () => {
    const text = 'query($n: Int) { patients(_count: $n) { list(_count: 1) { id } } }';
    expect(costOf(text, { n: 256 }).cost).toBe(20 + 256 * 2);
    expect(costOf(text, { n: 257 }).cost).toBe(30 + 257 * 2);
  });

  it('allows a board of 100 patients with two lists and what those refer to', () => {
    const list = 'list { subject { resource { id } } }';
    const { cost } = costOf(`{ patients(_count: 100) { a: ${list} b: ${list} } }`);
    expect(cost).toBeLessThan(SETTINGS.execution.cost.default);
    expect(cost).toBe(10 + 2 * (10 + 20) + 100 * (1 + 2 * 50 * 2));
  });

  it('grows with the size of the lists of introspection, and with each repetition', () => {
    const once = costOf(getIntrospectionQuery()).cost;
    const twice = costOf(
      `{ a: __schema { types { fields { args { name } } } } b: __schema { types { fields { args { name } } } } }`,
    );
    const nested = (levels: number): number =>
      costOf(`{ __schema { types ${'{ fields { type '.repeat(levels)}{ name }${' } }'.repeat(levels)} } }`)
        .cost;
    expect(once).toBeGreaterThan(0);
    expect(twice.cost).toBeGreaterThan(0);
    expect(nested(6)).toBeGreaterThan(4 * nested(3));
  });
});
