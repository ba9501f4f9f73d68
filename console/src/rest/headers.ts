/** The headers of a request that a person writes. */

export interface Header {
  readonly name: string;
  readonly value: string;
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** No line break: it would begin another header. */
const VALUE = /^[ -~\u00a0-\u00ff]*$/;
/** What the console or the browser sets; a browser leaves most of them out silently. */
const OWN =
  /^(?:authorization|cookie2?|host|origin|referer|connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-length|content-encoding|accept-encoding|date|dnt|expect|via|set-cookie|(?:proxy|sec)-.*|access-control-.*)$/i;

export type HeaderFault = 'name' | 'value' | 'own';

/** A row that was added, and not filled in: it is not sent. */
export const isBlank = ({ name, value }: Header): boolean => name === '' && value === '';

/** Why a header cannot be sent; undefined: it can. */
export function faultOf(header: Header): HeaderFault | undefined {
  const { name, value } = header;
  if (isBlank(header)) return undefined;
  if (!NAME.test(name)) return 'name';
  if (OWN.test(name)) return 'own';
  return VALUE.test(value) ? undefined : 'value';
}

/** Headers that the server understands, with values to begin with. */
export const COMMON_HEADERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Accept', ['application/fhir+json', 'application/fhir+json; fhirVersion=4.0']],
  [
    'Content-Type',
    ['application/fhir+json', 'application/json-patch+json', 'application/x-www-form-urlencoded'],
  ],
  ['If-Match', ['W/"1"']],
  ['If-None-Match', ['*', 'W/"1"']],
  ['If-None-Exist', ['identifier=http://hospital.example/mrn|1']],
  ['If-Modified-Since', ['Sat, 28 Nov 2026 12:00:00 GMT']],
  [
    'Prefer',
    [
      'return=minimal',
      'return=representation',
      'return=OperationOutcome',
      'handling=strict',
      'handling=lenient',
      'respond-async',
    ],
  ],
  ['X-Provenance', []],
]);
