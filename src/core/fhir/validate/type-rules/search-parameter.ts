import type { JsonObject } from '../../json';
import type { ValidationRun } from '../run';

/**
 * Checks that a composite has at least two components: "A composite search parameter … combines" others
 * (https://hl7.org/fhir/R4/search.html#composite).
 */
export function checkSearchParameter({ type, component }: JsonObject, run: ValidationRun): void {
  const count = Array.isArray(component) ? component.length : 0;
  if (type === 'composite' && count < 2) {
    const sentence = `A composite search parameter has two components or more, but ${count === 0 ? 'none' : 'one'} was found`;
    run.report('business', sentence, ['component']);
  }
}
