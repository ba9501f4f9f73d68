import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import type { Criterion, Predicate, TypeCriteria } from '../../search/predicate';
import type { SearchServices, Services } from '../../ports';
import { findTargetTypes } from '../../storage/search/reference-targets';
import { resolveCanonical } from './resolve-canonicals';
import {
  mergeCodes,
  requireFewValueSets,
  resolveSubsumption,
  resolveValueSet,
  type WantedCodes,
} from './resolve-codes';
import { resolveHierarchy } from './resolve-hierarchy';
import { resolveLists } from './resolve-lists';

/**
 * Replaces predicates whose meaning depends on stored data, at any depth of chains. Scans stay, because they depend on
 * one space; planSearch replaces them.
 * Cost: nothing without such predicates; else a statement for each, several for terminology.
 * Throws invalidParameterValue, tooCostly, notSupported.
 *
 * @param codes `inUse` for a search that follows: of large code systems only the codes that resources have now
 */
export async function resolveCriteria(
  services: SearchServices,
  context: RequestContext,
  criteria: readonly Criterion[],
  codes: WantedCodes = 'all',
): Promise<Criterion[]> {
  const withoutLists = await resolveLists(services, context, criteria);
  return Promise.all(withoutLists.map((criterion) => resolveCriterion(services, context, criterion, codes)));
}

async function resolveCriterion(
  services: SearchServices,
  context: RequestContext,
  criterion: Criterion,
  codes: WantedCodes,
): Promise<Criterion> {
  const { anyOf, name } = await resolveBareIds(services, context, criterion);
  requireFewValueSets(anyOf);
  const inner = async (of: TypeCriteria): Promise<TypeCriteria> => ({
    ...of,
    criteria: await resolveCriteria(services, context, of.criteria, codes),
  });
  const resolved = await Promise.all(
    anyOf.map(async (predicate): Promise<Predicate[]> => {
      switch (predicate.index) {
        case 'target':
          return [{ ...predicate, target: await inner(predicate.target) }];
        case 'source':
          return [{ ...predicate, source: await inner(predicate.source) }];
        case 'all':
          return [
            { ...predicate, criteria: await resolveCriteria(services, context, predicate.criteria, codes) },
          ];
        case 'scan': {
          const { scan } = predicate;
          if (scan.kind !== 'rows') return [predicate];
          const resolved = await resolveCriteria(services, context, scan.criteria);
          return [{ index: 'scan', scan: { ...scan, criteria: resolved, space: context.space } }];
        }
        case 'canonical':
          return resolveCanonical(services, context, predicate);
        case 'valueSet':
          return resolveValueSet(services, context, predicate, { name, codes });
        case 'subsumption':
          return resolveSubsumption(services, context, predicate, { name, codes });
        case 'hierarchy':
          return resolveHierarchy(services, context.space.number, predicate);
        default:
          return [predicate];
      }
    }),
  );
  return { ...criterion, anyOf: mergeCodes(resolved.flat()) };
}

/**
 * Resolves a bare id to the one type that resources refer to by it; several types are an error (docs/use/search-reference.md,
 * Reference). Keeps only the predicates of that type.
 */
async function resolveBareIds(
  services: Pick<Services, 'database'>,
  context: RequestContext,
  criterion: Criterion,
): Promise<Criterion> {
  const bare = criterion.anyOf.flatMap((predicate) =>
    predicate.index === 'reference' && predicate.bareId !== undefined ? [predicate] : [],
  );
  if (bare.length === 0) return criterion;
  const byId = new Map<string, (typeof bare)[number][]>();
  for (const predicate of bare) {
    const { bareId = '' } = predicate;
    byId.set(bareId, [...(byId.get(bareId) ?? []), predicate]);
  }
  const resolvable = new Set<Predicate>();
  const found = await findTargetTypes(services.database, context.space.number, [...byId.values()]);
  for (const [place, [id, predicates]] of [...byId].entries()) {
    const types = found[place] ?? [];
    if (types.length > 1) {
      const reason = 'references with this id have targets of several types; write Type/id';
      throw fhirError('invalidParameterValue', { parameter: criterion.name, value: id, reason });
    }
    for (const predicate of predicates) {
      const { targetType } = predicate;
      // Contained resources may refer to an id that no stored resource refers to.
      if (types.length === 0 || (targetType !== undefined && types.includes(targetType)))
        resolvable.add(predicate);
    }
  }
  const anyOf = criterion.anyOf.filter(
    (predicate) =>
      predicate.index !== 'reference' || predicate.bareId === undefined || resolvable.has(predicate),
  );
  return { ...criterion, anyOf };
}
