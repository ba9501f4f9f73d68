/** Sends requests to the server, with the token of the person who has signed in. */
import { isRelease, PREFIX } from '../place';
import { texts } from '../texts';
import { Failure, toFailure } from './failure';
import { signedInRelease, tokenFor } from './session';

export interface SentRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Blob | FormData;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const ADDRESS = /^\/w\/([^/]+)\/api\/v1\/(?:(?:fhir|graphql)\/(r4b?))?/;

/** The response to a request at a path of the server. Throws `Failure` with status 0 when the server cannot be reached. */
export async function request(path: string, { headers = {}, ...init }: SentRequest = {}): Promise<Response> {
  const [, tenant = '', named] = ADDRESS.exec(path) ?? [];
  const release = isRelease(named) ? named : signedInRelease(tenant, 'r4');
  const token = tenant === '' ? undefined : await tokenFor(tenant, release);
  const authorization: Readonly<Record<string, string>> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    return await fetch(`${PREFIX}${path}`, {
      ...init,
      headers: { accept: 'application/fhir+json, application/json', ...headers, ...authorization },
    });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new Failure(0, [
      {
        severity: 'error',
        code: 'transient',
        text: navigator.onLine ? texts.failures.unreachable : texts.failures.offline,
        expression: [],
      },
    ]);
  }
}

/** The answer to a request. Throws `Failure` when its status is an error. */
export async function send(path: string, sent: SentRequest = {}): Promise<Answer> {
  const response = await request(path, sent);
  const text = await response.text();
  if (!response.ok) throw toFailure(response.status, text);
  return { status: response.status, headers: response.headers, text };
}
