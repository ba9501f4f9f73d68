import { fhirError } from '../../errors';

const LONGEST_SOURCE = 2_048;
/** A URI with a scheme; RFC 3986 allows no other characters. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/;

/** Returns the base that `inputSource` names, without slashes at its end; undefined where there is none. Throws invalidValue. */
export function readSource(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.length > LONGEST_SOURCE || !URI.test(text))
    throw fhirError('invalidValue', {
      reason: `"inputSource" must be the base URL of the server that the resources come from, such as https://other.example/fhir, with at most ${LONGEST_SOURCE} characters`,
    });
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}
