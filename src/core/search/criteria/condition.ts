/** Conditions as a tree instead of a list of parameters; the leaves mean the same as in a search. */
import type { SearchCondition } from '../requests/search-request';
import { fhirError } from '../../errors';
import { missingCriterion } from '../modifiers/missing';
import { storedParameters, type StoredParameter } from '../parameters/parameter';
import type { Criterion } from '../predicate';
import type { SearchTypeContext } from '../types/search-type';
import { parseNestedCriterion } from '.';
import { chainCriterion, hasCriterion, neverRefers, Nesting } from './chain';
import { allOf, negated, oneOf } from './connectives';

const MISSING = ':missing';
const MAX_CONDITIONS = 200;
const MAX_DEPTH = 20;

/**
 * Returns the criteria of all conditions on resources of `type`. Several criteria below one chain or `has` must be met
 * by one resource. Throws unknownParameter, unsupportedModifier, invalidParameterValue, tooCostly.
 */
export function conditionCriteria(
  context: SearchTypeContext,
  type: string,
  conditions: readonly SearchCondition[],
): Criterion[] {
  const compiler = new ConditionCompiler(context);
  return compiler.compileAll(type, conditions, Nesting.outside(), 0);
}

class ConditionCompiler {
  private count = 0;

  constructor(private readonly context: SearchTypeContext) {}

  compileAll(
    type: string,
    conditions: readonly SearchCondition[],
    nesting: Nesting,
    depth: number,
  ): Criterion[] {
    return conditions.map((condition) => this.compile(type, condition, nesting, depth));
  }

  private compile(type: string, condition: SearchCondition, nesting: Nesting, depth: number): Criterion {
    if (++this.count > MAX_CONDITIONS) throw tooCostly(`have ${MAX_CONDITIONS} parts`);
    if (depth >= MAX_DEPTH) throw tooCostly(`be nested ${MAX_DEPTH} deep`);
    const inner = (of: readonly SearchCondition[], target = type, inside = nesting): Criterion[] =>
      this.compileAll(target, of, inside, depth + 1);
    switch (condition.kind) {
      case 'parameter': {
        const { name, value } = condition;
        const composite = compositeOf(this.context, type, name);
        // In a search composites take no modifiers; a condition may still test for a missing value.
        if (composite !== undefined) return missingCriterion(name, composite.parameter, value);
        return parseNestedCriterion(this.context, { type, name, value, nesting }) ?? unknown(type, name);
      }
      case 'all':
        return allOf(inner(condition.of));
      case 'any':
        return oneOf(condition.of.map((conditions) => allOf(inner(conditions))));
      case 'not':
        return negated(allOf(inner(condition.of)));
      case 'chain': {
        const { parameter: code, target, of } = condition;
        const link = { code, type: target, name: `${code}:${target}` };
        if (neverRefers(this.context, type, code, target)) return oneOf([]);
        return (
          chainCriterion(this.context, {
            type,
            chainLink: link,
            nesting,
            criteriaOf: (to, inside) => inner(of, to, inside),
          }) ?? unknown(type, code)
        );
      }
      case 'has': {
        const { source, parameter: code, of } = condition;
        if (neverRefers(this.context, source, code, type)) return oneOf([]);
        const name = `_has:${source}:${code}`;
        const link = { source, code, name, value: '' };
        return (
          hasCriterion(this.context, {
            type,
            link,
            nesting,
            criteriaOf: (from, inside) => inner(of, from, inside),
          }) ?? unknown(type, name)
        );
      }
    }
  }
}

/** Returns the composite parameter that a condition tests with `:missing`. */
function compositeOf(
  { definitions }: SearchTypeContext,
  type: string,
  name: string,
): StoredParameter | undefined {
  if (!name.endsWith(MISSING)) return undefined;
  const stored = storedParameters(definitions, type).get(name.slice(0, -MISSING.length));
  return stored?.parameter.kind === 'composite' ? stored : undefined;
}

function unknown(type: string, name: string): never {
  throw fhirError('unknownParameter', { parameter: name.slice(0, 80), type, explanation: '' });
}

function tooCostly(most: string): Error {
  return fhirError('tooCostly', { reason: `A condition may ${most} at most` });
}
