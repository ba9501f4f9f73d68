/** Runs typed GraphQL documents. */
import type { TypedDocumentString } from '../__generated__/graphql/graphql';
import { graphqlPath, type Space } from '../place';
import { Failure, issuesOf } from './failure';
import { isObject, objectsOf, parseJson, textOf } from './json';
import { send } from './send';

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
  const { text, status } = await send(graphqlPath(space), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: document.toString(), variables }),
    ...(signal === undefined ? {} : { signal }),
  });
  const answer = parseJson(text);
  const errors = isObject(answer) ? objectsOf(answer['errors']) : [];
  const [first] = errors;
  if (first !== undefined) {
    const extensions = isObject(first['extensions']) ? first['extensions'] : {};
    const issues = issuesOf(extensions['resource']);
    const words = {
      severity: 'error',
      code: 'exception',
      text: textOf(first['message']) ?? '',
      expression: [],
    };
    throw new Failure(Number(textOf(extensions['status']) ?? status), issues.length > 0 ? issues : [words]);
  }
  if (!isObject(answer) || !isObject(answer['data'])) throw new Failure(status, []);
  // The server validates documents against the schema that these types are made from.
  return answer['data'] as Result;
}
