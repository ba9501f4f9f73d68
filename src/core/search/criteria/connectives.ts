/** Criteria that combine others. */
import type { Criterion, Predicate } from '../predicate';

/** Returns the negation of a criterion. */
export function negated(criterion: Criterion): Criterion {
  const { name, anyOf, isNegated = false } = criterion;
  return isNegated ? { name, anyOf } : { name, anyOf, isNegated: true };
}

/** Returns a criterion that is met where all of them are. */
export function allOf(criteria: readonly Criterion[]): Criterion {
  const [only, ...others] = criteria;
  if (only !== undefined && others.length === 0) return only;
  return { name: 'and', anyOf: [{ index: 'all', criteria }] };
}

/** Returns a criterion that is met where one of them is. */
export function oneOf(criteria: readonly Criterion[]): Criterion {
  return { name: 'or', anyOf: criteria.flatMap(alternativesOf) };
}

function alternativesOf(criterion: Criterion): readonly Predicate[] {
  return criterion.isNegated === true ? [{ index: 'all', criteria: [criterion] }] : criterion.anyOf;
}
