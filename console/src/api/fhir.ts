/** Requests to FHIR addresses that GraphQL does not have in this form: writes, operations and the capability statement. */
import { fhirPath, type Space } from '../place';
import { issuesOf, toFailure, type Failure, type Issue } from './failure';
import { isObject, parseLongJson, type JsonObject } from './json';
import { request, send } from './send';

const FHIR_JSON = 'application/fhir+json';

/** The answer to a GET below the root of the FHIR addresses, with its text as it came. */
export async function get(
  space: Space,
  rest: string,
  signal?: AbortSignal,
): Promise<{ readonly value: JsonObject; readonly text: string }> {
  const { text } = await send(fhirPath(space, rest), signal === undefined ? {} : { signal });
  const value = await parseLongJson(text, signal);
  if (!isObject(value)) throw toFailure(200, text);
  return { value, text };
}

/**
 * Writes a resource. `version`: the write fails with status 412 when this is not the current version any more; `isNew`:
 * when there is such a resource, that is not deleted.
 */
export async function put(
  space: Space,
  { type, id }: { readonly type: string; readonly id: string },
  {
    text,
    version,
    isNew = false,
  }: { readonly text: string; readonly version?: string | undefined; readonly isNew?: boolean },
): Promise<JsonObject> {
  const { text: answer } = await send(fhirPath(space, `${type}/${id}`), {
    method: 'PUT',
    headers: {
      'content-type': FHIR_JSON,
      prefer: 'return=representation',
      ...(version === undefined ? {} : { 'if-match': `W/"${version}"` }),
      ...(isNew ? { 'if-none-match': '*' } : {}),
    },
    body: text,
  });
  return (await parseLongJson(answer)) as JsonObject;
}

/** Creates a resource under an id of the server. */
export async function create(space: Space, type: string, text: string): Promise<JsonObject> {
  const { text: answer } = await send(fhirPath(space, type), {
    method: 'POST',
    headers: { 'content-type': FHIR_JSON, prefer: 'return=representation' },
    body: text,
  });
  return (await parseLongJson(answer)) as JsonObject;
}

/** Deletes a resource. `version`: only if this is the current version. */
export async function remove(
  space: Space,
  { type, id }: { readonly type: string; readonly id: string },
  version: string,
): Promise<void> {
  await send(fhirPath(space, `${type}/${id}`), {
    method: 'DELETE',
    headers: { 'if-match': `W/"${version}"` },
  });
}

/** The issues that the server finds in the text of a resource; a text that is no JSON has one too. */
export async function validate(space: Space, type: string, text: string): Promise<readonly Issue[]> {
  const response = await request(fhirPath(space, `${type}/$validate`), {
    method: 'POST',
    headers: { 'content-type': FHIR_JSON },
    body: text,
  });
  const answer = await response.text();
  const failure: Failure = toFailure(response.status, answer);
  if (!response.ok && failure.issues.length === 0) throw failure;
  return response.ok ? issuesOf(await parseLongJson(answer)) : failure.issues;
}
