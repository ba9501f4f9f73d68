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
export function checkCoding(coding: JsonObject, run: ValidationRun): void {
  const { system, code } = coding;
  if (typeof system !== 'string') return;
  checkSystem(system, run);
  if (typeof code === 'string') run.addCoding(system, coding);
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
