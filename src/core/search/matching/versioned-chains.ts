/** Chains use current versions only; a warning names matches that refer to another version. */
import { toIssue, type Issue } from '../../errors';
import { parseStoredObject } from '../../fhir/json';
import type { Criterion } from '../predicate';
import { targetsOf } from '../values/target-values';
import type { SearchTypeContext } from '../types/search-type';

/** The criteria of a search, of one type or of several. */
export type SearchCriteria =
  | { readonly criteria: readonly Criterion[] }
  | { readonly queries: ReadonlyMap<string, { readonly criteria: readonly Criterion[] }> };

interface Match {
  readonly type: string;
  readonly text: string;
}

/** The first link of a chain. */
interface Link {
  readonly parameter: number;
  /** Number of the target type. */
  readonly type: number;
}

/**
 * Returns warnings for matches whose chained reference names a version of its target: the chain was followed to the
 * current version (docs/use/search-reference.md, Reference). Cost: nothing without chains; else the texts that name versions are
 * parsed.
 */
export function versionedChainIssues(
  context: SearchTypeContext,
  search: SearchCriteria,
  matches: readonly Match[],
): Issue[] {
  const { definitions, references } = context;
  const codes = new Set<string>();
  const links = new Map<string, readonly Link[]>();
  for (const match of matches) {
    const { type, text } = match;
    let ofType = links.get(type);
    if (ofType === undefined) links.set(type, (ofType = linksOf(criteriaOf(search, type))));
    if (ofType.length === 0 || !mayNameVersions(match)) continue;
    const resource = parseStoredObject(text);
    for (const { parameter: number, type: targetType } of ofType) {
      const parameter = definitions.searchParameter(number);
      if (parameter === undefined || codes.has(parameter.code)) continue;
      const isVersioned = targetsOf(definitions, parameter, resource).some((target) => {
        const local = references.local(target.text);
        return local?.versionId !== undefined && definitions.typeNumber(local.type) === targetType;
      });
      if (isVersioned) codes.add(parameter.code);
    }
  }
  if (codes.size === 0) return [];
  const reason = `Matches refer to a version by ${[...codes].sort().join(', ')}; the search used the current versions of the targets`;
  return [{ ...toIssue('notSupported', { reason }), severity: 'warning' }];
}

/** Matches are cached (version-cache.ts) and most texts name no version, so each is tested once. */
const namesVersion = new WeakMap<Match, boolean>();

function mayNameVersions(match: Match): boolean {
  let found = namesVersion.get(match);
  if (found === undefined) {
    found = match.text.includes('/_history/');
    namesVersion.set(match, found);
  }
  return found;
}

function criteriaOf(search: SearchCriteria, type: string): readonly Criterion[] {
  return 'queries' in search ? (search.queries.get(type)?.criteria ?? []) : search.criteria;
}

function linksOf(criteria: readonly Criterion[]): Link[] {
  return criteria.flatMap(({ anyOf }) =>
    anyOf.flatMap((predicate): Link[] => {
      if (predicate.index === 'all') return linksOf(predicate.criteria);
      if (predicate.index !== 'target') return [];
      const { type } = predicate.target;
      return predicate.parameters.map((parameter) => ({ parameter, type }));
    }),
  );
}
