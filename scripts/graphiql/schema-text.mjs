/**
 * Gives the schema to the worker that completes and checks documents. monaco-graphql would print it here (5 MB), for the
 * worker to parse and check; the worker also accepts the result of the introspection, as the text that the server sent.
 */
import { printSchema } from 'graphql';

/** The text around the value that the worker needs. */
const [START, END] = ['{"data":', '}'];

let known;

/** Stores the text of the last introspection. */
export function storeSchema(text) {
  const isAnswer = text.startsWith(`${START}{"__schema":`) && text.endsWith(`}${END}`);
  known = isAnswer ? text.slice(START.length, -END.length) : undefined;
}

/** Called by monaco-graphql; the only schema of GraphiQL is that of the last introspection. */
export function schemaText(schema) {
  if (known === undefined) return { documentString: printSchema(schema) };
  // The server's tests validate it.
  return { introspectionJSONString: known, buildSchemaOptions: { assumeValid: true } };
}
