import { fhirError } from '../errors';

/** Decoded name and value of one parameter of a query or form. */
export type QueryParameter = readonly [name: string, value: string];

/**
 * Parses an `application/x-www-form-urlencoded` text into decoded names and values, in order. Throws `invalidValue` for
 * a malformed percent-encoding and for U+0000, which FHIR strings cannot contain.
 */
export function parseQueryText(text: string): QueryParameter[] {
  const parameters: QueryParameter[] = [];
  for (const piece of text.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = equals === -1 ? decode(piece) : decode(piece.slice(0, equals));
    parameters.push([name, equals === -1 ? '' : decodeValue(piece.slice(equals + 1))]);
  }
  return parameters;
}

/** The time of a moment and its time zone, whose plus has become a blank. */
const TIME_WITHOUT_PLUS = /(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?) (\d\d:\d\d)/g;

/** Clients often send the plus of a time zone as it is, which means a blank in a query. */
function decodeValue(text: string): string {
  const decoded = decode(text);
  return text.includes('+') ? decoded.replace(TIME_WITHOUT_PLUS, '$1+$2') : decoded;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  let decoded: string;
  try {
    decoded = decodeURIComponent(spaced);
  } catch {
    throw fhirError('invalidValue', { reason: 'The percent-encoding of the parameters is not valid UTF-8' });
  }
  if (decoded.includes('\0')) {
    throw fhirError('invalidValue', {
      reason: 'The parameters hold the character U+0000, which FHIR does not allow',
    });
  }
  return decoded;
}
