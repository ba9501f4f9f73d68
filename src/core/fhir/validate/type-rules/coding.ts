import type { JsonObject } from '../../json';
import { shorten } from '../../json/fault';
import type { ValidationRun } from '../run';
import { isAbsolute } from './members';

/** Where value sets of HL7 have their urls, and nothing else has. */
const VALUE_SETS = ['http://hl7.org/fhir/ValueSet/', 'http://terminology.hl7.org/ValueSet/'];

/**
 * "The system is a URI that identifies the code system that defines the code": an absolute one, and not that of a
 * value set (https://hl7.org/fhir/R4/terminologies.html#system, datatypes.html#Coding).
 */
export function checkCoding({ system }: JsonObject, run: ValidationRun): void {
  if (typeof system === 'string') checkSystem(system, run);
}

export function checkSystem(system: string, run: ValidationRun, below: readonly string[] = []): void {
  if (!isAbsolute(system)) {
    const sentence = `The url of a code system is absolute (http://…, urn:…), but '${shorten(system)}' was found`;
    run.report('business', sentence, [...below, 'system']);
  } else if (VALUE_SETS.some((base) => system.startsWith(base))) {
    const sentence = `'${shorten(system)}' is a value set; the code system that defines the code is wanted`;
    run.report('business', sentence, [...below, 'system']);
  }
}
