import { fhirError } from '../../errors';
import type { Connection } from './connection';
import type { Database, Lane } from './database';
import { translateDatabaseError } from './database-error';
import type { DatabaseHealth } from './database-health';

/** Milliseconds in which the database must answer those who ask how it is. */
const PATIENCE_MS = 2_000;

/** What a connection pool lends. */
export interface Borrowed {
  readonly connection: Connection;
  release(): void;
}

interface ProbeParts {
  readonly health: DatabaseHealth;
  /** Takes a connection that nothing else uses. */
  take(): Promise<Borrowed>;
  /** Runs a statement of a lane that does nothing. */
  ping(lane: Lane): Promise<unknown>;
}

/** Tells whether the database can do its work, on a connection of its own. */
export class DatabaseProbe {
  constructor(private readonly parts: ProbeParts) {}

  /** Runs `work`. Throws what the database refuses, storageUnavailable after two seconds. */
  async ask<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    const { connection, release } = await this.take(until);
    try {
      const database: Database = {
        run: (_lane, space, statement, bound) => connection.run(space, statement, bound),
      };
      return await before(until, work(database));
    } finally {
      connection.giveUp();
      release();
    }
  }

  /**
   * What is wrong with the lanes, in words: those of which the last statement failed a short while ago. One of which
   * the connection failed is tried again, for two seconds at most.
   */
  async troubles(): Promise<readonly string[]> {
    const { health, ping } = this.parts;
    const away = health.current().filter(({ trouble }) => trouble === 'away');
    const until = performance.now() + PATIENCE_MS;
    await Promise.allSettled(away.map(({ lane }) => before(until, ping(lane))));
    return [...new Set(health.current().map(({ words }) => words))];
  }

  private async take(until: number): Promise<Borrowed> {
    const taking = this.parts.take();
    try {
      return await before(until, taking);
    } catch (error) {
      // Where it comes too late, it is given back.
      void taking.then(
        ({ release }) => release(),
        () => undefined,
      );
      throw translateDatabaseError(error).error;
    }
  }
}

/** Throws storageUnavailable where it takes longer. */
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
