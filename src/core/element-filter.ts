import { LRUCache } from 'lru-cache';
import { type FhirError, fhirError } from './errors';
import { loadDefinitions } from './fhir/definitions';
import type { JsonValue } from './fhir/json';
import {
  compileTest,
  PathError,
  PathEvaluationError,
  type CompiledTest,
  type PathAllowance,
} from './fhir/path';
import type { Release } from './fhir/release';

/** Longer expressions are refused: they would only be long. */
const LONGEST = 2_000;
/** Values that the expressions of one request may go through: a quarter of a second, measured. */
const MAX_STEPS = 500_000;

const known = new LRUCache<string, CompiledTest>({ max: 500 });

/** What the expressions of one request have left. */
export type FilterAllowance = PathAllowance;

export function createFilterAllowance(): FilterAllowance {
  return { left: MAX_STEPS };
}

/**
 * Those of a list of elements that a FHIRPath expression of a client is true of. `place`: the type of the elements
 * (`HumanName`, `Patient.contact`, `Resource`).
 * Throws invalidValue for what is not an expression, or not one of the type; tooCostly beyond the allowance.
 */
export function filterElements(
  release: Release,
  place: string,
  expression: string,
  elements: readonly JsonValue[],
  allowance: FilterAllowance,
): readonly JsonValue[] {
  const test = testOf(release, place, expression);
  return elements.filter((element) => {
    try {
      return test(element, undefined, { allowance }) === true;
    } catch (error) {
      // RangeError: a text that would be longer than texts can be.
      if (error instanceof RangeError || allowance.left < 0)
        throw fhirError('tooCostly', {
          reason: 'The FHIRPath expressions of the request go through too many values',
        });
      if (error instanceof PathEvaluationError) throw refusal(error.message);
      throw error;
    }
  });
}

function testOf(release: Release, place: string, expression: string): CompiledTest {
  if (expression.length > LONGEST) throw refusal(`it is longer than ${LONGEST} characters`);
  const key = `${release} ${place} ${expression}`;
  let test = known.get(key);
  if (test === undefined) {
    try {
      test = compileTest(expression, {
        definitions: loadDefinitions(release),
        rootType: place,
        isForeign: true,
      });
    } catch (error) {
      if (error instanceof PathError) throw refusal(error.message);
      throw error;
    }
    known.set(key, test);
  }
  return test;
}

function refusal(reason: string): FhirError {
  return fhirError('invalidValue', { reason: `The argument 'fhirpath' cannot be used: ${reason}` });
}
