import type { JsonObject } from '../../json';
import { shorten } from '../../json/fault';
import type { ValidationRun } from '../run';
import { isAbsolute } from './members';

/**
 * Checks the system of an include or exclude: "an absolute URI which is the code system"
 * (https://hl7.org/fhir/R4/valueset.html).
 */
export function checkInclude({ system }: JsonObject, run: ValidationRun): void {
  if (typeof system !== 'string' || isAbsolute(system)) return;
  const sentence = `The url of a code system is absolute (http://…, urn:…), but '${shorten(system)}' was found`;
  run.report('business', sentence, ['system']);
}

/** Boolean properties that are the same in all code systems (https://hl7.org/fhir/R4/codesystem.html#properties). */
const BOOLEANS: ReadonlySet<string> = new Set(['inactive', 'notSelectable']);

/** Checks that an `=` filter on a boolean property has the value true or false. */
export function checkFilter({ property, op, value }: JsonObject, run: ValidationRun): void {
  if (typeof property !== 'string' || typeof value !== 'string' || !BOOLEANS.has(property)) return;
  if (op !== '=' || value === 'true' || value === 'false') return;
  const sentence = `'${property}' is true or false, but the filter has the value '${shorten(value)}'`;
  run.report('business', sentence, ['value']);
}
