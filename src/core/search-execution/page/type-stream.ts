import type { RequestContext } from '../../context';
import type { CursorContent } from './cursor';
import type { Order } from '../../search/sort/order';
import type { Criterion } from '../../search/predicate';
import type { SearchQuery } from '../../search/requests/parse-search';
import type { SearchServices } from '../../ports';
import type { After, Phase } from '../../storage/search/search-order';
import { compareKeys, compareStored, runKeys, type MatchHead } from '../../storage/search/search-run';
import { findHeads, fetchHeads } from '../sort/fetch-heads';
import { resolveCriteria } from '../plan/resolve-criteria';
import { planSearch } from '../plan/plan-search';
import type { Plan } from '../plan/plan';
import { countAll } from '../aggregates/count-matches';
import { planOfAll, sortedInDatabase } from '../sort/sort-in-database';
import { sortedHeads, unionOf, type SortedMatches } from '../sort/sorted-matches';
import { afterOf, phasesOf, type Position } from './search-position';
import type { Sortable, SortedPlace } from '../sort/sortables';
import { defaultOrderFor } from '../sort/default-order';
import { findVisibleBase } from './visible-base';

/** One match of a search over several types. */
export interface TypeMatch {
  readonly stream: TypeStream;
  /** The space of the match: the tenant's own or the base space. */
  readonly space: number;
  readonly phase: Phase;
  readonly head: MatchHead;
}

/** The matches of one type, for a search over several types. Reads nothing before it is needed. */
export interface TypeStream {
  readonly type: string;
  readonly typeNumber: number;
  readonly query: SearchQuery;
  /** The first matches in order, or those after a position, at most `limit`. */
  next(after: Position | undefined, limit: number): Promise<TypeMatch[]>;
  /** All matches, in no order; undefined if the tenant's own ones are more than `most`. */
  few(most: number): Promise<TypeMatch[] | undefined>;
  /** The first matches in the order of the query's `_sort`, or those after a position, at most `limit`. */
  following(place: SortedPlace | undefined, limit: number): Promise<readonly Sortable[]>;
  count(): Promise<number>;
}

export interface StreamOptions {
  readonly services: SearchServices;
  readonly context: RequestContext;
  readonly query: SearchQuery;
  readonly typeNumber: number;
  /** Criteria beside those of the query. */
  readonly within: readonly Criterion[];
  /** Undefined: the default order of a search of the type alone. */
  readonly order: Order | undefined;
}

/** The matches in the tenant's own space; each page is a statement or two. */
export class OwnStream implements TypeStream {
  readonly type: string;
  readonly typeNumber: number;
  readonly query: SearchQuery;
  #criteria: Promise<Criterion[]> | undefined;
  #plan: Promise<Plan> | undefined;

  constructor(private readonly options: StreamOptions) {
    this.type = options.query.type;
    this.typeNumber = options.typeNumber;
    this.query = options.query;
  }

  async next(place: Position | undefined, limit: number): Promise<TypeMatch[]> {
    const plan = await this.#planned();
    const phases = phasesOf(plan);
    const start = place === undefined ? 0 : Math.max(0, phases.indexOf(place.phase));
    const found: TypeMatch[] = [];
    for (const phase of phases.slice(start)) {
      const after = place?.phase === phase ? place.after : undefined;
      const { database } = this.options.services;
      const heads = await runKeys(database, { ...plan, phase, after, limit: limit - found.length });
      found.push(...heads.map((head) => ({ stream: this, space: plan.space, phase, head })));
      if (found.length >= limit) break;
    }
    return found;
  }

  async few(most: number): Promise<TypeMatch[] | undefined> {
    const { services, context } = this.options;
    const space = context.space.number;
    const heads = await findHeads(services, space, {
      type: this.typeNumber,
      criteria: await this.#resolved(),
      most,
    });
    return heads?.map((head) => ({ stream: this, space, phase: 'all', head }));
  }

  async following(place: SortedPlace | undefined, limit: number): Promise<readonly Sortable[]> {
    const { services, context } = this.options;
    const search = { query: { ...this.query, criteria: await this.#resolved() }, type: this.typeNumber };
    return followingIn(sortedInDatabase(services, context, search), place, limit);
  }

  async count(): Promise<number> {
    return countAll(this.options.services, await this.#planned());
  }

  #resolved(): Promise<Criterion[]> {
    const { services, context, query, within } = this.options;
    this.#criteria ??= resolveCriteria(services, context, [...within, ...query.criteria], 'inUse');
    return this.#criteria;
  }

  #planned(): Promise<Plan> {
    this.#plan ??= this.#makePlan();
    return this.#plan;
  }

  async #makePlan(): Promise<Plan> {
    const { services, context, order } = this.options;
    const { number, release } = context.space;
    const sortDate = services.definitions(release).sortDateParameter(this.type)?.number;
    const criteria = await this.#resolved();
    const wanted = order ?? defaultOrderFor(services, context, this.type, criteria);
    return planSearch(services, number, {
      type: this.typeNumber,
      query: { criteria },
      order: wanted,
      sortDateParameter: sortDate,
    });
  }
}

/**
 * The matches of a conformance type in the tenant's space and the base space (docs/reference/behaviour.md, Base conformance
 * resources).
 */
export class UnionStream implements TypeStream {
  readonly type: string;
  readonly typeNumber: number;
  readonly query: SearchQuery;
  readonly #order: Order;
  #criteria: Promise<Criterion[]> | undefined;
  #base: ReturnType<typeof findVisibleBase> | undefined;
  #ordered: Promise<TypeMatch[]> | undefined;

  constructor(private readonly options: StreamOptions) {
    this.type = options.query.type;
    this.typeNumber = options.typeNumber;
    this.query = options.query;
    this.#order = options.order ?? { by: 'key', descending: true };
  }

  async next(place: Position | undefined, limit: number): Promise<TypeMatch[]> {
    this.#ordered ??= this.#fetchAll();
    const matches = await this.#ordered;
    const start = matches.findIndex(
      (match) => place === undefined || this.#compare(afterOf(match.head), place.after) > 0,
    );
    return start === -1 ? [] : matches.slice(start, start + limit);
  }

  async few(most: number): Promise<TypeMatch[] | undefined> {
    const { services, context } = this.options;
    const space = context.space.number;
    const own = await findHeads(services, space, {
      type: this.typeNumber,
      criteria: await this.#resolved(),
      most,
    });
    return own && [...this.#toMatches(space, own), ...(await this.#baseMatches())];
  }

  async following(place: SortedPlace | undefined, limit: number): Promise<readonly Sortable[]> {
    const { services, context } = this.options;
    const search = { query: { ...this.query, criteria: await this.#resolved() }, type: this.typeNumber };
    const matches = unionOf(search, [
      sortedInDatabase(services, context, search),
      sortedHeads(services, context, search, await this.#visibleBase()),
    ]);
    return followingIn(matches, place, limit);
  }

  async count(): Promise<number> {
    const { services, context } = this.options;
    const query = { ...this.query, criteria: await this.#resolved() };
    const own = await countAll(
      services,
      await planOfAll(services, context, { query, type: this.typeNumber }),
    );
    return own + (await this.#visibleBase()).heads.length;
  }

  #resolved(): Promise<Criterion[]> {
    const { services, context, query, within } = this.options;
    this.#criteria ??= resolveCriteria(services, context, [...within, ...query.criteria]);
    return this.#criteria;
  }

  async #visibleBase(): Promise<{ readonly space: number; readonly heads: readonly MatchHead[] }> {
    const { services, context } = this.options;
    this.#base ??= findVisibleBase(services, context, {
      type: this.type,
      typeNumber: this.typeNumber,
      criteria: await this.#resolved(),
    });
    return this.#base;
  }

  async #baseMatches(): Promise<TypeMatch[]> {
    const { space, heads } = await this.#visibleBase();
    return this.#toMatches(space, heads);
  }

  #toMatches(space: number, heads: readonly MatchHead[]): TypeMatch[] {
    return heads.map((head) => {
      const sortValue = this.#order.by === 'last_updated' ? head.lastUpdated : null;
      return { stream: this, space, phase: 'all', head: { ...head, sortValue } };
    });
  }

  async #fetchAll(): Promise<TypeMatch[]> {
    const { services, context } = this.options;
    const space = context.space.number;
    const own = await fetchHeads(services, space, this.typeNumber, await this.#resolved());
    return [...this.#toMatches(space, own), ...(await this.#baseMatches())].sort((a, b) =>
      this.#compare(afterOf(a.head), afterOf(b.head)),
    );
  }

  #compare(a: After, b: After): number {
    const ascending = compareStored(a.sortValue, b.sortValue) || compareKeys(a.key, b.key);
    return this.#order.descending ? -ascending : ascending;
  }
}

function followingIn(
  matches: SortedMatches,
  place: SortedPlace | undefined,
  limit: number,
): Promise<readonly Sortable[]> {
  const start = { place, isBackward: false, hasBehind: place !== undefined };
  return matches.following(start, { skipped: 0, limit });
}

/** The matches from the beginning of a page on, one more than the page holds. */
export interface FoundMatches {
  readonly matches: readonly TypeMatch[];
  /** Number of all matches, if it costs nothing. */
  readonly total?: number;
  /** Content of the cursor behind the match at this position. */
  places(position: number): CursorContent;
}
