import type { CodeRange } from './access-path';
import { searchesContained } from '../matching/links';
import type { Criterion, Predicate } from '../predicate';
import type { SortRows } from '../sort/sort-rows';

/** True when the index rows of the predicate are in the order of the clinical date. */
export function isOrderedByDate(predicate: Predicate, sortDateParameter: number | undefined): boolean {
  return (
    (predicate.index === 'token' && predicate.value !== undefined) ||
    predicate.index === 'reference' ||
    (predicate.index === 'range' && predicate.parameter === sortDateParameter)
  );
}

/** True when an index can list the resources that meet the criterion; other criteria can only be tested. */
export function hasAccessPath({ anyOf, isNegated }: Criterion): boolean {
  return isNegated !== true && anyOf.every(canList);
}

export function canList(predicate: Predicate): boolean {
  switch (predicate.index) {
    case 'presence':
    case 'inside':
      return false;
    case 'target':
      return predicate.urls !== undefined || predicate.target.driver !== undefined;
    case 'source':
      return predicate.urls !== undefined || predicate.source.driver !== undefined;
    case 'all':
      return predicate.driver !== undefined;
    default:
      return true;
  }
}

/** More alternatives are fetched and sorted instead of merged in order. */
const MAX_MERGED = 8;

/** True when an index scan gives the matches of the criterion in the order of the clinical date. */
export function canScanInOrder(criterion: Criterion, sortDateParameter: number | undefined): boolean {
  return (
    hasAccessPath(criterion) &&
    criterion.anyOf.length > 0 &&
    criterion.anyOf.length <= MAX_MERGED &&
    criterion.anyOf.every((predicate) => isOrderedByDate(predicate, sortDateParameter))
  );
}

/** True for a chain whose index holds, for each target, the referring resources in the order of the clinical date. */
export function isOrderedByTarget({ anyOf, isNegated }: Criterion): boolean {
  const [only] = anyOf;
  return (
    isNegated !== true &&
    anyOf.length === 1 &&
    only?.index === 'target' &&
    only.urls === undefined &&
    only.parameters.length === 1
  );
}

/** The resources that refer to more targets are not merged, because each target is a range of its own. */
const MAX_MERGED_TARGETS = 2_000;

/**
 * Returns the approximate number of targets of such a chain. Undefined where there are too many, or where some may be
 * contained in the referring resource.
 */
export function mergedTargets({ anyOf, isNegated }: Criterion): number | undefined {
  if (isNegated === true || anyOf.length === 0 || anyOf.length > MAX_MERGED) return undefined;
  let targets = 0;
  for (const predicate of anyOf) {
    if (predicate.index !== 'target' || predicate.urls !== undefined) return undefined;
    if (predicate.parameters.length !== 1 || searchesContained(predicate, 'always')) return undefined;
    targets += predicate.target.driverCount ?? Infinity;
  }
  return targets <= MAX_MERGED_TARGETS ? Math.max(1, targets) : undefined;
}

/** Returns the ordered rows under the codes of the criterion; undefined: some of the codes have none. */
export function rangesUnderCodes({ anyOf, isNegated }: Criterion, rows: SortRows): CodeRange[] | undefined {
  if (isNegated === true || rows.underCodes.length === 0) return undefined;
  const ranges = new Map<string, CodeRange>();
  for (const predicate of anyOf) {
    if (predicate.index !== 'token' || predicate.value === undefined) return undefined;
    const under = rows.underCodes.find(({ code }) => code === predicate.parameter);
    if (under === undefined || predicate.qualifiers === undefined) return undefined;
    for (const qualifier of predicate.qualifiers)
      for (const parameter of under.parameters)
        ranges.set(`${parameter} ${qualifier.high} ${qualifier.low} ${predicate.system}`, {
          parameter,
          qualifier,
          system: predicate.system,
        });
  }
  return ranges.size > 0 && ranges.size <= MAX_MERGED * 2 ? [...ranges.values()] : undefined;
}

/** True for `_lastUpdated` alone: the heads are in its order. */
export function isOneUpdatedRange([only, ...others]: readonly Criterion[]): boolean {
  return (
    only !== undefined && others.length === 0 && only.anyOf.length === 1 && only.anyOf[0]?.index === 'updated'
  );
}

export function isNested({ index }: Predicate): boolean {
  return index === 'target' || index === 'source' || index === 'all';
}
