/** Sends files, and says how far it is: fetch cannot. */
import { fhirPath, PREFIX, type Space } from '../place';
import { texts } from '../texts';
import { Failure, toFailure } from './failure';
import { isObject, parseJson, textOf } from './json';
import type { Answer } from './send';
import { tokenFor } from './session';

/** How a file is sent: `tell` gets the sent share, 0 to 1. */
export interface Sending {
  readonly tell: (share: number) => void;
  readonly signal: AbortSignal;
}

/** Creates a Binary with the content of a file; returns its address, `Binary/…`. */
export async function createBinary(space: Space, file: File, sending: Sending): Promise<string> {
  const headers = {
    'content-type': contentTypeOf(file),
    accept: 'application/fhir+json',
    prefer: 'return=representation',
  };
  const { status, text } = await upload(space, 'Binary', { ...sending, headers, body: file });
  const value = parseJson(text);
  const id = isObject(value) ? textOf(value['id']) : undefined;
  if (id === undefined) throw toFailure(status, text);
  return `Binary/${id}`;
}

/** JSON under its own type would be a resource of FHIR, and no content. */
export function contentTypeOf({ type }: Pick<File, 'type'>): string {
  return type === '' || /[/+]json\b/i.test(type) ? 'application/octet-stream' : type;
}

interface Upload extends Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: File | FormData;
}

/** The answer to a POST at an address below the FHIR root. Throws `Failure` when its status is an error. */
export async function upload(space: Space, address: string, given: Upload): Promise<Answer> {
  const token = await tokenFor(space.tenant, space.release);
  const authorization: Readonly<Record<string, string>> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { ...given.headers, ...authorization };
  const answer = await send(`${PREFIX}${fhirPath(space, address)}`, { ...given, headers });
  if (answer.status >= 400 || answer.status === 0) throw toFailure(answer.status, answer.text);
  return answer;
}

function send(url: string, { body, headers, tell, signal }: Upload): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open('POST', url);
    for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value);
    sending.upload.onprogress = ({ loaded, total }) => tell(total === 0 ? 1 : loaded / total);
    sending.onload = () => {
      const { status, responseText: text } = sending;
      resolve({ status, text, headers: headersIn(sending.getAllResponseHeaders()) });
    };
    sending.onerror = () =>
      reject(
        new Failure(0, [
          {
            severity: 'error',
            code: 'transient',
            text: navigator.onLine ? texts.failures.unreachable : texts.failures.offline,
            expression: [],
          },
        ]),
      );
    sending.onabort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal.addEventListener('abort', () => sending.abort(), { once: true });
    sending.send(body);
  });
}

function headersIn(lines: string): Headers {
  const pairs = lines.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, name, value = ''] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  return new Headers(pairs);
}
