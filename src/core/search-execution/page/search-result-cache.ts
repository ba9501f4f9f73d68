import type { SearchPage } from '../../api/search';
import type { SearchRequest } from '../../search/requests/search-request';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { CacheMark, RequestContext, SnapshotMark } from '../../context';
import type { Release } from '../../fhir/release';
import { isCacheable } from '../../memory/cache-registry';
import type { Database } from '../../storage/connection/database';
import type { SpaceChanges, SpaceMoment } from '../../storage/read/space-changes';

/** A page with more versions is not cached. */
const MAX_VERSIONS = 200;
const MAX_NAME_LENGTH = 2_000;
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
const CACHE_MISS = new Error('the answer is not cached');

/** Throws in an attempt to answer from the cache alone, because the request needs the database. */
export function requireDatabase({ cacheMark: mark }: RequestContext): void {
  if (mark === undefined) return;
  mark.missed = 'unfit';
  throw CACHE_MISS;
}

interface CachedPage {
  readonly page: SearchPage;
  /** The page is correct as of this moment or a later one. */
  readonly since: SpaceMoment;
  /** Time in this process (performance.now()) before which that moment was. */
  readonly until: number;
}

interface SnapshotChanges {
  /** A moment that was read before the snapshot began; undefined: there is none. */
  readonly since: SpaceMoment | undefined;
  /** The moment that a failed cache attempt of the same request read just before the snapshot. */
  readonly readByAttempt: Promise<SpaceMoment | undefined> | undefined;
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
  private readonly reads = new WeakMap<object, Promise<SpaceMoment>>();
  /** The changes that failed attempts have read, by request, so that one read suffices for a request. */
  private readonly readByAttempt = new WeakMap<RequestContext, Promise<SpaceMoment | undefined>>();
  private readonly snapshots = new WeakMap<SnapshotMark, SnapshotChanges>();

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
    if (names.every((name) => name === undefined) || !this.isWorthChecking(space)) return search(requests);
    const { snapshot } = context;
    const ofSnapshot = snapshot && this.snapshots.get(snapshot);
    const cached = names.map((name) => {
      const page = name === undefined ? undefined : this.find(name);
      // A page that was found after the snapshot began may be newer than the snapshot.
      return page !== undefined && snapshot !== undefined && page.until >= snapshot.begun ? undefined : page;
    });
    // Without a snapshot of the request, several pages are of one moment only if all are cached or all are searched.
    const isUsable =
      snapshot === undefined
        ? cached.every((each) => each !== undefined)
        : cached.some((each) => each !== undefined);
    const before = isUsable ? await ofSnapshot?.readByAttempt : undefined;
    const now = isUsable && before === undefined ? await this.readChanges(context, database) : undefined;
    const current = cached.map((each) => {
      const moment = now ?? before;
      if (each === undefined || moment === undefined) return undefined;
      const isCurrent = moment.changes.isUnchanged(each.since, each.page.decidedBy);
      this.count(space, isCurrent);
      return isCurrent && now !== undefined ? each.page : undefined;
    });
    for (const [index, name] of names.entries())
      if (name !== undefined)
        this.options.observe(
          current[index] !== undefined ? 'current' : cached[index] === undefined ? 'unknown' : 'changed',
        );
    const isWhole = snapshot !== undefined || current.every((page) => page !== undefined);
    const found = isWhole ? current : current.map(() => undefined);
    const missing = requests.filter((_request, index) => found[index] === undefined);
    if (missing.length === 0) return found.flatMap((page) => page ?? []);
    const since = now !== undefined && snapshot !== undefined ? now : this.momentBefore(context);
    const searched = await search(missing);
    const until = performance.now();
    let next = 0;
    return requests.map((_request, index) => {
      const page = found[index];
      if (page !== undefined) return page;
      const fresh = searched[next++] ?? new Error('a search was not answered');
      const name = names[index];
      if (name !== undefined && since !== undefined && !(fresh instanceof Error) && isCacheable(space))
        this.add(name, { page: fresh, since, until });
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
    const mark: CacheMark = { begun: performance.now() };
    const branch = trail?.branch();
    try {
      const answer = await work({
        ...context,
        cacheMark: mark,
        ...(branch === undefined ? {} : { trail: branch }),
      });
      if (mark.missed !== undefined) return this.miss(context, mark, mark.missed);
      if (branch !== undefined) trail?.take(branch);
      return { answer };
    } catch (error) {
      if (mark.missed === undefined) throw error;
      return this.miss(context, mark, mark.missed);
    }
  }

  private miss<M>(context: RequestContext, mark: CacheMark, missed: M): M {
    const reading = this.reads.get(mark);
    if (reading !== undefined)
      this.readByAttempt.set(
        context,
        reading.catch(() => undefined),
      );
    return missed;
  }

  /** Must be called for each snapshot before it begins. */
  begin(snapshot: SnapshotMark, context: RequestContext): void {
    const since =
      this.options.bytes === 0 ? undefined : this.options.changes.cachedMoment(context.space.number);
    this.snapshots.set(snapshot, { since, readByAttempt: this.readByAttempt.get(context) });
    this.readByAttempt.delete(context);
  }

  /** A moment; the result of a search that starts now is correct as of it or a later one. */
  private momentBefore({ space, snapshot }: RequestContext): SpaceMoment | undefined {
    if (snapshot === undefined) return this.options.changes.cachedMoment(space.number);
    return this.snapshots.get(snapshot)?.since;
  }

  /** The cached page as of the moment of an attempt. Throws after a cache miss, which the mark records too. */
  async getForAttempt(context: RequestContext, mark: CacheMark, request: SearchRequest): Promise<SearchPage> {
    const name = this.nameOf(context, request);
    const cached = name === undefined ? undefined : this.find(name);
    // A page that was found after the attempt began may be newer than its moment.
    if (mark.missed === undefined && cached !== undefined && cached.until < mark.begun) {
      // A failure of PostgreSQL is a cache miss; the next statement reports it.
      const now = await this.readForAttempt(mark, context.space.number).catch(() => undefined);
      if (now?.changes.isUnchanged(cached.since, cached.page.decidedBy) === true) {
        this.count(context.space.number, true);
        this.options.observe('current');
        return cached.page;
      }
    }
    mark.missed ??= name === undefined ? 'unfit' : 'unknown';
    throw CACHE_MISS;
  }

  /** Reads the changes, once for an attempt. */
  private readForAttempt(mark: CacheMark, space: number): Promise<SpaceMoment> {
    let reading = this.reads.get(mark);
    if (reading === undefined) this.reads.set(mark, (reading = this.options.changes.current(space)));
    return reading;
  }

  /** Reads the changes, up to now or up to the moment of the snapshot. */
  private readChanges({ space, snapshot }: RequestContext, database: Database): Promise<SpaceMoment> {
    const { changes } = this.options;
    if (snapshot === undefined) return changes.current(space.number);
    let reading = this.reads.get(snapshot);
    if (reading === undefined)
      this.reads.set(snapshot, (reading = changes.readMoment(database, space.number)));
    return reading;
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
      this.add(name, old);
    }
    return old;
  }

  private add(name: string, cached: CachedPage): void {
    const { matches, included } = cached.page;
    if (matches.length + included.length > MAX_VERSIONS) return;
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
      return this.add(name, cached);
    }
    for (const version of fresh) this.young.versions.add(version);
    this.young.bytes += bytes;
    this.young.pages.set(name, cached);
  }

  private isWorthChecking(space: number): boolean {
    const cached = this.shares.get(space);
    if (cached === undefined || cached.share >= WORTHWHILE) return true;
    cached.skipped = (cached.skipped + 1) % SELDOM;
    return cached.skipped === 0;
  }

  private count(space: number, isCurrent: boolean): void {
    let cached = this.shares.get(space);
    if (cached === undefined) {
      if (this.shares.size > 10_000) this.shares.clear();
      this.shares.set(space, (cached = { share: 1, skipped: 0 }));
    }
    cached.share += WEIGHT * ((isCurrent ? 1 : 0) - cached.share);
  }

  /**
   * The cache key: distinguishes searches whose results may differ. Undefined if the result depends on more than stored
   * data.
   */
  private nameOf(context: RequestContext, request: SearchRequest): string | undefined {
    const { space, usage } = context;
    const { type, compartment, parameters, where, handling, asOf, isBackward, bothWays, eachCursor } =
      request;
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
      isBackward,
      bothWays,
      eachCursor,
      where,
    ]);
    if (name.length > MAX_NAME_LENGTH || (where !== undefined && BY_THE_CLOCK.test(name))) return undefined;
    return name;
  }
}

function emptyGeneration(): Generation {
  return { pages: new Map(), versions: new Set(), bytes: 0 };
}
