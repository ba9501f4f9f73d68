/** True if a narrative passes `htmlChecks()` (https://hl7.org/fhir/R4/fhirpath.html#functions). */
import { checkNarrative } from '../validate/narrative';

export function isNarrative(xhtml: string): boolean {
  return checkNarrative(xhtml).fault === undefined;
}
