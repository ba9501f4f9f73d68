/** The read scopes: how the statements of reads run. */
import type { RequestContext } from '../context';
import type { ReadScope, SearchServices } from '../ports';
import type { Database, ReadConnections } from '../storage/connection/database';
import type { BatchLimits } from '../storage/connection/request-batcher';
import { lateralJoin } from '../storage/connection/lateral-join';
import { PLANNING_QUERIES } from '../storage/connection/planning-queries';
import { StatementBatch } from '../storage/connection/statement-batch';
import { runnerOver, SEARCH_LIMITS } from '../storage/search/search-run';
import type { Usage } from '../storage/connection/usage';

/** Statements of connections: each runs by itself, or together with those of other requests. */
function onConnections(hasStatementBudget: boolean): ReadScope {
  return {
    isCommitted: true,
    hasStatementBudget,
    afterPlanning: async () => undefined,
    perStatement(services, { cancellation }) {
      const { reads, explanation, usage } = services;
      const waiting = cancellation === undefined ? undefined : [cancellation];
      const each = countInto(usage, {
        run: ({ lane, space }, statement, bound) => reads.run({ lane, space, waiting }, statement, bound),
      });
      const database =
        explanation?.statements.over(each) ??
        (hasStatementBudget ? new StatementBatch(each, PLANNING_QUERIES) : each);
      return {
        ...services,
        database,
        estimator: services.estimator.over(database),
        searches: {
          // A page that shares its statement with other requests has no statement of its own to explain.
          page: (request) =>
            explanation === undefined
              ? services.searches.page(request, cancellation)
              : runnerOver(database).page(request),
          ranges: (ranges, skipped) => services.searches.over(database).ranges(ranges, skipped),
          over: (other, how) => services.searches.over(other, how),
        },
      };
    },
    inSnapshot(services, { space, cancellation }, work) {
      const { explanation, usage } = services;
      const waiting = cancellation === undefined ? undefined : [cancellation];
      return services.reads.inSnapshot(space.number, waiting, (snapshot) =>
        work({
          ...overSnapshot(
            services,
            explanation?.statements.over(snapshot) ??
              new StatementBatch(countInto(usage, snapshot), PLANNING_QUERIES),
          ),
          scope: hasStatementBudget ? SNAPSHOT_WITH_BUDGET : SNAPSHOT,
        }),
      );
    },
  };
}

/** Statements of one connection, which already see one snapshot or one transaction. */
const onOneConnection: Pick<ReadScope, 'afterPlanning' | 'perStatement' | 'inSnapshot'> = {
  afterPlanning: async () => undefined,
  perStatement: (services) => services,
  inSnapshot: (services, _context, work) => work(services),
};

/** Each statement sees the committed data of its own moment, unless a snapshot is begun. */
export const EACH_STATEMENT = onConnections(false);
/** The same with a guaranteed number of statements. */
export const EACH_STATEMENT_WITH_BUDGET = onConnections(true);
const SNAPSHOT: ReadScope = { ...onOneConnection, isCommitted: true, hasStatementBudget: false };
const SNAPSHOT_WITH_BUDGET: ReadScope = { ...SNAPSHOT, hasStatementBudget: true };
const TRANSACTION: ReadScope = { ...onOneConnection, isCommitted: false, hasStatementBudget: false };

/** Batching on one connection: one statement at a time, of at most this many reads or pages of searches. */
const ONE_AFTER_THE_OTHER: BatchLimits = { concurrent: 1, most: 256 };

/** Services whose searches and snapshots these connections run. Searches of one shape share a statement. */
export function readingBy<S extends SearchServices>(services: S, reads: ReadConnections): S {
  return {
    ...services,
    reads,
    database: reads,
    estimator: services.estimator.over(reads),
    searches: services.searches.over(reads, { limits: SEARCH_LIMITS }),
  };
}

/** Services over a database that sees only committed data; concurrent reads are batched. */
export function batched<S extends SearchServices>(
  services: S,
  given: Database,
  limits: BatchLimits,
  usage: Usage | undefined,
): S {
  const database = new StatementBatch(given, PLANNING_QUERIES);
  return {
    ...overDatabase(services, database),
    reader: services.reader.overSnapshot(database, limits),
    searches: services.searches.over(database, { limits }),
    scope: EACH_STATEMENT_WITH_BUDGET,
    ...(usage === undefined ? {} : { usage }),
  };
}

/**
 * Runs `work` with services whose statements share one snapshot, for several concurrent interactions of one request:
 * their reads are batched. After `milliseconds` running statements are cancelled, and further ones throw `timeout`. The
 * limit is necessary because the snapshot holds a connection and prevents the removal of dead rows.
 */
export async function inSharedSnapshot<S extends SearchServices, T>(
  services: S,
  { space, cancellation, usage }: RequestContext,
  milliseconds: number,
  work: (services: S) => Promise<T>,
): Promise<T> {
  const waiting = cancellation === undefined ? undefined : [cancellation];
  return services.reads.inSnapshot(
    space.number,
    waiting,
    (snapshot) => {
      const database = countInto(usage, snapshot);
      return work({
        ...batched(services, database, ONE_AFTER_THE_OTHER, usage),
        scope: SNAPSHOT_WITH_BUDGET,
      });
    },
    milliseconds,
  );
}

/** The same database, with its statements and rows counted. */
export function countInto(usage: Usage | undefined, database: Database): Database {
  if (usage === undefined) return database;
  return {
    async run(context, statement, bound) {
      usage.statements++;
      const rows = await database.run(context, statement, bound);
      usage.rows += rows.length;
      return rows;
    },
  };
}

/** Services for several concurrent searches inside a snapshot: equal steps share one statement. */
export function merged<S extends SearchServices>(services: S): S {
  const database = new StatementBatch(services.database, lateralJoin());
  return {
    ...overSnapshot(services, database),
    reader: services.reader.overSnapshot(database, undefined, true),
    scope: { ...SNAPSHOT_WITH_BUDGET, afterPlanning: () => database.afterPlanning() },
  };
}

/** Services whose reads and searches run in a transaction that writes, and see its writes. */
export function withinTransaction<S extends SearchServices>(services: S, database: Database): S {
  return { ...overDatabase(services, database), scope: TRANSACTION };
}

function overSnapshot<S extends SearchServices>(services: S, database: Database): S {
  return {
    ...overDatabase(services, database),
    reader: services.reader.overSnapshot(database),
    searches: services.searches.over(database),
  };
}

function overDatabase<S extends SearchServices>(services: S, database: Database): S {
  return {
    ...services,
    database,
    reader: services.reader.over(database),
    estimator: services.estimator.over(database),
    searches: runnerOver(database),
  };
}
