import { LRUCache } from 'lru-cache';
import type { FilterAllowance } from './element-filter';
import { type FhirError, fhirError } from './errors';
import { loadDefinitions } from './fhir/definitions';
import { decimalText, type JsonValue } from './fhir/json';
import { type CompiledPath, compilePath, inspectPath, PathError, PathEvaluationError } from './fhir/path';
import type { Release } from './fhir/release';

/** Longer expressions are refused: they would only be long. */
const LONGEST = 2_000;

const known = new LRUCache<string, CompiledPath>({ max: 500 });

/**
 * What a FHIRPath expression of a client gives for an element, as texts. `place`: the type of the element (`HumanName`,
 * `Patient.contact`, `code`).
 * Throws invalidValue for what is not an expression, or gives what is no simple value; tooCostly beyond the allowance.
 */
export function elementTexts(
  release: Release,
  place: string,
  expression: string,
  element: JsonValue,
  allowance: FilterAllowance,
): readonly string[] {
  const path = pathOf(release, place, expression);
  try {
    return path(element, { allowance }).flatMap(({ value }) => textsOf(value));
  } catch (error) {
    // RangeError: a text that would be longer than texts can be.
    if (error instanceof RangeError || allowance.left < 0)
      throw fhirError('tooCostly', {
        reason: 'The FHIRPath expressions of the request go through too many values',
      });
    if (error instanceof PathEvaluationError) throw refusal(expression, error.message);
    throw error;
  }
}

/** Whether an expression can give anything for elements of this type. Throws invalidValue for what is no expression. */
export function mayGiveValues(release: Release, place: string, expression: string): boolean {
  pathOf(release, place, expression);
  return inspectPath(expression, optionsFor(release, place)).types?.length !== 0;
}

function textsOf(value: JsonValue): string[] {
  if (value === null) return [];
  if (typeof value === 'string') return [decimalText(value) ?? value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  throw fhirError('invalidValue', { reason: "The 'path' of @slice gives what is no simple value" });
}

function pathOf(release: Release, place: string, expression: string): CompiledPath {
  if (expression.length > LONGEST)
    throw refusal(expression.slice(0, 80), `it is longer than ${LONGEST} characters`);
  const key = `${release} ${place} ${expression}`;
  let path = known.get(key);
  if (path === undefined) {
    try {
      path = compilePath(expression, optionsFor(release, place));
    } catch (error) {
      if (error instanceof PathError) throw refusal(expression, error.message);
      throw error;
    }
    known.set(key, path);
  }
  return path;
}

const optionsFor = (release: Release, place: string): Parameters<typeof compilePath>[1] => ({
  definitions: loadDefinitions(release),
  rootType: place,
  isForeign: true,
});

function refusal(expression: string, why: string): FhirError {
  return fhirError('invalidValue', {
    reason: `The 'path' of @slice cannot be '${expression.slice(0, 80)}': ${why}`,
  });
}
