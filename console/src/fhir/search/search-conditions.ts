/** The conditions that a search parameter can state, and a criterion with another condition. */
import { modifiersOf, type SearchParameter } from './search-parameters';
import type { Criterion } from './search-query';
import { PREFIXES, splitPrefix } from '../../../../packages/fhir-values/search-prefix';

export type ValueCriterion = Extract<Criterion, { kind: 'value' }>;

const PREFIXED = new Set(['date', 'number', 'quantity']);

export function isPrefixed({ type }: Pick<SearchParameter, 'type'>): boolean {
  return PREFIXED.has(type);
}

/** The conditions of a parameter, the usual one first ('' for no modifier): modifiers, prefixes, and `chain`. */
export function conditionsOf(parameter: SearchParameter): readonly string[] {
  if (isPrefixed(parameter)) {
    const stated = PREFIXES.filter((prefix) => parameter.comparators.includes(prefix));
    return [...(stated.length === 0 ? PREFIXES : stated), 'missing'];
  }
  const chain = parameter.type === 'reference' ? ['chain'] : [];
  return ['', ...modifiersOf(parameter), ...chain];
}

/**
 * A criterion with its prefix in the place of the modifier, so that a person can choose it before the value. Undefined: its
 * values have different prefixes.
 */
export function withPrefixApart(
  criterion: ValueCriterion,
  parameter: SearchParameter,
): ValueCriterion | undefined {
  if (!isPrefixed(parameter) || criterion.modifier !== '') return criterion;
  const [first, ...others] = criterion.values.map(splitPrefix);
  if (first === undefined) return criterion;
  if (others.some(({ prefix }) => prefix !== first.prefix)) return undefined;
  return { ...criterion, modifier: first.prefix, values: [first, ...others].map(({ rest }) => rest) };
}

/** The criterion as the inputs of its parameter edit it; undefined: only as text. */
export function toEditable(
  criterion: ValueCriterion,
  parameter: SearchParameter,
): ValueCriterion | undefined {
  const apart = withPrefixApart(criterion, parameter);
  if (apart === undefined) return undefined;
  const isTarget = parameter.type === 'reference' && parameter.targets.includes(apart.modifier);
  return isTarget || conditionsOf(parameter).includes(apart.modifier) ? apart : undefined;
}

/** The same criterion with another condition; values stay where they keep their meaning. */
export function withCondition(
  criterion: ValueCriterion,
  parameter: SearchParameter,
  condition: string,
): Criterion {
  const { name } = criterion;
  if (condition === 'chain') {
    const [only, ...more] = parameter.targets;
    return {
      kind: 'chain',
      name,
      target: only !== undefined && more.length === 0 ? only : '',
      of: emptyCriterion(''),
    };
  }
  if (condition === 'missing') return { kind: 'value', name, modifier: condition, values: ['true'] };
  const values = criterion.modifier === 'missing' ? [''] : criterion.values;
  return { kind: 'value', name, modifier: condition, values };
}

/** A criterion to which a person has not yet given a value. */
export function emptyCriterion(name: string): ValueCriterion {
  return { kind: 'value', name, modifier: '', values: [''] };
}
