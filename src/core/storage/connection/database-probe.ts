import { fhirError } from '../../errors';
import type { Connection } from './connection';
import type { Database, Lane } from './database';
import { translateDatabaseError } from './database-error';
import type { DatabaseHealth } from './database-health';

/** Milliseconds in which the database must answer a probe. */
const TIME_LIMIT_MS = 2_000;

/** A connection lent by a pool. */
export interface Borrowed {
  readonly connection: Connection;
  release(): void;
}

interface ProbeParts {
  readonly health: DatabaseHealth;
  /** Takes a connection of the probe's own. */
  take(): Promise<Borrowed>;
  /** Runs an empty statement of a lane. */
  ping(lane: Lane): Promise<unknown>;
}

/** Checks on a connection of its own whether the database works. */
export class DatabaseProbe {
  constructor(private readonly parts: ProbeParts) {}

  /** Runs `work`. **Throws** errors of the database, and storageUnavailable after two seconds. */
  async query<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const until = performance.now() + TIME_LIMIT_MS;
    const { connection, release } = await this.take(until);
    try {
      const database: Database = {
        run: ({ space }, statement, bound) => connection.run(space, statement, bound),
      };
      return await before(until, work(database));
    } finally {
      connection.giveUp();
      release();
    }
  }

  /**
   * Describes the lanes whose last statement failed recently. Lanes whose connection failed are tried again, for two
   * seconds at most.
   */
  async troubles(): Promise<readonly string[]> {
    const { health, ping } = this.parts;
    const away = health.current().filter(({ trouble }) => trouble === 'away');
    const until = performance.now() + TIME_LIMIT_MS;
    await Promise.allSettled(away.map(({ lane }) => before(until, ping(lane))));
    return [...new Set(health.current().map(({ message: words }) => words))];
  }

  private async take(until: number): Promise<Borrowed> {
    const taking = this.parts.take();
    try {
      return await before(until, taking);
    } catch (error) {
      // A connection that comes too late is released.
      void taking.then(
        ({ release }) => release(),
        () => undefined,
      );
      throw translateDatabaseError(error).error;
    }
  }
}

/** **Throws** storageUnavailable if the promise takes longer. */
async function before<T>(until: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(fhirError('storageUnavailable')), until - performance.now());
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
