import type { JsonObject } from '../../json';
import { shorten } from '../../json/fault';
import type { ValidationRun } from '../run';
import { isAbsolute } from './members';

const URIS = 'urn:ietf:rfc:3986';

/**
 * Checks that a system is absolute: "Identifier.system: … a URI that describes a set of values that are unique". Under
 * `urn:ietf:rfc:3986` "the value SHALL be a full URI" (https://hl7.org/fhir/R4/datatypes.html#Identifier).
 */
export function checkIdentifier({ system, value }: JsonObject, run: ValidationRun): void {
  if (typeof system !== 'string') return;
  if (!isAbsolute(system)) {
    const sentence = `The system of an identifier is absolute (http://…, urn:…), but '${shorten(system)}' was found`;
    run.report('business', sentence, ['system']);
  } else if (system === URIS && typeof value === 'string' && !isAbsolute(value)) {
    const sentence = `A value of the system ${URIS} is a full uri (urn:uuid:…), but '${shorten(value)}' was found`;
    run.report('business', sentence, ['value']);
  }
}
