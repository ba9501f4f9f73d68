import type { SearchPage, SearchRequest } from '../../api/search';
import type { StoredVersion } from '../../api/version';
import type { CacheMark, RequestContext, SnapshotMark } from '../../context';
import type { Release } from '../../fhir/release';
import { isCacheable } from '../../erasure/cache-registry';
import type { Database } from '../../storage/connection/database';
import type { SpaceChanges, SpaceMoment } from '../../storage/read/space-changes';

/** A page with more versions is not cached. */
const MOST_VERSIONS = 200;
const MOST_NAME_LENGTH = 2_000;
const PAGE_BYTES = 500;
const VERSION_BYTES = 300;
/** Weight of the latest page in the moving share of cached pages that were still current. */
const WEIGHT = 1 / 32;
/** Below this share, only one of SELDOM searches in the space checks its cached page. */
const WORTHWHILE = 0.25;
const SELDOM = 16;

/** `ap` depends on the current time; the parameters of a named query are not examined. */
const BY_THE_CLOCK = /\bap/i;
const NAMED_QUERY = '_query';
const EXPLAIN = '_explain';

/** Ends an attempt to answer from the cache alone; clients never see it. */
const NOT_REMEMBERED = new Error('what was asked is not remembered');

/** Throws in an attempt to answer from the cache alone, because the request needs the database. */
export function requireDatabase({ memory }: RequestContext): void {
  if (memory === undefined) return;
  memory.missed = 'unfit';
  throw NOT_REMEMBERED;
}

interface CachedPage {
  readonly page: SearchPage;
  /** The page is correct as of this moment or a later one, */
  readonly since: SpaceMoment;
  /** which was before this moment of this process (performance.now()). */
  readonly until: number;
}

interface KnownOfSnapshot {
  /** A moment that was known before the snapshot began; undefined: there is none. */
  readonly since: SpaceMoment | undefined;
  /** The moment that a failed cache attempt of the same request read just before the snapshot. */
  readonly seenInVain: Promise<SpaceMoment | undefined> | undefined;
}

/** Result of a lookup: the cached page was current, had changed, or was missing. */
export type CacheOutcome = 'current' | 'changed' | 'unknown';

export interface SearchResultCacheOptions {
  readonly changes: SpaceChanges;
  /** Maximum size of the cache, approximate; 0: nothing is cached. */
  readonly bytes: number;
  isConformanceType(release: Release, type: string): boolean;
  /** Distinguishes callers with different permissions, since each needs pages of its own. */
  permissionsOf(context: RequestContext): number | undefined;
  /** Called for metrics. */
  observe(outcome: CacheOutcome): void;
}

interface Generation {
  readonly pages: Map<string, CachedPage>;
  /** The versions that pages hold; one that several pages hold is stored and counted once. */
  readonly versions: Set<StoredVersion>;
  bytes: number;
}

/**
 * Cache of search results. After a request has come, PostgreSQL always confirms that nothing has changed on which the
 * page depends, in one small statement for all concurrent requests. So a cached page equals the one that
 * PostgreSQL would give at that moment (docs/decisions/0014).
 */
export class SearchResultCache {
  private young = emptyGeneration();
  private old = emptyGeneration();
  private readonly shares = new Map<number, { share: number; skipped: number }>();
  /** The read of the space's changes, one for each snapshot or attempt. */
  private readonly looks = new WeakMap<object, Promise<SpaceMoment>>();
  /** The changes that failed attempts have read, by request, so that one read suffices for a request. */
  private readonly seenInVain = new WeakMap<RequestContext, Promise<SpaceMoment | undefined>>();
  private readonly snapshots = new WeakMap<SnapshotMark, KnownOfSnapshot>();

  constructor(private readonly options: SearchResultCacheOptions) {}

  /**
   * Returns the cached page if it is still current, else the result of `search`. `database`: reads for this context.
   * Cost: nothing for a search that is not cached; else a share in one statement, in a snapshot one for all its
   * searches, and none if an attempt has read the changes before.
   */
  async answer(
    context: RequestContext,
    request: SearchRequest,
    database: Database,
    search: () => Promise<SearchPage>,
  ): Promise<SearchPage> {
    const [page] = await this.answerEach(context, [request], database, async () => [await search()]);
    if (page instanceof Error) throw page;
    if (page === undefined) throw new Error('a search was not answered');
    return page;
  }

  /** As `answer` for several searches at once; `search` runs those without a current page. */
  async answerEach<R extends SearchRequest>(
    context: RequestContext,
    requests: readonly R[],
    database: Database,
    search: (requests: readonly R[]) => Promise<readonly (SearchPage | Error)[]>,
  ): Promise<readonly (SearchPage | Error)[]> {
    const { number: space } = context.space;
    const names = requests.map((request) =>
      this.options.bytes === 0 ? undefined : this.nameOf(context, request),
    );
    if (names.every((name) => name === undefined) || !this.isWorthLooking(space)) return search(requests);
    const { snapshot } = context;
    const ofSnapshot = snapshot && this.snapshots.get(snapshot);
    const known = names.map((name) => {
      const page = name === undefined ? undefined : this.find(name);
      // A page that was found after the snapshot began may be newer than the snapshot.
      return page !== undefined && snapshot !== undefined && page.until >= snapshot.begun ? undefined : page;
    });
    // Without a snapshot of the request, several pages are of one moment only if all are cached or all are searched.
    const isKnown =
      snapshot === undefined
        ? known.every((each) => each !== undefined)
        : known.some((each) => each !== undefined);
    const before = isKnown ? await ofSnapshot?.seenInVain : undefined;
    const now = isKnown && before === undefined ? await this.look(context, database) : undefined;
    const standing = known.map((each) => {
      const seen = now ?? before;
      if (each === undefined || seen === undefined) return undefined;
      const stands = seen.known.isUnchanged(each.since, each.page.decidedBy);
      this.count(space, stands);
      return stands && now !== undefined ? each.page : undefined;
    });
    for (const [index, name] of names.entries())
      if (name !== undefined)
        this.options.observe(
          standing[index] !== undefined ? 'current' : known[index] === undefined ? 'unknown' : 'changed',
        );
    const isWhole = snapshot !== undefined || standing.every((page) => page !== undefined);
    const found = isWhole ? standing : standing.map(() => undefined);
    const missing = requests.filter((_request, index) => found[index] === undefined);
    if (missing.length === 0) return found.flatMap((page) => page ?? []);
    const since = now !== undefined && snapshot !== undefined ? now : this.seenBefore(context);
    const searched = await search(missing);
    const until = performance.now();
    let next = 0;
    return requests.map((_request, index) => {
      const page = found[index];
      if (page !== undefined) return page;
      const fresh = searched[next++] ?? new Error('a search was not answered');
      const name = names[index];
      if (name !== undefined && since !== undefined && !(fresh instanceof Error) && isCacheable(space))
        this.keep(name, { page: fresh, since, until });
      return fresh;
    });
  }

  /** As Core.fromCache. Makes no attempt if few pages of the space are still current, or if usage is counted. */
  async attempt<T>(
    context: RequestContext,
    work: (context: RequestContext) => Promise<T>,
  ): Promise<{ readonly answer: T } | 'unknown' | 'unfit'> {
    const { space, usage, trail, snapshot } = context;
    if (this.options.bytes === 0 || usage !== undefined || snapshot !== undefined) return 'unknown';
    if ((this.shares.get(space.number)?.share ?? 1) < WORTHWHILE) return 'unknown';
    const memory: CacheMark = { begun: performance.now() };
    const branch = trail?.branch();
    try {
      const answer = await work({ ...context, memory, ...(branch === undefined ? {} : { trail: branch }) });
      if (memory.missed !== undefined) return this.miss(context, memory, memory.missed);
      if (branch !== undefined) trail?.take(branch);
      return { answer };
    } catch (error) {
      if (memory.missed === undefined) throw error;
      return this.miss(context, memory, memory.missed);
    }
  }

  private miss<M>(context: RequestContext, memory: CacheMark, missed: M): M {
    const looking = this.looks.get(memory);
    if (looking !== undefined)
      this.seenInVain.set(
        context,
        looking.catch(() => undefined),
      );
    return missed;
  }

  /** Must be called for each snapshot before it begins. */
  begin(snapshot: SnapshotMark, context: RequestContext): void {
    const since = this.options.bytes === 0 ? undefined : this.options.changes.lastKnown(context.space.number);
    this.snapshots.set(snapshot, { since, seenInVain: this.seenInVain.get(context) });
    this.seenInVain.delete(context);
  }

  /** A moment from which on, or from a later one, the result of a search that starts now is correct. */
  private seenBefore({ space, snapshot }: RequestContext): SpaceMoment | undefined {
    if (snapshot === undefined) return this.options.changes.lastKnown(space.number);
    return this.snapshots.get(snapshot)?.since;
  }

  /** The cached page as of the moment of an attempt. Throws after a cache miss, which the mark records too. */
  async recall(context: RequestContext, memory: CacheMark, request: SearchRequest): Promise<SearchPage> {
    const name = this.nameOf(context, request);
    const known = name === undefined ? undefined : this.find(name);
    // A page that was found after the attempt began may be newer than its moment.
    if (memory.missed === undefined && known !== undefined && known.until < memory.begun) {
      // A failure of PostgreSQL is a cache miss; the next statement reports it.
      const now = await this.lookFor(memory, context.space.number).catch(() => undefined);
      if (now?.known.isUnchanged(known.since, known.page.decidedBy) === true) {
        this.count(context.space.number, true);
        this.options.observe('current');
        return known.page;
      }
    }
    memory.missed ??= name === undefined ? 'unfit' : 'unknown';
    throw NOT_REMEMBERED;
  }

  /** Reads the changes, once for an attempt. */
  private lookFor(memory: CacheMark, space: number): Promise<SpaceMoment> {
    let looking = this.looks.get(memory);
    if (looking === undefined) this.looks.set(memory, (looking = this.options.changes.current(space)));
    return looking;
  }

  /** Reads the changes, up to now or up to the moment of the snapshot. */
  private look({ space, snapshot }: RequestContext, database: Database): Promise<SpaceMoment> {
    const { changes } = this.options;
    if (snapshot === undefined) return changes.current(space.number);
    let looking = this.looks.get(snapshot);
    if (looking === undefined) this.looks.set(snapshot, (looking = changes.lookBy(database, space.number)));
    return looking;
  }

  /** Empties the cache. */
  clear(): void {
    this.young = emptyGeneration();
    this.old = emptyGeneration();
  }

  private find(name: string): CachedPage | undefined {
    const young = this.young.pages.get(name);
    if (young !== undefined) return young;
    const old = this.old.pages.get(name);
    if (old !== undefined) {
      this.old.pages.delete(name);
      this.keep(name, old);
    }
    return old;
  }

  private keep(name: string, remembered: CachedPage): void {
    const { matches, included } = remembered.page;
    if (matches.length + included.length > MOST_VERSIONS) return;
    let bytes = PAGE_BYTES + 2 * name.length;
    const fresh = new Set<StoredVersion>();
    for (const versions of [matches, included])
      for (const version of versions) {
        if (this.young.versions.has(version) || fresh.has(version)) continue;
        fresh.add(version);
        bytes += VERSION_BYTES + version.text.length;
      }
    const most = this.options.bytes / 2;
    if (bytes > most / 8) return;
    if (this.young.bytes + bytes > most) {
      this.old = this.young;
      this.young = emptyGeneration();
      return this.keep(name, remembered);
    }
    for (const version of fresh) this.young.versions.add(version);
    this.young.bytes += bytes;
    this.young.pages.set(name, remembered);
  }

  private isWorthLooking(space: number): boolean {
    const known = this.shares.get(space);
    if (known === undefined || known.share >= WORTHWHILE) return true;
    known.skipped = (known.skipped + 1) % SELDOM;
    return known.skipped === 0;
  }

  private count(space: number, stands: boolean): void {
    let known = this.shares.get(space);
    if (known === undefined) {
      if (this.shares.size > 10_000) this.shares.clear();
      this.shares.set(space, (known = { share: 1, skipped: 0 }));
    }
    known.share += WEIGHT * ((stands ? 1 : 0) - known.share);
  }

  /**
   * The cache key: distinguishes searches whose results may differ. Undefined if the result depends on more than stored
   * data.
   */
  private nameOf(context: RequestContext, request: SearchRequest): string | undefined {
    const { space, usage } = context;
    const { type, compartment, parameters, where, handling, asOf, bothWays, eachCursor } = request;
    if (usage !== undefined || asOf !== undefined) return undefined;
    // Searches of these types read the base space too.
    if (type === undefined || this.options.isConformanceType(space.release, type)) return undefined;
    for (const [name, value] of parameters)
      if (name === NAMED_QUERY || name === EXPLAIN || BY_THE_CLOCK.test(value)) return undefined;
    const name = JSON.stringify([
      space.number,
      space.searchParameters?.change ?? 0,
      this.options.permissionsOf(context) ?? 0,
      handling ?? space.settings.searchUnknown,
      type,
      compartment?.type,
      compartment?.id,
      parameters,
      bothWays,
      eachCursor,
      where,
    ]);
    if (name.length > MOST_NAME_LENGTH || (where !== undefined && BY_THE_CLOCK.test(name))) return undefined;
    return name;
  }
}

function emptyGeneration(): Generation {
  return { pages: new Map(), versions: new Set(), bytes: 0 };
}
