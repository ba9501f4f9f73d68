import {
  buildSchema,
  GraphQLEnumType,
  GraphQLObjectType,
  GraphQLString,
  printSchema,
  validateSchema,
} from 'graphql';
import { graft, resourceTypeEnum } from '../../src/schema/graft';

const root = buildSchema(`
  scalar ResourceType
  interface Named { of(type: ResourceType): Resource }
  type Resource implements Named { of(type: ResourceType): Resource, all(b: Filter!, a: [ResourceType!]!): [Any!]! }
  input Filter { types: [ResourceType!], not: Filter }
  union Any = Resource | Query
  type Query { search(type: ResourceType!): Resource }
`);

describe('grafting types of a release onto the root schema', () => {
  it('puts a type in the place of its placeholder wherever that is used', () => {
    const schema = graft(root, [resourceTypeEnum(['Observation', 'Patient'])]);
    expect(validateSchema(schema)).toEqual([]);
    const type = schema.getType('ResourceType');
    expect(type).toBeInstanceOf(GraphQLEnumType);
    const search = schema.getQueryType()?.getFields().search;
    expect(String(search?.args[0]?.type)).toBe('ResourceType!');
    expect(schema.getType('Filter')).not.toBe(root.getType('Filter'));
    expect(printSchema(schema)).toContain('enum ResourceType {\n  Observation\n  Patient\n}');
    expect(printSchema(schema)).not.toContain('scalar ResourceType');
  });

  it('can replace an object type, and leaves the original as it was', () => {
    const resource = new GraphQLObjectType({ name: 'Resource', fields: { id: { type: GraphQLString } } });
    const schema = graft(root, [resource]);
    expect(validateSchema(schema)).toEqual([]);
    expect(schema.getType('Resource')).toBe(resource);
    expect(printSchema(root)).toContain('all(b: Filter!, a: [ResourceType!]!)');
  });

  it('has arguments in the order in which a reader of the source sees them', () => {
    expect(printSchema(graft(root, []))).toContain('all(a: [ResourceType!]!, b: Filter!)');
  });

  it('refuses a type of a kind that does not fit', () => {
    const filter = new GraphQLObjectType({ name: 'Filter', fields: { id: { type: GraphQLString } } });
    expect(
      validateSchema(graft(root, [filter]))
        .map(String)
        .join(),
    ).toMatch(/must be Input Type/i);
  });
});
