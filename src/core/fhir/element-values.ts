import type { ElementExpression, FilterAllowance } from './element-filter';
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
import { createCache } from '../memory/create-cache';

/** Maximum length of an expression, in characters. */
const LONGEST = 2_000;

/** Maximum characters of all cached expressions. */
const MAX_CACHED = 200_000;

interface CachedPath {
  readonly path: CompiledPath;
  /** False if the expression cannot have a value. */
  readonly canHaveValues: boolean;
}

const cache = createCache<string, CachedPath>({
  name: 'element-expressions',
  scope: 'program',
  maxSize: MAX_CACHED,
  weigh: (_path, key) => key.length,
});

/**
 * Evaluates an expression on an element and returns its values as texts. Throws `invalidValue` for an invalid
 * expression, or for a value that is not primitive; `tooCostly` beyond the allowance.
 */
export function elementTexts(
  element: JsonValue,
  expression: ElementExpression,
  allowance: FilterAllowance,
): readonly string[] {
  try {
    const { path } = pathOf(expression, allowance);
    return path(element, { allowance }).flatMap(({ value }) => textsOf(value));
  } catch (error) {
    if (error instanceof PathBudgetError) throw fhirError('tooCostly', { reason: error.message });
    if (error instanceof PathEvaluationError) throw refusal(expression.expression, error.message);
    throw error;
  }
}

/**
 * Returns false if an expression cannot have a value for elements of this type. `allowance`: the budget for compiling,
 * which several expressions share. Throws `invalidValue` for an invalid expression; `tooCostly` beyond the allowance.
 */
export function canHaveValues(expression: ElementExpression, allowance: FilterAllowance): boolean {
  try {
    return pathOf(expression, allowance).canHaveValues;
  } catch (error) {
    if (error instanceof PathBudgetError) throw fhirError('tooCostly', { reason: error.message });
    throw error;
  }
}

function textsOf(value: JsonValue): string[] {
  if (value === null) return [];
  if (typeof value === 'string') return [decimalText(value) ?? value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  throw fhirError('invalidValue', { reason: "The 'path' of @slice must return simple values" });
}

/** Throws PathBudgetError too. */
function pathOf({ release, place, expression }: ElementExpression, allowance: FilterAllowance): CachedPath {
  if (expression.length > LONGEST)
    throw refusal(expression.slice(0, 80), `it is longer than ${LONGEST} characters`);
  const key = `${release} ${place} ${expression}`;
  let found = cache.get(key);
  if (found === undefined) {
    const options = { definitions: loadDefinitions(release), rootType: place, isFromClient: true, allowance };
    try {
      const path = compilePath(expression, options);
      found = { path, canHaveValues: inspectPath(expression, options).types?.length !== 0 };
    } catch (error) {
      if (error instanceof PathError && !(error instanceof PathBudgetError))
        throw refusal(expression, error.message);
      throw error;
    }
    cache.set(key, found);
  }
  return found;
}

function refusal(expression: string, why: string): FhirError {
  return fhirError('invalidValue', {
    reason: `The 'path' of @slice cannot be '${expression.slice(0, 80)}': ${why}`,
  });
}
