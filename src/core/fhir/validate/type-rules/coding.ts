import type { JsonObject } from '../../json';
import { shorten } from '../../json/fault';
import type { ValidationRun } from '../run';
import { isAbsolute } from './members';

/** HL7 uses these urls only for value sets. */
const VALUE_SETS = ['http://hl7.org/fhir/ValueSet/', 'http://terminology.hl7.org/ValueSet/'];

/**
 * Checks that a system is absolute and not a value set: "The system is a URI that identifies the code system that
 * defines the code" (https://hl7.org/fhir/R4/terminologies.html#system, datatypes.html#Coding). Defers its code and
 * display to the terminology service.
 */
export function checkCoding({ system, version, code, display }: JsonObject, run: ValidationRun): void {
  if (typeof system !== 'string') return;
  checkSystem(system, run);
  if (typeof code !== 'string') return;
  run.addCoding({
    system,
    version: typeof version === 'string' ? version : undefined,
    code,
    display: typeof display === 'string' ? display : undefined,
  });
}

export function checkSystem(system: string, run: ValidationRun, below: readonly string[] = []): void {
  if (!isAbsolute(system)) {
    const sentence = `The url of a code system is absolute (http://…, urn:…), but '${shorten(system)}' was found`;
    run.report('business', sentence, [...below, 'system']);
  } else if (VALUE_SETS.some((base) => system.startsWith(base))) {
    const sentence = `'${shorten(system)}' is a value set; it must be the code system that defines the code`;
    run.report('business', sentence, [...below, 'system']);
  }
}
