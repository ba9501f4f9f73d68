/**
 * Elements on which a filter has several conditions together: one characteristic must meet
 * `characteristic[code eq a].value eq b`. Source: https://hl7.org/fhir/R4/search_filter.html#params
 */
import { fhirError } from '../../errors';
import type { Release } from '../../fhir/release';
import type { Criterion, Predicate } from '../predicate';
import type { FilterNode, FilterStep, FilterTest } from './filter-grammar';

/**
 * The table of that page, as far as R4 has its search parameters: "The third column defines the names that can be used
 * in the chained parameter, and in the filter, and shows which existing search parameters they equate to".
 */
const ELEMENTS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'Group.characteristic',
    new Map([
      ['value', 'value'],
      ['code', 'characteristic'],
    ]),
  ],
  [
    'DocumentReference.relatesTo',
    new Map([
      ['code', 'relation'],
      ['target', 'relatesto'],
    ]),
  ],
]);

/** A filter on one element, where the step names one of the table: the filter in brackets, and the test after it. */
export interface ElementFilter {
  readonly element: string;
  readonly filter: FilterNode | undefined;
  readonly test: FilterTest;
}

/**
 * Returns the filter with the names of search parameters; undefined: the step names no such element. Throws
 * unknownParameter.
 */
export function elementFilter(
  type: string,
  step: FilterStep,
  further: readonly FilterStep[],
  test: FilterTest,
): ElementFilter | undefined {
  const element = step.code;
  const parts = ELEMENTS.get(`${type}.${element}`);
  if (parts === undefined) return undefined;
  const renameTest = (one: FilterTest): FilterTest => {
    const [name, ...others] = one.path;
    const code = name === undefined ? undefined : parts.get(name.code);
    if (code === undefined || others.length > 0 || name?.type !== undefined) {
      const parameter = one.path.map((each) => each.code).join('.');
      const explanation = ` that _filter supports; supported are ${[...parts.keys()].join(', ')}`;
      throw fhirError('unknownParameter', {
        parameter: parameter.slice(0, 80),
        type: `${type}.${element}`,
        explanation,
      });
    }
    return { ...one, path: [{ code, type: undefined, filter: undefined }] };
  };
  const rename = (node: FilterNode): FilterNode => {
    switch (node.kind) {
      case 'test':
        return renameTest(node);
      case 'not':
        return { kind: 'not', of: rename(node.of) };
      default:
        return { kind: node.kind, of: node.of.map(rename) };
    }
  };
  return {
    element,
    filter: step.filter === undefined ? undefined : rename(step.filter),
    test: renameTest({ ...test, path: further }),
  };
}

/**
 * Returns the criterion that one element meets all criteria. Conditions that the resource as a whole must also meet
 * limit the resources that are read.
 */
export function elementCriterion(
  release: Release,
  type: string,
  element: string,
  criteria: readonly Criterion[],
): Criterion {
  const name = `_filter: ${element}`;
  const one: Criterion = {
    name,
    anyOf: [{ index: 'scan', scan: { kind: 'rows', release, type, element, criteria } }],
  };
  return { name, anyOf: [{ index: 'all', criteria: [...criteria.filter(isPositive), one] }] };
}

/** True where other elements of the resource cannot make the criterion false. */
function isPositive({ anyOf, isNegated }: Criterion): boolean {
  return isNegated !== true && anyOf.every(isPositivePredicate);
}

function isPositivePredicate(predicate: Predicate): boolean {
  if (predicate.index === 'presence') return predicate.isPresent;
  return predicate.index !== 'all' || predicate.criteria.every(isPositive);
}
