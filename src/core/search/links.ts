/** How many links of chains a statement would hold. */
import type { Criterion, Predicate } from './predicate';

/**
 * Where chains look for contained resources: from any resource of which a predicate says so; from this one, which is
 * contained itself, but from none behind it; nowhere.
 */
export type LooksInside = 'always' | 'once' | 'never';

type Target = Extract<Predicate, { index: 'target' }>;

/** Where criteria of a stored resource at the end of a link look, by where the link does. */
export function storedLooks(from: LooksInside): LooksInside {
  return from === 'always' ? 'always' : 'never';
}

/** The same of a contained one. */
export function containedLooks(from: LooksInside): LooksInside {
  return from === 'always' ? 'once' : 'never';
}

/** Whether the link may lead to contained resources. */
export function isLookedInto({ looksInside = false, part, urls }: Target, from: LooksInside): boolean {
  if (part !== undefined) return part === 'contained';
  return urls === undefined && (from === 'always' ? looksInside : from === 'once');
}

/** Links as they are written into a statement: one that looks into contained resources too is there twice, with all behind it. */
export function countLinks(criteria: readonly Criterion[], from: LooksInside): number {
  let links = 0;
  for (const predicate of criteria.flatMap(({ anyOf }) => anyOf)) {
    switch (predicate.index) {
      case 'target': {
        const behind = predicate.target.criteria;
        if (predicate.part !== 'contained') links += 1 + countLinks(behind, storedLooks(from));
        if (isLookedInto(predicate, from)) links += 1 + countLinks(behind, containedLooks(from));
        break;
      }
      case 'source':
        links += 1 + countLinks(predicate.source.criteria, storedLooks(from));
        break;
      case 'all':
        links += countLinks(predicate.criteria, from);
        break;
      default:
    }
  }
  return links;
}
