/**
 * Elements of which a filter asks several things together: `characteristic[code eq a].value eq b` is met by one
 * characteristic. Source: https://hl7.org/fhir/R4/search_filter.html#params
 */
import { fhirError } from '../../errors';
import type { Release } from '../../fhir/release';
import type { Criterion, Predicate } from '../predicate';
import type { FilterNode, FilterStep, FilterTest } from './filter-grammar';

/**
 * The table of that page as far as R4 has what it names: "The third column defines the names that can be used in the
 * chained parameter, and in the filter, and shows which existing search parameters they equate to".
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

/** A filter on one element, where the step names such: the filter of its elements, and the test of what is left. */
export interface ElementFilter {
  readonly element: string;
  readonly filter: FilterNode | undefined;
  readonly test: FilterTest;
}

/** With the names of search parameters; undefined: the step names no such element. Throws unknownParameter. */
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
      const known = ` that _filter knows; known are ${[...parts.keys()].join(', ')}`;
      throw fhirError('unknownParameter', {
        parameter: parameter.slice(0, 80),
        type: `${type}.${element}`,
        known,
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

/** That one element meets all criteria: what the resource as a whole must meet for that says which are read. */
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

/** Whether other elements of the resource cannot make it false. */
function isPositive({ anyOf, isNegated }: Criterion): boolean {
  return isNegated !== true && anyOf.every(isPositivePredicate);
}

function isPositivePredicate(predicate: Predicate): boolean {
  if (predicate.index === 'presence') return predicate.isPresent;
  return predicate.index !== 'all' || predicate.criteria.every(isPositive);
}
