/** What the statements of one search are run by. */
import type { RequestContext } from '../context';
import type { SearchServices } from '../ports';
import type { Database } from '../storage/connection/database';
import type { Gathered } from '../storage/connection/request-batcher';
import { PlanningBatch } from '../storage/connection/planning-batch';
import { LateralBatch } from '../storage/connection/lateral-batch';
import { runnerOver } from '../storage/search/search-run';
import type { Usage } from '../storage/connection/usage';

/** Each statement sees the data of its own moment; all of them are cancelled when nobody waits for the search any more. */
export function perStatement<S extends SearchServices>(services: S, { cancellation }: RequestContext): S {
  if (isBound(services)) return services;
  const { connections, explanation, usage } = services;
  const waiting = cancellation === undefined ? undefined : [cancellation];
  const each = countInto(usage, {
    run: (lane, space, statement, bound) => connections.run(lane, space, statement, bound, waiting),
  });
  const database =
    explanation?.statements.over(each) ??
    (services.hasStatementBudget === true ? new PlanningBatch(each) : each);
  return {
    ...services,
    database,
    estimator: services.estimator.over(database),
    searches: {
      // Of a page that shares its statement, little could be told.
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
 * All statements that `work` runs by the services that it is given see the same data: a page, its total and what it
 * brings along are of one moment. Cancelled as those of `perStatement`.
 * Cost: it holds one connection of the search lane, shares no statement with other requests, and runs one statement at
 * a time; no round trip more.
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

/** True where everything is read by statements of one transaction or snapshot already. */
function isBound({ isWithinTransaction, isWithinSnapshot }: SearchServices): boolean {
  return isWithinTransaction === true || isWithinSnapshot === true;
}

/** The statements of one connection, and the reads, or pages of searches, that go together in one. */
const ONE_AFTER_THE_OTHER: Gathered = { concurrent: 1, most: 256 };

/** By statements of this database, which sees only what is committed; what is asked at the same time goes together. */
export function batched<S extends SearchServices>(
  services: S,
  given: Database,
  gathered: Gathered,
  usage: Usage | undefined,
): S {
  const database = new PlanningBatch(given);
  return {
    ...withinTransaction(services, database),
    reader: services.reader.overSnapshot(database, gathered),
    searches: services.searches.over(database, { gathered }),
    hasStatementBudget: true,
    ...(usage === undefined ? {} : { usage }),
  };
}

/**
 * As `inSnapshot`, for several interactions of one request at the same time: what they ask goes together in statements,
 * and they see the same moment. Throws `timeout` for what is asked after `milliseconds`, and cancels what runs then: the
 * connection is kept from others, and the rows of that moment from being cleaned away.
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

/** The same database; what is asked of it is counted too. */
export function countInto(usage: Usage | undefined, database: Database): Database {
  if (usage === undefined) return database;
  return {
    async run(lane, space, statement, bound, waiting) {
      usage.statements++;
      const rows = await database.run(lane, space, statement, bound, waiting);
      usage.rows += rows.length;
      return rows;
    },
  };
}

/** For several searches at the same time, within `inSnapshot`: what they do alike goes together in one statement. */
export function merged<S extends SearchServices>(services: S): S {
  const merged = new LateralBatch(services.database);
  return {
    ...overSnapshot({ ...services, hasStatementBudget: true }, merged),
    reader: services.reader.overSnapshot(merged, undefined, true),
    isWithinSnapshot: true,
    afterPlanning: () => merged.afterPlanning(),
  };
}

/** Reads and searches by statements of this database, such as those of a transaction that writes; nothing else is different. */
export function withinTransaction<S extends SearchServices>(services: S, database: Database): S {
  return {
    ...services,
    database,
    reader: services.reader.over(database),
    estimator: services.estimator.over(database),
    searches: runnerOver(database),
  };
}
