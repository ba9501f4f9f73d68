import { permissionsOf } from '../authorization/visibility';
import type { RequestContext, SnapshotMark } from '../context';
import { registerCache } from '../memory/cache-registry';
import {
  batched,
  countInto,
  EACH_STATEMENT_WITH_BUDGET,
  inSharedSnapshot,
  readingBy,
} from '../search-execution/read-scope';
import { requireDatabase, SearchResultCache } from '../search-execution/page/search-result-cache';
import type { Services } from '../ports';
import type { BatchLimits } from '../storage/connection/request-batcher';
import { SpaceChanges } from '../storage/read/space-changes';
import type { CoreOptions } from './core-options';
import type { Usage } from '../storage/connection/usage';
import type { Replicas } from '../storage/replicas/replicas';

export interface RequestReads {
  readonly requests: RequestServices;
  readonly searchResults: SearchResultCache;
}

/** Creates the cache of search results and the services of requests, which tell it when their snapshots begin. */
export function createRequestReads(
  services: Services,
  replicas: Replicas | undefined,
  { limits, instruments }: Pick<CoreOptions, 'limits' | 'instruments'>,
): RequestReads {
  const searchResults = registerCache(
    new SearchResultCache({
      changes: new SpaceChanges(services.database),
      bytes: limits.searchCacheBytes,
      isConformanceType: services.isConformanceType,
      permissionsOf: (context) => permissionsOf(services, context)?.number,
      observe: (outcome) => instruments?.cachedSearch(outcome),
    }),
  );
  const reading = replicas === undefined ? services : readingBy(services, replicas);
  const requests = new RequestServices(reading, (snapshot, of) => searchResults.begin(snapshot, of));
  return { requests, searchResults };
}

/** As in the shared services: two concurrent statements. */
const TOGETHER: BatchLimits = { concurrent: 2, most: 64 };

/** Selects the services for a request by its context: shared, counted, or those of a snapshot. */
export class RequestServices {
  private readonly counting = new WeakMap<Usage, Services>();
  private readonly snapshots = new WeakMap<object, Services>();
  private readonly bounded: Services;

  constructor(
    private readonly services: Services,
    /** Called before each snapshot begins. */
    private readonly begin: (snapshot: SnapshotMark, context: RequestContext) => void,
  ) {
    this.bounded = { ...services, scope: EACH_STATEMENT_WITH_BUDGET };
  }

  of(context: RequestContext): Services {
    requireDatabase(context);
    const { snapshot, usage } = context;
    if (snapshot !== undefined) {
      const within = this.snapshots.get(snapshot);
      if (within === undefined) throw new Error('a request reads in a snapshot of another core');
      return within;
    }
    if (usage !== undefined) return this.counted(usage);
    return context.hasStatementBudget === true ? this.bounded : this.services;
  }

  /** Returns one object per usage, so that reads of one request share statements with each other. */
  private counted(usage: Usage): Services {
    let services = this.counting.get(usage);
    if (services === undefined) {
      const database = countInto(usage, this.services.database);
      services = batched(this.services, database, TOGETHER, usage);
      this.counting.set(usage, services);
    }
    return services;
  }

  /** As Core.inSnapshot. */
  async inSnapshot<T>(
    context: RequestContext,
    milliseconds: number,
    work: (context: RequestContext) => Promise<T>,
  ): Promise<T> {
    if (context.snapshot !== undefined) return work(context);
    let mark: SnapshotMark | undefined = this.mark(context);
    return inSharedSnapshot(this.services, context, milliseconds, (services) => {
      // Where the work begins again, the snapshot is another one, which begins with its first statement.
      const snapshot = mark ?? this.mark(context);
      mark = undefined;
      this.snapshots.set(snapshot, services);
      return work({ ...context, snapshot }).finally(() => this.snapshots.delete(snapshot));
    });
  }

  private mark(context: RequestContext): SnapshotMark {
    const snapshot: SnapshotMark = { begun: performance.now() };
    this.begin(snapshot, context);
    return snapshot;
  }
}
