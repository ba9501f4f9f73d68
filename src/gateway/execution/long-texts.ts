/**
 * Refuses texts in variables that are too long for their type. graphql quotes the whole value that it refuses, and
 * Apollo searches the quotation for patterns: a text of 5 MB for a number took twice as long as parsing it.
 */
import {
  GraphQLBoolean,
  GraphQLError,
  GraphQLFloat,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';

/** Limit on the characters of a number, of an enum value, or of a string in the place of an object. */
const LONGEST = 1_000;

const SHORT_SCALARS = new Set<GraphQLInputType>([GraphQLInt, GraphQLFloat, GraphQLBoolean]);

type Test = (value: unknown) => boolean;

const never: Test = () => false;
const isLongText: Test = (value) => typeof value === 'string' && value.length > LONGEST;

/** Input types refer to each other in cycles, so each is prepared once. */
const tests = new WeakMap<GraphQLInputType, Test>();

/** Returns the test for too long texts in values of a type. It is cached, because graphql is slow to classify types. */
function testOf(type: GraphQLInputType): Test {
  const cached = tests.get(type);
  if (cached !== undefined) return cached;
  const made = makeTest(type);
  tests.set(type, made);
  return made;
}

function makeTest(type: GraphQLInputType): Test {
  if (isNonNullType(type)) return testOf(type.ofType);
  if (isListType(type)) {
    const inner = testOf(type.ofType);
    if (inner === never) return never;
    return (value) => (Array.isArray(value) ? value.some(inner) : inner(value));
  }
  if (isScalarType(type)) return SHORT_SCALARS.has(type) ? isLongText : never;
  if (!isInputObjectType(type)) return isLongText;
  return (value) => {
    if (typeof value !== 'object' || value === null) return isLongText(value);
    const fields = type.getFields();
    return Object.entries(value).some(([name, member]) => {
      const field = fields[name];
      return field !== undefined && testOf(field.type)(member);
    });
  };
}

/**
 * Returns the error for the first variable with such a text; undefined when there is none. Cost: one logEntry of each
 * value.
 */
export function refusalOfLongText(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): GraphQLError | undefined {
  for (const definition of variableDefinitions) {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type) || !testOf(type)(variables[name])) continue;
    const message = `Variable "$${name}" has a text of more than ${LONGEST} characters, which is too long for its type`;
    return new GraphQLError(message, { nodes: definition, extensions: { code: 'BAD_USER_INPUT' } });
  }
  return undefined;
}
