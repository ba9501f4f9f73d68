/** Counts the links of chains in the statement of a search. */
import type { Criterion, Predicate } from '../predicate';

/**
 * The contained resources that chains search: for any resource whose predicate says so; for this one, which is contained
 * itself, but for none after it; for this one, which is an entry of a stored document or message, and for all entries
 * after it; nowhere.
 */
export type ContainedMode = 'always' | 'once' | 'entries' | 'never';

type Target = Extract<Predicate, { index: 'target' }>;

/** Returns the mode for criteria of a stored resource at the end of a link, from the mode of the link. */
export function modeBehindStored(from: ContainedMode): ContainedMode {
  return from === 'always' ? 'always' : 'never';
}

/** The same for a contained resource, or an entry. */
export function modeBehindContained({ part }: Pick<Target, 'part'>, from: ContainedMode): ContainedMode {
  if (part === 'entries' || from === 'entries') return 'entries';
  return from === 'always' ? 'once' : 'never';
}

/** True when the link may lead to contained resources. */
export function searchesContained(
  { hasContainedTargets = false, part, urls }: Target,
  from: ContainedMode,
): boolean {
  if (part !== undefined) return part !== 'stored';
  return urls === undefined && (from === 'always' ? hasContainedTargets : from !== 'never');
}

/** True when the link may lead to stored resources. */
export function searchesStored({ part }: Pick<Target, 'part'>): boolean {
  return part === undefined || part === 'stored';
}

/**
 * Counts links as they are written into a statement: a link that also searches contained resources counts twice, with
 * all after it.
 */
export function countLinks(criteria: readonly Criterion[], from: ContainedMode): number {
  let links = 0;
  for (const predicate of criteria.flatMap(({ anyOf }) => anyOf)) {
    switch (predicate.index) {
      case 'target': {
        const behind = predicate.target.criteria;
        if (searchesStored(predicate)) links += 1 + countLinks(behind, modeBehindStored(from));
        if (searchesContained(predicate, from))
          links += 1 + countLinks(behind, modeBehindContained(predicate, from));
        break;
      }
      case 'source':
        links += 1 + countLinks(predicate.source.criteria, modeBehindStored(from));
        break;
      case 'all':
        links += countLinks(predicate.criteria, from);
        break;
      default:
    }
  }
  return links;
}
