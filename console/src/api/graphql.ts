/** Runs typed GraphQL documents. */
import type { TypedDocumentString } from '../__generated__/graphql/graphql';
import { graphqlPath, type Space } from '../place';
import { Failure, issuesOf } from './failure';
import { isArray, isObject, objectsOf, parseLongJson, textOf, type JsonObject } from './json';
import { send } from './send';

/** What an answer has: its data, and a failure for each error with the field of the document in which it happened. */
interface Outcome {
  readonly data: JsonObject | undefined;
  readonly errors: readonly { readonly field: string | undefined; readonly failure: Failure }[];
}

async function run(
  space: Space,
  body: { readonly query: string; readonly variables: unknown },
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { text, status } = await send(graphqlPath(space), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  const answer = await parseLongJson(text, signal);
  if (!isObject(answer)) throw new Failure(status, []);
  return {
    data: isObject(answer['data']) ? answer['data'] : undefined,
    errors: objectsOf(answer['errors']).map((error) => toError(error, status)),
  };
}

function toError(error: JsonObject, status: number): Outcome['errors'][number] {
  const extensions = isObject(error['extensions']) ? error['extensions'] : {};
  const issues = issuesOf(extensions['resource']);
  const words = {
    severity: 'error',
    code: 'exception',
    text: textOf(error['message']) ?? '',
    expression: [],
  };
  const [field] = isArray(error['path']) ? error['path'] : [];
  return {
    field: textOf(field),
    failure: new Failure(
      Number(textOf(extensions['status']) ?? status),
      issues.length > 0 ? issues : [words],
    ),
  };
}

/**
 * The data of a document. JSON of resources keeps the digits of its decimals. Throws `Failure` when the answer has errors,
 * also beside data.
 */
export async function runDocument<Result, Variables>(
  space: Space,
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  const { data, errors } = await run(space, { query: document.toString(), variables }, signal);
  const [first] = errors;
  if (first !== undefined) throw first.failure;
  if (data === undefined) throw new Failure(200, []);
  // The server validates documents against the schema that these types are made from.
  return data as Result;
}

/**
 * The fields of a document; undefined for those that the caller may not have, so that one of them does not hide the others.
 * Throws `Failure` for every other error.
 */
export async function runFields(
  space: Space,
  fields: ReadonlyMap<string, string>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, JsonObject | undefined>> {
  const query = `{ ${[...fields].map(([name, field]) => `${name}: ${field}`).join('\n')} }`;
  const { data = {}, errors } = await run(space, { query, variables: {} }, signal);
  const refused = new Set<string>();
  for (const { field, failure } of errors) {
    if (failure.status !== 403 || field === undefined) throw failure;
    refused.add(field);
  }
  return new Map(
    [...fields.keys()].map((name) => {
      const value = data[name];
      if (isObject(value)) return [name, value];
      if (refused.has(name)) return [name, undefined];
      throw new Failure(200, []);
    }),
  );
}
