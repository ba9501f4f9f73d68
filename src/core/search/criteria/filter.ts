/** `_filter`: an expression over search parameters. Source: https://hl7.org/fhir/R4/search_filter.html */
import { fhirError } from '../../errors';
import type { Criterion } from '../predicate';
import type { SearchTypeContext } from '../types/search-type';
import { chainCriterion, type Nesting } from './chain';
import { allOf, negated, oneOf } from './connectives';
import { comparisonCriterion, excludes } from './filter-comparison';
import { elementCriterion, elementFilter } from './filter-element';
import { parseFilter, type FilterNode, type FilterStep, type FilterTest } from './filter-grammar';
import type { SpecialParameter } from './special';

/**
 * The value is one filter, in which a comma is a normal character. Several `_filter` mean AND.
 * Throws invalidParameterValue with the position of a mistake, unknownParameter, tooCostly.
 */
export const filterParameter: SpecialParameter = {
  modifiers: [],
  criterion(context, { type, name, value, nesting }) {
    return { ...compileNode({ context, nesting }, type, parseFilter(value)), name };
  },
};

/** Shared by a whole filter, so that its chains count towards one limit. */
interface Compilation {
  readonly context: SearchTypeContext;
  readonly nesting: Nesting;
}

function compileNode(compilation: Compilation, type: string, node: FilterNode): Criterion {
  switch (node.kind) {
    case 'test': {
      const criterion = compilePath(compilation, type, node.path, node);
      return excludes(node) ? negated(criterion) : criterion;
    }
    case 'not':
      return negated(compileNode(compilation, type, node.of));
    case 'and':
      return allOf(node.of.map((member) => compileNode(compilation, type, member)));
    case 'or':
      return oneOf(node.of.map((member) => compileNode(compilation, type, member)));
  }
}

/**
 * Compiles a path and its test, "evaluated against the set of values produced by evaluating the param path", that is,
 * on all values of the path together.
 */
function compilePath(
  { context, nesting }: Compilation,
  type: string,
  [step, ...further]: readonly FilterStep[],
  test: FilterTest,
): Criterion {
  if (step === undefined) throw new Error('a path has a step');
  if (further.length === 0) {
    if (step.type === undefined) return comparisonCriterion(context, type, step.code, test);
    throw fhirError('unsupportedModifier', {
      modifier: step.type.slice(0, 80),
      parameter: step.code,
      explanation: ': in _filter it is allowed only in the links of a chain',
    });
  }
  const ofElement = elementFilter(type, step, further, test);
  if (ofElement !== undefined) {
    const { element, filter, test: inner } = ofElement;
    const compilation = { context, nesting };
    return elementCriterion(context.definitions.release, type, element, [
      ...(filter === undefined ? [] : [compileNode(compilation, type, filter)]),
      compilePath(compilation, type, inner.path, inner),
    ]);
  }
  const chain = chainCriterion(context, {
    type,
    chainLink: { ...step, name: step.code },
    nesting,
    criteriaOf: (target, inside) => {
      const compilation = { context, nesting: inside };
      return [
        ...(step.filter === undefined ? [] : [compileNode(compilation, target, step.filter)]),
        compilePath(compilation, target, further, test),
      ];
    },
  });
  if (chain !== undefined) return chain;
  const explanation = '; a path of _filter can continue only after a reference';
  throw fhirError('unknownParameter', { parameter: step.code.slice(0, 80), type, explanation });
}
