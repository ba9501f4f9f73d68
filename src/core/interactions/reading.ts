/** What the statements of one search are run by. */
import type { RequestContext } from '../context';
import type { Services } from '../services';
import type { Database } from '../storage/database';
import { runnerOver } from '../storage/search-run';

/** Each statement sees the data of its own moment; all of them are cancelled when nobody waits for the search any more. */
export function readEach(services: Services, { waiter }: RequestContext): Services {
  if (services.isWithinTransaction === true) return services;
  const { connections, explanation } = services;
  const waiting = waiter === undefined ? undefined : [waiter];
  const each: Database = {
    run: (lane, space, statement, bound) => connections.run(lane, space, statement, bound, waiting),
  };
  const database = explanation?.statements.over(each) ?? each;
  return {
    ...services,
    database,
    estimator: services.estimator.over(database),
    searches: {
      // Of a page that shares its statement, little could be told.
      page: (request) =>
        explanation === undefined
          ? services.searches.page(request, waiter)
          : runnerOver(database).page(request),
      over: (other) => services.searches.over(other),
    },
  };
}

/**
 * All statements that `work` runs by the services that it is given see the same data: a page, its total and what it
 * brings along are of one moment. Cancelled as those of `readEach`.
 * Cost: it holds one connection of the search lane, shares no statement with other requests, and runs one statement at
 * a time; no round trip more.
 */
export async function readAtOnce<T>(
  services: Services,
  { waiter }: RequestContext,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  if (services.isWithinTransaction === true) return work(services);
  const waiting = waiter === undefined ? undefined : [waiter];
  return services.connections.inSnapshot(waiting, (snapshot) =>
    work(readOver(services, services.explanation?.statements.over(snapshot) ?? snapshot)),
  );
}

function readOver(services: Services, database: Database): Services {
  return {
    ...readWithin(services, database),
    reader: services.reader.overSnapshot(database),
    searches: services.searches.over(database),
  };
}

/** Reads and searches by statements of this database, such as those of a transaction that writes; nothing else is different. */
export function readWithin(services: Services, database: Database): Services {
  return {
    ...services,
    database,
    reader: services.reader.over(database),
    estimator: services.estimator.over(database),
    searches: runnerOver(database),
  };
}
