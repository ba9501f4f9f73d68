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

function isTooLong(type: GraphQLInputType, value: unknown): boolean {
  if (isNonNullType(type)) return isTooLong(type.ofType, value);
  if (isListType(type)) {
    if (Array.isArray(value)) return value.some((item) => isTooLong(type.ofType, item));
    return isTooLong(type.ofType, value);
  }
  if (typeof value === 'string') {
    const mayBeLong = isScalarType(type) && !SHORT_SCALARS.has(type);
    return !mayBeLong && value.length > LONGEST;
  }
  if (!isInputObjectType(type) || typeof value !== 'object' || value === null) return false;
  const fields = type.getFields();
  return Object.entries(value).some(([name, member]) => {
    const field = fields[name];
    return field !== undefined && isTooLong(field.type, member);
  });
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
    if (!isInputType(type) || !isTooLong(type, variables[name])) continue;
    const message = `Variable "$${name}" has a text of more than ${LONGEST} characters where none may be so long`;
    return new GraphQLError(message, { nodes: definition, extensions: { code: 'BAD_USER_INPUT' } });
  }
  return undefined;
}
