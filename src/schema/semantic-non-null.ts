/**
 * Fields that are null only together with an error (https://specs.apollo.dev/nullability/v0.4): clients that read the directive
 * need not expect null. It is applied in the text of the schema; introspection cannot show it.
 */
import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLInt,
  GraphQLList,
  type GraphQLSchema,
  isObjectType,
  printSchema,
} from 'graphql';

export const semanticNonNullDirective = new GraphQLDirective({
  name: 'semanticNonNull',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  description: 'Null only where there is an error for the field.',
  args: { levels: { type: new GraphQLList(GraphQLInt), defaultValue: [0] } },
});

/** Code of the error of a resource without an id; `formatError` adds FHIR's code. */
export const HAS_NO_ID = 'HAS_NO_ID';

/** Extensions of a field that is null only together with an error. */
export const SEMANTIC_NON_NULL = { isSemanticNonNull: true };

/** Returns the text of a schema, with the directive at its fields. */
export function printWithNullability(schema: GraphQLSchema): string {
  const marked = new Map(
    Object.values(schema.getTypeMap()).map((type) => {
      const fields = isObjectType(type) && !type.name.startsWith('__') ? Object.values(type.getFields()) : [];
      const lines = fields
        .filter(({ extensions }) => extensions['isSemanticNonNull'] === true)
        .map(({ name, type: of }) => `  ${name}: ${of.toString()}`);
      return [type.name, new Set(lines)] as const;
    }),
  );
  let current: ReadonlySet<string> | undefined;
  const lines = printSchema(schema).split('\n');
  return lines
    .map((line) => {
      const [, opened] = /^type (\w+) /.exec(line) ?? [];
      if (opened !== undefined) current = marked.get(opened);
      else if (line === '}') current = undefined;
      return current?.has(line) === true ? `${line} @${semanticNonNullDirective.name}` : line;
    })
    .join('\n');
}
