import { type FhirError, fhirError } from '../errors';
import { createCache } from '../memory/create-cache';
import { loadDefinitions } from './definitions';
import type { JsonValue } from './json';
import {
  compileTest,
  PathAllowance,
  PathBudgetError,
  PathError,
  PathEvaluationError,
  type CompiledTest,
} from './path';
import type { Release } from './release';

/** Maximum length of an expression, in characters. */
const LONGEST = 2_000;
/** Maximum steps of the expressions of one request. */
const MAX_STEPS = 500_000;
/** Maximum characters of all cached expressions. */
const MAX_CACHED = 200_000;

/** A FHIRPath expression of a client on elements of one type. */
export interface ElementExpression {
  readonly release: Release;
  /** The type of the elements: `HumanName`, `Patient.contact`, `code`, `Resource`. */
  readonly place: string;
  readonly expression: string;
}

const cache = createCache<string, CompiledTest>({
  name: 'element-filters',
  scope: 'program',
  maxSize: MAX_CACHED,
  weigh: (_test, key) => key.length,
});

/** The budget of the expressions of one request. */
export class FilterAllowance extends PathAllowance {
  private turn: Promise<void> | undefined;

  constructor(steps = MAX_STEPS) {
    super(steps);
  }

  /** Waits until the event loop has served other requests, if the expressions have used it for a while. */
  async yield(): Promise<void> {
    while (this.needsPause) await this.nextTurn();
  }

  /** All waiting callers share one promise. */
  private nextTurn(): Promise<void> {
    return (this.turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.turn = undefined;
        this.pause();
        resolve();
      });
    }));
  }
}

/**
 * Returns the elements for which the expression is true. Yields to the event loop between elements. Throws
 * `invalidValue` for an invalid expression, or one that does not fit the type; `tooCostly` beyond the allowance.
 */
export async function filterElements(
  elements: readonly JsonValue[],
  expression: ElementExpression,
  allowance: FilterAllowance,
): Promise<readonly JsonValue[]> {
  const found: JsonValue[] = [];
  try {
    await allowance.yield();
    const test = testOf(expression, allowance);
    for (const element of elements) {
      if (allowance.needsPause) await allowance.yield();
      if (test(element, undefined, { allowance }) === true) found.push(element);
    }
  } catch (error) {
    if (error instanceof PathBudgetError) throw fhirError('tooCostly', { reason: error.message });
    if (error instanceof PathEvaluationError) throw refusal(error.message);
    throw error;
  }
  return found;
}

function testOf({ release, place, expression }: ElementExpression, allowance: FilterAllowance): CompiledTest {
  if (expression.length > LONGEST) throw refusal(`it is longer than ${LONGEST} characters`);
  const key = `${release} ${place} ${expression}`;
  let test = cache.get(key);
  if (test === undefined) {
    try {
      test = compileTest(expression, {
        definitions: loadDefinitions(release),
        rootType: place,
        isFromClient: true,
        allowance,
      });
    } catch (error) {
      if (error instanceof PathError && !(error instanceof PathBudgetError)) throw refusal(error.message);
      throw error;
    }
    cache.set(key, test);
  }
  return test;
}

function refusal(reason: string): FhirError {
  return fhirError('invalidValue', { reason: `The argument 'fhirpath' cannot be used: ${reason}` });
}
