/**
 * The effects of the shaping directives on an answer, in cases without an example on HL7's page; the examples are
 * tested over HTTP.
 */
import { buildSchema, executeSync, GraphQLSchema, parse, validate } from 'graphql';
import { SHAPING_DIRECTIVES } from '../../src/schema/directives';
import { planShaping } from '../../src/gateway/shaping/plan';
import { shape } from '../../src/gateway/shaping/shape';
import { shapingRule } from '../../src/gateway/shaping/rule';
import { turnsDuring } from '../support/turns-during';

const types = buildSchema(`
  scalar code
  interface Resource { id: ID }
  type Query { patient: Patient, patients: [Patient], owner: Resource, owners: [Resource] }
  type Patient implements Resource {
    id: ID, active: Boolean, name: [HumanName], contact: [Contact], maritalStatus: CodeableConcept
    telecom: [ContactPoint], missing: [HumanName]
  }
  type Organization implements Resource { id: ID, name: String, telecom: [ContactPoint] }
  type HumanName { use: code, text: String, family: String, given: [String] }
  type Contact { name: HumanName, relationship: [CodeableConcept], telecom: [ContactPoint] }
  type CodeableConcept { text: String, coding: [Coding] }
  type Coding { code: code, system: String }
  type ContactPoint { system: code, value: String }
`);
const schema = new GraphQLSchema({
  ...types.toConfig(),
  directives: [...types.getDirectives(), ...SHAPING_DIRECTIVES],
});

const patient = {
  __typename: 'Patient',
  id: 'one',
  active: true,
  maritalStatus: { text: 'Married', coding: [{ code: 'M', system: 'v3' }] },
  name: [
    { use: 'official', family: 'Chalmers', given: ['Peter', 'James'] },
    { use: 'usual', given: ['Jim'] },
  ],
  telecom: [
    { system: 'phone', value: '1' },
    { system: 'email', value: '2' },
    { system: 'phone', value: '3' },
    { value: '4' },
  ],
  contact: [
    { name: { family: 'du Marché', given: ['Bénédicte'] }, telecom: [{ system: 'phone', value: '5' }] },
    {
      relationship: [{ text: 'owner', coding: [{ code: 'O' }, { code: 'P' }] }],
      telecom: [{ system: 'email', value: '6' }],
    },
  ],
};
const organization = { __typename: 'Organization', id: 'two', name: 'Gastro', telecom: [{ value: '7' }] };
const root = { patient, patients: [patient], owner: organization, owners: [patient, organization] };

/** The shaped data as JSON, or the messages of the errors. */
async function execute(
  text: string,
  variables: Record<string, unknown> = {},
): Promise<{ data: unknown; errors: string[] }> {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  expect(validate(schema, document, [shapingRule])).toEqual([]);
  const planned = planShaping(document, schema);
  if (!planned) throw new Error('nothing to shape');
  const result = executeSync({ schema, document: planned, rootValue: root, variableValues: variables });
  expect(result.errors).toBeUndefined();
  const { data, errors } = await shape(schema, {
    document: planned,
    operationName: undefined,
    variables,
    data: result.data ?? {},
  });
  return {
    data: JSON.parse(JSON.stringify(data)) as unknown,
    errors: errors.map((error) => `${error.path?.join('.')}: ${error.message}`),
  };
}

const CASES: readonly (readonly [title: string, text: string, expected: unknown])[] = [
  [
    'a field that does not repeat is flattened without lists, in its place',
    '{ patient { id maritalStatus @flatten { text coding { code } } active } }',
    { patient: { id: 'one', text: 'Married', coding: [{ code: 'M' }], active: true } },
  ],
  [
    'below two flattened fields one that repeats makes lists of all',
    '{ patient { contact @flatten { name @flatten { family given } } } }',
    { patient: { family: ['du Marché'], given: ['Bénédicte'] } },
  ],
  [
    'a singleton below two flattened fields is one value',
    '{ patient { contact @flatten { name @flatten { family @singleton given } } } }',
    { patient: { family: 'du Marché', given: ['Bénédicte'] } },
  ],
  [
    'a singleton below two flattened fields that repeat is one value',
    '{ patient { contact @first @flatten { telecom @flatten { value @singleton } } } }',
    { patient: { value: '5' } },
  ],
  [
    'objects that are flattened into the parent stay objects, and what is in them has its own form',
    '{ patient { contact @flatten { relationship { coding @flatten { code } text } } } }',
    { patient: { relationship: [{ code: ['O', 'P'], text: 'owner' }] } },
  ],
  [
    'what several fields are flattened into is a list, though each has one value',
    '{ patient { maritalStatus @flatten { text } again: maritalStatus @flatten { text } } }',
    { patient: { text: ['Married', 'Married'] } },
  ],
  [
    'a flattened root leaves the members of its children',
    '{ patients @flatten { id name @flatten { family } } }',
    { id: ['one'], family: ['Chalmers'] },
  ],
  [
    'nothing stands in the place of a flattened field that has no value',
    '{ patient { id missing @flatten { family } contact @flatten { name { use } } } }',
    { patient: { id: 'one', name: [{ use: null }] } },
  ],
  [
    'the first of a list is a list of one',
    '{ patient { name @first { family given @first } missing @first { family } } }',
    { patient: { name: [{ family: 'Chalmers', given: ['Peter'] }], missing: null } },
  ],
  [
    'a singleton needs no flattened parent',
    '{ patient { name @first @singleton { family } telecom @slice(path: "$index") @singleton { value } } }',
    {
      patient: {
        name: { family: 'Chalmers' },
        'telecom.0': { value: '1' },
        'telecom.1': { value: '2' },
        'telecom.2': { value: '3' },
        'telecom.3': { value: '4' },
      },
    },
  ],
  [
    'slices of equal names are lists, and what has no name has none',
    '{ patient { telecom @slice(path: "system") { value } } }',
    {
      patient: {
        'telecom.phone': [{ value: '1' }, { value: '3' }],
        'telecom.email': [{ value: '2' }],
        'telecom.': [{ value: '4' }],
      },
    },
  ],
  [
    'suffixes of nested slices are joined',
    '{ patient { contact @flatten @slice(path: "$index") { telecom @flatten @slice(path: "system") { value } } } }',
    { patient: { 'value.0.phone': ['5'], 'value.1.email': ['6'] } },
  ],
  [
    'a slice may be named by elements further down, of which there may be several',
    '{ patient { contact { relationship @slice(path: "coding.code") { text } } } }',
    { patient: { contact: [{}, { 'relationship.O,P': [{ text: 'owner' }] }] } },
  ],
  [
    'values are sliced by themselves',
    '{ patient { name @first { given @slice(path: "$this") @singleton } } }',
    { patient: { name: [{ 'given.Peter': 'Peter', 'given.James': 'James' }] } },
  ],
  [
    'an alias is the name that is lengthened',
    '{ patient { n: name @slice(path: "use") @flatten { f: family @singleton } } }',
    { patient: { 'f.official': 'Chalmers' } },
  ],
  [
    'fragments shape what they fit, by what each resource is',
    `query { owners { id ... on Patient { name @flatten { family } } ...Org } }
     fragment Org on Organization { title: name telecom @flatten { value @singleton } }`,
    {
      owners: [
        { id: 'one', family: ['Chalmers'] },
        { id: 'two', title: 'Gastro', value: '7' },
      ],
    },
  ],
  [
    'a directive on one of several selections of a field holds for all of them',
    '{ patient { name @first { family } name { use } } }',
    { patient: { name: [{ family: 'Chalmers', use: 'official' }] } },
  ],
];

it.each(CASES)('%s', async (_title, text, expected) => {
  expect(await execute(text)).toEqual({ data: expected, errors: [] });
});

it('skipped fields shape nothing, by variables and their defaults too', async () => {
  const text = `query ($off: Boolean = true) { patient { name @flatten @skip(if: $off) { family } name { use } } }`;
  expect((await execute(text)).data).toEqual({ patient: { name: [{ use: 'official' }, { use: 'usual' }] } });
  expect((await execute(text, { off: false })).data).toEqual({
    patient: { family: ['Chalmers'], use: ['official', 'usual'] },
  });
});

it('several values for a singleton are an error, and the rest is answered', async () => {
  expect(await execute('{ patient { id telecom @flatten { value @singleton } } }')).toEqual({
    data: { patient: { id: 'one', value: null } },
    errors: ["patient.value: @singleton allows one value, but there are several: 'value'"],
  });
});

it('children of different types are not collated', async () => {
  expect(
    await execute('{ patient { telecom @flatten { system } maritalStatus @flatten { system: text } } }'),
  ).toEqual({
    data: { patient: { system: null } },
    errors: ["patient.system: The values that are flattened into one list have different types: 'system'"],
  });
  expect(
    (
      await execute(
        '{ patient { telecom @flatten { value } contact @flatten { telecom @flatten { value } } } }',
      )
    ).data,
  ).toEqual({
    patient: { value: ['1', '2', '3', '4', '5', '6'] },
  });
});

it('elements of a long list are shaped in several turns, also where they all go into one object', async () => {
  // A value that takes a millisecond to read.
  const slow = { family: 'a' };
  Object.defineProperty(slow, 'family', {
    enumerable: true,
    get() {
      for (const until = performance.now() + 1; performance.now() < until;);
      return 'a';
    },
  });
  const document = planShaping(
    parse('{ patient { name @flatten @slice(path: "$index") { family } } }'),
    schema,
  );
  if (!document) throw new Error('nothing to shape');
  const name = Array.from({ length: 50 }, () => slow);
  let shaped: Awaited<ReturnType<typeof shape>> | undefined;
  const turns = await turnsDuring(async () => {
    shaped = await shape(schema, {
      document,
      operationName: undefined,
      variables: {},
      data: { patient: { name } },
    });
  });
  expect(Object.keys(shaped?.data['patient'] as object)).toHaveLength(50);
  expect(turns).toBeGreaterThanOrEqual(2);
});

it('a document without the directives has no plan', () => {
  expect(planShaping(parse('{ patient { id name @skip(if: true) { family } } }'), schema)).toBeUndefined();
});

it.each([
  ['{ patient { id @flatten } }', '@flatten needs a field that has fields'],
  ['{ patient { name @slice(path: "period.start") { family } } }', "@slice finds no value at 'period.start'"],
  ['{ patient { name @slice(path: "1 + 1") { family } } }', "@slice finds no value at '1 + 1' of HumanName"],
  [
    'query ($p: String!) { patient { name @slice(path: $p) { family } } }',
    'must be a string, not a variable',
  ],
  ['{ patient { __andiron_type: id } }', 'are reserved for the server'],
])('%s is refused before it runs', (text, reason) => {
  const errors = validate(schema, parse(text), [shapingRule]);
  expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining(reason)]);
});
