import type { Criterion, Predicate, TypeCriteria } from '../../search/predicate';
import type { Services } from '../../ports';
import { findMarked } from '../../storage/search/contained-marks';

type Target = Extract<Predicate, { index: 'target' }>;

/**
 * Marks the links of the chains that may lead into contained resources of the space. Few spaces have such
 * references, and a statement that searches them is twice as long. Cost: nothing without chains; else one statement.
 */
export async function markContained(
  { database }: Pick<Services, 'database'>,
  space: number,
  criteria: readonly Criterion[],
): Promise<readonly Criterion[]> {
  const targets: Target[] = [];
  visitTargets(criteria, (target) => targets.push(target));
  if (targets.length === 0) return criteria;
  const links = targets.map(({ parameters, target: { type } }) => ({ parameters, type }));
  const marked = await findMarked(database, space, links);
  if (marked.size === 0) return criteria;
  const chosen = new Set(targets.filter((_target, place) => marked.has(place)));
  return withMarks(criteria, chosen);
}

function visitTargets(criteria: readonly Criterion[], visit: (target: Target) => void): void {
  for (const predicate of criteria.flatMap(({ anyOf }) => anyOf)) {
    if (predicate.index === 'target') visit(predicate);
    for (const inner of innerCriteria(predicate)) visitTargets(inner, visit);
  }
}

function innerCriteria(predicate: Predicate): (readonly Criterion[])[] {
  switch (predicate.index) {
    case 'target':
      return [predicate.target.criteria];
    case 'source':
      return [predicate.source.criteria];
    case 'all':
      return [predicate.criteria];
    default:
      return [];
  }
}

function withMarks(criteria: readonly Criterion[], chosen: ReadonlySet<Target>): Criterion[] {
  const inner = (of: TypeCriteria): TypeCriteria => ({ ...of, criteria: withMarks(of.criteria, chosen) });
  return criteria.map((criterion) => ({
    ...criterion,
    anyOf: criterion.anyOf.map((predicate): Predicate => {
      switch (predicate.index) {
        case 'target':
          return {
            ...predicate,
            target: inner(predicate.target),
            ...(chosen.has(predicate) ? { hasContainedTargets: true } : {}),
          };
        case 'source':
          return { ...predicate, source: inner(predicate.source) };
        case 'all':
          return { ...predicate, criteria: withMarks(predicate.criteria, chosen) };
        default:
          return predicate;
      }
    }),
  }));
}
