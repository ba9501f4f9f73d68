import { LRUCache } from 'lru-cache';
import type { FilterAllowance } from './element-filter';
import { type FhirError, fhirError } from '../errors';
import { loadDefinitions } from './definitions';
import { decimalText, type JsonValue } from './json';
import {
  type CompiledPath,
  compilePath,
  inspectPath,
  PathBudgetError,
  PathError,
  PathEvaluationError,
} from './path';
import type { Release } from './release';

/** Maximum length of an expression, in characters. */
const LONGEST = 2_000;

/** Maximum characters of all cached expressions. */
const MAX_KEPT = 200_000;

interface KnownPath {
  readonly path: CompiledPath;
  /** False if the expression cannot have a value. */
  readonly givesValues: boolean;
}

const known = new LRUCache<string, KnownPath>({
  maxSize: MAX_KEPT,
  sizeCalculation: (_path, key) => key.length,
});

/**
 * Evaluates a FHIRPath expression of a client on an element and returns its values as texts. `place`: the type of the
 * element (`HumanName`, `Patient.contact`, `code`). Throws `invalidValue` for an invalid expression, or for a value
 * that is not primitive; `tooCostly` beyond the allowance.
 */
export function elementTexts(
  release: Release,
  {
    place,
    expression,
    element,
    allowance,
  }: {
    readonly place: string;
    readonly expression: string;
    readonly element: JsonValue;
    readonly allowance: FilterAllowance;
  },
): readonly string[] {
  try {
    const { path } = pathOf(release, place, expression, allowance);
    return path(element, { allowance }).flatMap(({ value }) => textsOf(value));
  } catch (error) {
    if (error instanceof PathBudgetError) throw fhirError('tooCostly', { reason: error.message });
    if (error instanceof PathEvaluationError) throw refusal(expression, error.message);
    throw error;
  }
}

/**
 * Returns false if an expression cannot have a value for elements of this type. `allowance`: the budget for compiling,
 * which several expressions share. Throws `invalidValue` for an invalid expression; `tooCostly` beyond the allowance.
 */
export function mayGiveValues(
  release: Release,
  place: string,
  expression: string,
  allowance: FilterAllowance,
): boolean {
  try {
    return pathOf(release, place, expression, allowance).givesValues;
  } catch (error) {
    if (error instanceof PathBudgetError) throw fhirError('tooCostly', { reason: error.message });
    throw error;
  }
}

function textsOf(value: JsonValue): string[] {
  if (value === null) return [];
  if (typeof value === 'string') return [decimalText(value) ?? value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  throw fhirError('invalidValue', { reason: "The 'path' of @slice gives what is no simple value" });
}

/** Throws PathBudgetError too. */
function pathOf(release: Release, place: string, expression: string, allowance: FilterAllowance): KnownPath {
  if (expression.length > LONGEST)
    throw refusal(expression.slice(0, 80), `it is longer than ${LONGEST} characters`);
  const key = `${release} ${place} ${expression}`;
  let found = known.get(key);
  if (found === undefined) {
    const options = { definitions: loadDefinitions(release), rootType: place, isForeign: true, allowance };
    try {
      const path = compilePath(expression, options);
      found = { path, givesValues: inspectPath(expression, options).types?.length !== 0 };
    } catch (error) {
      if (error instanceof PathError && !(error instanceof PathBudgetError))
        throw refusal(expression, error.message);
      throw error;
    }
    known.set(key, found);
  }
  return found;
}

function refusal(expression: string, why: string): FhirError {
  return fhirError('invalidValue', {
    reason: `The 'path' of @slice cannot be '${expression.slice(0, 80)}': ${why}`,
  });
}
