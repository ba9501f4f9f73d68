/**
 * Criteria of a chain, applied to contained resources, which have index rows of their own but no head. A chain finds
 * the container (docs/use/search-reference.md, Reference).
 */
import { containedBase, ROW_SCHEME } from '../rows/index-rows';
import type { Criterion, Predicate } from '../predicate';
import type { ResourceKey } from '../rows/resource-key';

/** Returns the same criteria in the same order; a criterion that no contained resource can meet has no alternatives. */
export function containedCriteria(criteria: readonly Criterion[]): Criterion[] {
  return criteria.map(({ name, anyOf, isNegated }) => ({
    name,
    anyOf: anyOf.flatMap(containedPredicates),
    ...(isNegated === true ? { isNegated } : {}),
  }));
}

/**
 * Returns two criteria: a resource of the type `container` contains a resource of `type` as this block, and that
 * resource meets `criteria`.
 */
export function insideCriteria(
  container: number,
  block: number,
  type: number,
  criteria: readonly Criterion[],
): readonly [marked: Criterion, inside: Criterion] {
  const name = '_contained';
  const marked: Predicate = {
    index: 'token',
    parameter: containedBase(container, 0),
    value: { high: type, low: block },
    system: 0,
  };
  return [
    { name, anyOf: [marked], isSingle: true },
    { name, anyOf: [{ index: 'inside', container, block, criteria: containedCriteria(criteria) }] },
  ];
}

function toContainedId(value: ResourceKey): Predicate {
  return { index: 'token', parameter: ROW_SCHEME.containedId, value, system: 0 };
}

function containedPredicates(predicate: Predicate): Predicate[] {
  switch (predicate.index) {
    case 'presence': {
      const { parameter, isPresent } = predicate;
      const present: Predicate = {
        index: 'token',
        parameter: parameter + ROW_SCHEME.present,
        value: { high: 0, low: 0 },
        system: 0,
      };
      if (isPresent) return [present];
      return [{ index: 'all', criteria: [{ name: 'missing', anyOf: [present], isNegated: true }] }];
    }
    case 'key': {
      const { keys, isWritten = false, contained = [] } = predicate;
      const named = isWritten ? keys.map(toContainedId) : [];
      return contained.length === 0 ? named : [...named, { index: 'block', containers: contained }];
    }
    // Contained resources have no last update, and nothing outside refers to them.
    case 'updated':
    case 'source':
      return [];
    case 'all':
      return [{ ...predicate, criteria: containedCriteria(predicate.criteria) }];
    default:
      return [predicate];
  }
}
