/** Posts batches: many requests in one, each of which has an answer of its own. */
import { fhirPath, type Space } from '../place';
import { Failure, issuesOf, toFailure } from './failure';
import { isObject, objectsOf, parseLongJson, textOf, type JsonObject } from './json';
import { request } from './send';

/** Entries of one batch. */
export const MOST_ENTRIES = 100;
const MOST_TRIES = 8;
const LONGEST_WAIT_S = 60;

/** Seconds that the server asks to wait. */
function waitOf(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? '1');
  return Math.min(Number.isFinite(seconds) ? Math.max(seconds, 0.1) : 1, LONGEST_WAIT_S);
}

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('', 'AbortError'));
    });
  });
}

interface Posting {
  readonly signal?: AbortSignal | undefined;
  /** True: resources are not sent back. */
  readonly isMinimal?: boolean;
}

/** Posts a Bundle; waits and sends it again where the server has had too many requests, of which it does none. */
export async function postBundle(
  space: Space,
  body: string,
  { signal, isMinimal = false }: Posting = {},
): Promise<readonly JsonObject[]> {
  for (let tries = 1; ; tries++) {
    const response = await request(fhirPath(space), {
      method: 'POST',
      headers: {
        'content-type': 'application/fhir+json',
        ...(isMinimal ? { prefer: 'return=minimal' } : {}),
      },
      body,
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.status === 429 && tries < MOST_TRIES) {
      await pause(waitOf(response), signal);
      continue;
    }
    const text = await response.text();
    if (!response.ok) throw toFailure(response.status, text);
    const answer = await parseLongJson(text, signal);
    return isObject(answer) ? objectsOf(answer['entry']) : [];
  }
}

/** A request that changes nothing. */
export interface Question {
  /** Below the root of the FHIR addresses. */
  readonly url: string;
  /** The parameters of an operation; undefined: the request is a GET. */
  readonly parameters?: readonly object[];
}

/** The answer to each question, in their order. Throws `Failure` where a whole batch is refused. */
export async function askAll(
  space: Space,
  questions: readonly Question[],
  signal?: AbortSignal,
): Promise<readonly (JsonObject | Failure)[]> {
  const answers: (JsonObject | Failure)[] = [];
  for (let start = 0; start < questions.length; start += MOST_ENTRIES) {
    const part = questions.slice(start, start + MOST_ENTRIES);
    const entry = part.map(({ url, parameters }) =>
      parameters === undefined
        ? { request: { method: 'GET', url } }
        : {
            resource: { resourceType: 'Parameters', parameter: parameters },
            request: { method: 'POST', url },
          },
    );
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
    const answered = await postBundle(space, body, { signal });
    part.forEach((_, index) => answers.push(toAnswer(answered[index])));
  }
  return answers;
}

function toAnswer(entry: JsonObject | undefined): JsonObject | Failure {
  const response = isObject(entry?.['response']) ? entry['response'] : {};
  const status = Number((textOf(response['status']) ?? '0').slice(0, 3));
  const resource = entry?.['resource'];
  if (status >= 200 && status < 300 && isObject(resource)) return resource;
  return new Failure(status, issuesOf(response['outcome']));
}
