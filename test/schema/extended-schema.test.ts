/**
 * A schema with search parameters of one space shares the types of its release, and equals the schema that is made at
 * once.
 */
import {
  assertInputObjectType,
  getNamedType,
  graphqlSync,
  parse,
  printSchema,
  validate,
  validateSchema,
} from 'graphql';
import { releaseDefinitions } from '../../src/core';
import { createSchema, extendSchema } from '../../src/resolvers';
import type { OwnDefinitions, SchemaDefinitions } from '../../src/schema/fhir';
import type { SchemaParameter } from '../../src/schema/fhir/definitions';
import { TESTED_RELEASES } from '../support/releases';

const parameter = (code: string, kind: string, parts: Partial<SchemaParameter> = {}): SchemaParameter => ({
  code,
  kind,
  description: undefined,
  targets: [],
  isExpression: false,
  ...parts,
});
const OWN: Readonly<Record<string, readonly SchemaParameter[]>> = {
  Patient: [
    parameter('nick-name', 'string'),
    parameter('constructor', 'token', { groupKind: 'token' }),
    parameter('ward', 'reference', { targets: ['Group', 'Location', 'Medication'], groupKind: 'reference' }),
  ],
  // Has none that refers to something in the release.
  Binary: [parameter('stored-for', 'reference', { targets: ['Patient', 'Practitioner'] })],
};

function withOwn(release: SchemaDefinitions, own: typeof OWN): OwnDefinitions {
  return {
    ...release,
    changed: new Set(Object.keys(own)),
    queries: [],
    searchParameters: (type) => [...release.searchParameters(type), ...(own[type] ?? [])],
  };
}

/** The content of a schema, in the order of the names of its types. */
const blocks = (text: string): string[] => text.split('\n\n').sort();

describe.each(TESTED_RELEASES)('a schema that extends the one of %s', (release) => {
  const definitions = releaseDefinitions(release);
  const schema = createSchema(definitions, { assumeValid: true });
  const own = extendSchema(schema, withOwn(definitions, OWN));

  it('makes the types that a document names, and nothing else', () => {
    const extended = extendSchema(schema, withOwn(definitions, OWN));
    const made = (): string[] =>
      Object.entries(Object.getOwnPropertyDescriptors(extended.getTypeMap()))
        .filter(([, { value }]) => value !== undefined && value !== schema.getType(value.name))
        .map(([name]) => name)
        .sort();
    expect(made()).toEqual([]);
    const document = parse(`query($where: ObservationWhere) {
      PatientList(ward: "Group/1", nick_name: "x") { id BinaryList(_reference: stored_for) { id } }
      ObservationList(where: $where) { subject { resource { ... on Patient { gender } } } }
    }`);
    expect(validate(extended, document)).toEqual([]);
    expect(validate(schema, document).map(({ message }) => message.split('"')[1])).toEqual([
      'ward',
      'nick_name',
      'BinaryList',
    ]);
    // There are some 2,000 types; those below these are reached without their names.
    expect(made()).toEqual(['ObservationWhere', 'Patient']);
  });

  it('equals the schema that is made at once', () => {
    const whole = createSchema(withOwn(definitions, OWN), { assumeValid: true });
    expect(blocks(printSchema(own))).toEqual(blocks(printSchema(whole)));
  });

  it('is valid, and has one type of each name', () => {
    // Its filter would be called like that of general-practitioner.
    const hair = parameter('generalPractitioner', 'reference', { targets: ['Group', 'Basic', 'Slot'] });
    const valid = extendSchema(schema, withOwn(definitions, { Patient: [...(OWN.Patient ?? []), hair] }));
    expect(validateSchema(Object.assign(valid, { __validationErrors: undefined }))).toEqual([]);
    const where = assertInputObjectType(valid.getType('PatientWhere')).getFields();
    const filters = ['general_practitioner', 'generalPractitioner'].map((name) =>
      getNamedType(where[name]?.type),
    );
    expect(filters.map((filter) => filter && valid.getType(filter.name))).toEqual(filters);
    expect(new Set(filters.map((filter) => filter?.name)).size).toBe(2);
  });

  it('is introspected like any other', () => {
    const { data } = graphqlSync({
      schema: own,
      source: `{ __type(name: "PatientWhere") { inputFields { name } }
        resource: __type(name: "Resource") { possibleTypes { name } }
        __schema { queryType { name } mutationType { name } subscriptionType { name } } }`,
    });
    expect(data).toMatchObject({
      __type: { inputFields: expect.arrayContaining([{ name: 'nick_name' }, { name: 'constructor' }]) },
      resource: { possibleTypes: expect.arrayContaining([{ name: 'Patient' }]) },
      __schema: {
        queryType: { name: 'Query' },
        mutationType: { name: 'Mutation' },
        subscriptionType: { name: 'LiveQuery' },
      },
    });
  });
});
