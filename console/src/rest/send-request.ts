/** Sends a request as a person has written it, and reads the answer without more of it than a screen can show. */
import { request } from '../api/send';
import { fhirPath, type Space } from '../place';
import { isBlank, type Header } from './headers';

/** Characters of an answer that are shown; all of it can be saved as a file. */
export const MOST_SHOWN = 500_000;
const WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE'];

export interface RestAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly ms: number;
  readonly headers: readonly Header[];
  /** The whole content. */
  readonly content: Blob;
  /** Its beginning, of at most `MOST_SHOWN` bytes. */
  readonly text: string;
  readonly isCut: boolean;
}

export interface Prepared {
  readonly method: string;
  /** Of `restOf`: below the FHIR root. */
  readonly rest: string;
  readonly headers: readonly Header[];
  readonly body: string;
}

export function hasBody(method: string): boolean {
  return WITH_BODY.includes(method);
}

const NAMES = new Map([
  [200, 'OK'],
  [201, 'Created'],
  [202, 'Accepted'],
  [204, 'No Content'],
  [304, 'Not Modified'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [406, 'Not Acceptable'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [412, 'Precondition Failed'],
  [413, 'Content Too Large'],
  [415, 'Unsupported Media Type'],
  [422, 'Unprocessable Content'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [501, 'Not Implemented'],
  [503, 'Service Unavailable'],
  [507, 'Insufficient Storage'],
]);

/** Several headers of one name are one header with several values. */
function joined(headers: readonly Header[]): Readonly<Record<string, string>> {
  const all = new Map<string, string>();
  for (const header of headers.filter((each) => !isBlank(each))) {
    const { name, value } = header;
    const before = all.get(name.toLowerCase());
    all.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(all);
}

/** The answer of the server, whatever its status. Throws `Failure` when it cannot be reached. */
export async function sendRequest(
  space: Space,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<RestAnswer> {
  const { method, rest, headers, body } = prepared;
  const begun = performance.now();
  const response = await request(`${fhirPath(space)}${rest}`, {
    method,
    headers: joined(headers),
    ...(hasBody(method) && body !== '' ? { body } : {}),
    signal,
  });
  const content = await response.blob();
  const ms = Math.round(performance.now() - begun);
  return {
    status: response.status,
    // HTTP/2 has no words.
    statusText: NAMES.get(response.status) ?? response.statusText,
    ms,
    headers: [...response.headers].map(([name, value]) => ({ name, value })),
    content,
    text: await content.slice(0, MOST_SHOWN).text(),
    isCut: content.size > MOST_SHOWN,
  };
}
