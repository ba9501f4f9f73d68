/** Hierarchies of references (references.html#circular, search.html#recursive). */
import { findParameter } from './parameters';
import { referenceText, targetOf, type Target } from './reference';
import { BadSearch } from './refusal';
import { findLocal, type Space } from './space';
import { elementsOf } from './values';

/** "Hierarchical references with search parameters", by the type that refers to itself. Of several none is meant. */
const HIERARCHIES: Readonly<Record<string, string | undefined>> = {
  CarePlan: undefined,
  Encounter: 'part-of',
  Location: 'partof',
  Organization: 'partof',
};

/** Types of which resources make a hierarchy, or several. */
export const hierarchicalOf = (types: readonly string[]): string[] =>
  types.filter((type) => type in HIERARCHIES);

/** Types of which resources make one hierarchy. */
export const withHierarchies = (types: readonly string[]): string[] =>
  types.filter((type) => HIERARCHIES[type] !== undefined);

/** The ids of the resources that a resource is part of, with its own and those above. */
function idsFrom(space: Space, type: string, parameterCode: string, id: string): ReadonlySet<string> {
  const parameter = findParameter(type, parameterCode);
  const met = new Set([id]);
  // Added ids are followed too.
  for (const one of met) {
    const resource = findLocal(space, `${type}/${one}`);
    if (resource === undefined || parameter === undefined) continue;
    for (const { value } of elementsOf(resource, parameter)) {
      const target = targetOf(referenceText(value) ?? '', space.root);
      if (target?.type === type) met.add(target.id);
    }
  }
  return met;
}

/**
 * Tests whether the target of a reference is the resource in question, or below or above it.
 * @param allowed the types that the parameter may refer to
 * @throws BadSearch
 */
export function hierarchyTest(
  space: Space,
  allowed: readonly string[],
  modifier: 'above' | 'below',
  search: string,
): (stored: Target | undefined) => boolean {
  const types = hierarchicalOf(allowed);
  if (types.length === 0) throw new BadSearch(`:${modifier} without a hierarchy`);
  const named = targetOf(search, space.root);
  const type = named?.type ?? (types.length === 1 ? types[0] : undefined);
  const id = named?.id ?? search;
  const code = type === undefined ? undefined : HIERARCHIES[type];
  if (type === undefined || code === undefined || !types.includes(type) || !/^[A-Za-z0-9\-.]{1,64}$/.test(id))
    throw new BadSearch(`${search}: no hierarchy`);
  if (modifier === 'above') {
    const above = idsFrom(space, type, code, id);
    return (stored) => stored?.type === type && above.has(stored.id);
  }
  const below = new Map<string, boolean>();
  return (stored) => {
    if (stored?.type !== type) return false;
    let isBelow = below.get(stored.id);
    if (isBelow === undefined)
      below.set(stored.id, (isBelow = idsFrom(space, type, code, stored.id).has(id)));
    return isBelow;
  };
}
