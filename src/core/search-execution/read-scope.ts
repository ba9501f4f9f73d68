/** The read scopes of searches: how their statements run. */
import type { RequestContext } from '../context';
import type { SearchServices } from '../ports';
import type { Database } from '../storage/connection/database';
import type { BatchLimits } from '../storage/connection/request-batcher';
import { PlanningBatch } from '../storage/connection/planning-batch';
import { LateralBatch } from '../storage/connection/lateral-batch';
import { runnerOver } from '../storage/search/search-run';
import type { Usage } from '../storage/connection/usage';

/** Each statement sees the data of its own moment; all of them are cancelled when the client disconnects. */
export function perStatement<S extends SearchServices>(services: S, { cancellation }: RequestContext): S {
  if (isBound(services)) return services;
  const { connections, explanation, usage } = services;
  const waiting = cancellation === undefined ? undefined : [cancellation];
  const each = countInto(usage, {
    run: ({ lane, space }, statement, bound) => connections.run({ lane, space, waiting }, statement, bound),
  });
  const database =
    explanation?.statements.over(each) ??
    (services.hasStatementBudget === true ? new PlanningBatch(each) : each);
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
}

/**
 * Runs `work` with services whose statements share one snapshot: a page, its total and its included resources
 * are of one moment. Cancellation is as in `perStatement`.
 * Cost: it holds one connection of the search lane, shares no statement with other requests, and runs one statement at
 * a time; no further round trip.
 */
export async function inSnapshot<S extends SearchServices, T>(
  services: S,
  { space, cancellation }: RequestContext,
  work: (services: S) => Promise<T>,
): Promise<T> {
  if (isBound(services)) return work(services);
  const { explanation, usage } = services;
  const waiting = cancellation === undefined ? undefined : [cancellation];
  return services.connections.inSnapshot(space.number, waiting, (snapshot) =>
    work(
      overSnapshot(
        services,
        explanation?.statements.over(snapshot) ?? new PlanningBatch(countInto(usage, snapshot)),
      ),
    ),
  );
}

function overSnapshot<S extends SearchServices>(services: S, database: Database): S {
  return {
    ...withinTransaction(services, database),
    reader: services.reader.overSnapshot(database),
    searches: services.searches.over(database),
  };
}

/** True if all statements already run in one transaction or snapshot. */
function isBound({ isWithinTransaction, isWithinSnapshot }: SearchServices): boolean {
  return isWithinTransaction === true || isWithinSnapshot === true;
}

/** Batching on one connection: one statement at a time, of at most this many reads or pages of searches. */
const ONE_AFTER_THE_OTHER: BatchLimits = { concurrent: 1, most: 256 };

/** Services over a database that sees only committed data; concurrent reads are batched. */
export function batched<S extends SearchServices>(
  services: S,
  given: Database,
  gathered: BatchLimits,
  usage: Usage | undefined,
): S {
  const database = new PlanningBatch(given);
  return {
    ...withinTransaction(services, database),
    reader: services.reader.overSnapshot(database, gathered),
    searches: services.searches.over(database, { limits: gathered }),
    hasStatementBudget: true,
    ...(usage === undefined ? {} : { usage }),
  };
}

/**
 * As `inSnapshot`, for several concurrent interactions of one request: their reads are batched and share one
 * snapshot. After `milliseconds` running statements are cancelled, and further ones throw `timeout`. The limit is
 * necessary because the snapshot holds a connection and prevents the removal of dead rows.
 */
export async function inSharedSnapshot<S extends SearchServices, T>(
  services: S,
  { space, cancellation, usage }: RequestContext,
  milliseconds: number,
  work: (services: S) => Promise<T>,
): Promise<T> {
  const waiting = cancellation === undefined ? undefined : [cancellation];
  return services.connections.inSnapshot(
    space.number,
    waiting,
    (snapshot) => {
      const database = countInto(usage, snapshot);
      return work({
        ...batched(services, database, ONE_AFTER_THE_OTHER, usage),
        isWithinSnapshot: true,
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

/** Services for several concurrent searches inside `inSnapshot`: equal steps share one statement. */
export function merged<S extends SearchServices>(services: S): S {
  const merged = new LateralBatch(services.database);
  return {
    ...overSnapshot({ ...services, hasStatementBudget: true }, merged),
    reader: services.reader.overSnapshot(merged, undefined, true),
    isWithinSnapshot: true,
    afterPlanning: () => merged.afterPlanning(),
  };
}

/** Services whose reads and searches run on this database, such as a transaction that writes; nothing else differs. */
export function withinTransaction<S extends SearchServices>(services: S, database: Database): S {
  return {
    ...services,
    database,
    reader: services.reader.over(database),
    estimator: services.estimator.over(database),
    searches: runnerOver(database),
  };
}
