/** Criteria that are made of others. */
import type { Criterion, Predicate } from '../predicate';

/** Met by what does not meet it. */
export function negated(criterion: Criterion): Criterion {
  const { name, anyOf, isNegated = false } = criterion;
  return isNegated ? { name, anyOf } : { name, anyOf, isNegated: true };
}

/** Met by what meets all of them. */
export function allOf(criteria: readonly Criterion[]): Criterion {
  const [only, ...others] = criteria;
  if (only !== undefined && others.length === 0) return only;
  return { name: 'and', anyOf: [{ index: 'all', criteria }] };
}

/** Met by what meets one of them. */
export function oneOf(criteria: readonly Criterion[]): Criterion {
  return { name: 'or', anyOf: criteria.flatMap(alternativesOf) };
}

function alternativesOf(criterion: Criterion): readonly Predicate[] {
  return criterion.isNegated === true ? [{ index: 'all', criteria: [criterion] }] : criterion.anyOf;
}
