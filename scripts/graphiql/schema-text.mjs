/**
 * How the worker that completes and checks documents gets the schema. monaco-graphql would print it here (5 MB) and have the
 * worker parse and check that; the worker takes the answer to the introspection as well, as the text that it was.
 */
import { printSchema } from 'graphql';

/** Around what the worker wants. */
const [START, END] = ['{"data":', '}'];

let known;

/** Remembers the text of the last answer to an introspection. */
export function rememberSchema(text) {
  const isAnswer = text.startsWith(`${START}{"__schema":`) && text.endsWith(`}${END}`);
  known = isAnswer ? text.slice(START.length, -END.length) : undefined;
}

/** For monaco-graphql: GraphiQL has no other schema than that of the last introspection. */
export function schemaText(schema) {
  if (known === undefined) return { documentString: printSchema(schema) };
  // The server's tests validate it.
  return { introspectionJSONString: known, buildSchemaOptions: { assumeValid: true } };
}
