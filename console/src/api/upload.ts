/** Sends files, and says how far it is: fetch cannot. */
import { fhirPath, PREFIX, type Space } from '../place';
import { texts } from '../texts';
import { Failure, toFailure } from './failure';
import { isObject, parseJson, textOf } from './json';
import { tokenFor } from './session';

/** Creates a Binary with the content of a file; returns its address, `Binary/…`. `tell` gets the sent share, 0 to 1. */
export async function createBinary(
  space: Space,
  file: File,
  tell: (share: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const token = await tokenFor(space.tenant, space.release);
  const { status, text } = await send(`${PREFIX}${fhirPath(space, 'Binary')}`, { file, token, tell, signal });
  if (status >= 400 || status === 0) throw toFailure(status, text);
  const value = parseJson(text);
  const id = isObject(value) ? textOf(value['id']) : undefined;
  if (id === undefined) throw toFailure(status, text);
  return `Binary/${id}`;
}

/** JSON under its own type would be a resource of FHIR, and no content. */
export function contentTypeOf({ type }: Pick<File, 'type'>): string {
  return type === '' || /[/+]json\b/i.test(type) ? 'application/octet-stream' : type;
}

interface Sending {
  readonly file: File;
  readonly token: string | undefined;
  readonly tell: (share: number) => void;
  readonly signal: AbortSignal;
}

function send(
  url: string,
  { file, token, tell, signal }: Sending,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open('POST', url);
    sending.setRequestHeader('content-type', contentTypeOf(file));
    sending.setRequestHeader('accept', 'application/fhir+json');
    sending.setRequestHeader('prefer', 'return=representation');
    if (token !== undefined) sending.setRequestHeader('authorization', `Bearer ${token}`);
    sending.upload.onprogress = ({ loaded, total }) => tell(total === 0 ? 1 : loaded / total);
    sending.onload = () => resolve({ status: sending.status, text: sending.responseText });
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
    sending.send(file);
  });
}
