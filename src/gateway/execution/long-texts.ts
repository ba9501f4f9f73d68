/**
 * Texts in variables that are too long for what they stand for. graphql quotes the whole of a value that it refuses, and
 * Apollo looks for patterns in the quotation: a text of 5 MB for a number took twice as long as reading it had.
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

/** Characters of a number, of a name of an enumeration, or of what should be an object. */
const LONGEST = 1_000;

const SHORT_SCALARS = new Set<GraphQLInputType>([GraphQLInt, GraphQLFloat, GraphQLBoolean]);

type Test = (value: unknown) => boolean;

const never: Test = () => false;
const isLongText: Test = (value) => typeof value === 'string' && value.length > LONGEST;

/** Input types refer to each other in circles: each is made ready once. */
const tests = new WeakMap<GraphQLInputType, Test>();

/** Whether a value of the type has such a text. What a type is, is asked once: graphql takes long to tell. */
function testOf(type: GraphQLInputType): Test {
  const known = tests.get(type);
  if (known !== undefined) return known;
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

/** The refusal of the first variable with such a text; undefined where there is none. Cost: a look at each value. */
export function refusalOfLongText(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): GraphQLError | undefined {
  for (const definition of variableDefinitions) {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type) || !testOf(type)(variables[name])) continue;
    const message = `Variable "$${name}" has a text of more than ${LONGEST} characters where none may be so long`;
    return new GraphQLError(message, { nodes: definition, extensions: { code: 'BAD_USER_INPUT' } });
  }
  return undefined;
}
