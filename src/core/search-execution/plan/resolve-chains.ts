/**
 * Resolves chains of many links from the inside out. A statement of its own finds the matches behind each link, once
 * however many links lead to it, and their keys replace the rest of the chain. As a single statement, a chain
 * through references to any type, or one that searches contained resources at each link, has megabytes. PostgreSQL
 * plans it for seconds, however few resources there are.
 */
import { fhirError } from '../../errors';
import {
  modeBehindContained,
  countLinks,
  searchesContained,
  searchesStored,
  modeBehindStored,
  type ContainedMode,
} from '../../search/matching/links';
import type { Criterion, Predicate, TypeCriteria } from '../../search/predicate';
import type { ResourceKey } from '../../search/rows/resource-key';

/** Up to this number, the links of one criterion stay in the statement. */
const MAX_LINKS = 16;
/** Up to this number, the links of all criteria do. */
const MAX_LINKS_IN_ALL = 150;
/** Maximum number of keys for one link; with more matches the criteria stay in the statement. */
const MAX_KEYS = 10_000;
/** Maximum number of keys for all links. */
const MAX_KEYS_IN_ALL = 100_000;

/** Access to the space for resolving chains. */
export interface ChainSpace {
  /** Returns the types that have resources in the space. */
  populated(types: readonly number[]): Promise<ReadonlySet<number>>;
  /** The keys of all matches of criteria without long chains, at most `limit`. */
  find(of: TypeCriteria, limit: number): Promise<readonly ResourceKey[]>;
}

/** True if `resolveChains` runs statements for sets of keys. Cost: a traversal of the criteria. */
export function hasManyLinks(criteria: readonly Criterion[], from: ContainedMode): boolean {
  return manyOf(criteria, from).includes(true);
}

/** True for each criterion whose chains have too many links for one statement. */
function manyOf(criteria: readonly Criterion[], from: ContainedMode): readonly boolean[] {
  const links = criteria.map((criterion) => countLinks([criterion], from));
  const inAll = links.reduce((sum, count) => sum + count, 0);
  return links.map((count) => count > MAX_LINKS || (count > 0 && inAll > MAX_LINKS_IN_ALL));
}

/**
 * The same criteria with sets of keys in place of chains that have many links.
 * Cost: nothing for few links; else a statement for the types, and one or two for each set of resources behind a
 * link. Throws tooCostly for more than 100,000 keys in all.
 *
 * @param from `once`: the criteria apply to contained resources
 */
export async function resolveChains(
  criteria: readonly Criterion[],
  from: ContainedMode,
  space: ChainSpace,
): Promise<readonly Criterion[]> {
  const many = manyOf(criteria, from);
  if (!many.includes(true)) return criteria;
  const types = new Set<number>();
  addTypes(criteria, types);
  const chains = new Chains(space, await space.populated([...types]));
  const resolved = await chains.resolve(
    criteria.filter((_criterion, index) => many[index]),
    { mode: from, isContained: from === 'once' },
  );
  return criteria.map((criterion, index) =>
    many[index] === true ? (resolved.shift() ?? criterion) : criterion,
  );
}

/** The resources that criteria apply to. */
interface ResolveScope {
  readonly mode: ContainedMode;
  readonly isContained: boolean;
}

/** The keys of all matches behind a link, or the criteria if there are too many matches. */
type LinkTargets = { readonly keys: readonly ResourceKey[] } | { readonly of: TypeCriteria };

class Chains {
  /** By criteria, because untyped links lead to the same criteria from many types. */
  private readonly sets = new Map<string, Promise<LinkTargets>>();
  private found = 0;

  constructor(
    private readonly space: ChainSpace,
    private readonly populated: ReadonlySet<number>,
  ) {}

  resolve(criteria: readonly Criterion[], scope: ResolveScope): Promise<Criterion[]> {
    return Promise.all(
      criteria.map(async (criterion) => {
        const parts = await Promise.all(
          criterion.anyOf.map((predicate) => this.resolvePredicate(predicate, scope)),
        );
        return { ...criterion, anyOf: parts.flat() };
      }),
    );
  }

  private async resolvePredicate(predicate: Predicate, scope: ResolveScope): Promise<Predicate[]> {
    switch (predicate.index) {
      case 'target': {
        const stored = this.resolveStored(predicate, scope);
        const contained = this.resolveContained(predicate, scope);
        return [...(await stored), ...(await contained)];
      }
      case 'source': {
        // Contained resources have no references from outside.
        if (scope.isContained) return [];
        const source = withKeys(await this.behind(predicate.source, scope.mode), predicate.source);
        return source === undefined ? [] : [{ ...predicate, source }];
      }
      case 'all': {
        const criteria = await this.resolve(predicate.criteria, scope);
        return criteria.some(isNever) ? [] : [{ ...predicate, criteria }];
      }
      default:
        return [predicate];
    }
  }

  private async resolveStored(predicate: Target, { mode }: ResolveScope): Promise<Predicate[]> {
    if (!searchesStored(predicate)) return [];
    const { parameters, urls, target: of } = predicate;
    const behind = await this.behind(of, mode);
    if (urls !== undefined || 'of' in behind) {
      const target = withKeys(behind, of);
      return target === undefined ? [] : [{ ...predicate, target, part: 'stored' }];
    }
    const { keys } = behind;
    if (keys.length === 0) return [];
    return parameters.map((parameter) => ({
      ...{ index: 'references', parameter },
      ...{ targets: keys, targetType: of.type },
    }));
  }

  private async resolveContained(predicate: Target, { mode }: ResolveScope): Promise<Predicate[]> {
    if (!searchesContained(predicate, mode)) return [];
    const scope: ResolveScope = { mode: modeBehindContained(predicate, mode), isContained: true };
    const criteria = await this.resolve(predicate.target.criteria, scope);
    if (criteria.some(isNever)) return [];
    const target = { ...predicate.target, criteria };
    return [{ ...predicate, part: predicate.part === 'entries' ? 'entries' : 'contained', target }];
  }

  private behind(of: TypeCriteria, from: ContainedMode): Promise<LinkTargets> {
    const mode = modeBehindStored(from);
    const key = JSON.stringify([mode, of.type, of.criteria]);
    const keys = this.sets.get(key) ?? this.find(of, mode);
    this.sets.set(key, keys);
    return keys;
  }

  private async find(of: TypeCriteria, mode: ContainedMode): Promise<LinkTargets> {
    if (!this.populated.has(of.type)) return { keys: [] };
    const criteria = await this.resolve(of.criteria, { mode, isContained: false });
    if (criteria.some(isNever)) return { keys: [] };
    const keys = await this.space.find({ ...of, criteria }, MAX_KEYS + 1);
    if (keys.length > MAX_KEYS) return { of: { ...of, criteria } };
    this.found += keys.length;
    if (this.found <= MAX_KEYS_IN_ALL) return { keys };
    const reason = `More than ${MAX_KEYS_IN_ALL} resources match at the links of the chains; name types, or add a parameter that fewer resources match`;
    throw fhirError('tooCostly', { reason });
  }
}

type Target = Extract<Predicate, { index: 'target' }>;

/** True if nothing can match. */
function isNever({ anyOf, isNegated }: Criterion): boolean {
  return isNegated !== true && anyOf.length === 0;
}

/** Undefined: nothing is behind the link. */
function withKeys(behind: LinkTargets, { type, sortDateParameter }: TypeCriteria): TypeCriteria | undefined {
  if ('of' in behind) return behind.of;
  const { keys } = behind;
  if (keys.length === 0) return undefined;
  return { type, sortDateParameter, criteria: [{ name: '_id', anyOf: [{ index: 'key', keys }] }] };
}

function addTypes(criteria: readonly Criterion[], types: Set<number>): void {
  for (const predicate of criteria.flatMap(({ anyOf }) => anyOf)) {
    if (predicate.index === 'all') addTypes(predicate.criteria, types);
    const of =
      predicate.index === 'target'
        ? predicate.target
        : predicate.index === 'source'
          ? predicate.source
          : undefined;
    if (of === undefined) continue;
    types.add(of.type);
    addTypes(of.criteria, types);
  }
}
