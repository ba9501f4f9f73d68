/** Divides what the settings give one server among its worker processes, which share one port. */
import { availableParallelism } from 'node:os';
import { isSet } from '../config';
import type { Settings } from './settings';

/** Connections to PostgreSQL that a worker needs at least, so that a long search leaves others for reads and writes. */
const LEAST_CONNECTIONS = 4;

export interface WorkerPlan {
  /** 1: the process serves by itself. */
  readonly count: number;
  /** Connections to PostgreSQL of each worker. */
  readonly connections: number;
  /** Why the numbers are not those of the settings; each a sentence for the log. */
  readonly notices: readonly string[];
}

/**
 * Returns how many workers a server has. `auto` is one for each of `cores`, but no more than have their connections where
 * the environment sets DATABASE_CONNECTIONS.
 */
export function planWorkers(
  { workers, database }: Pick<Settings, 'workers' | 'database'>,
  environment: Readonly<Record<string, string | undefined>>,
  cores = availableParallelism(),
): WorkerPlan {
  const { count: wanted } = workers;
  const notices: string[] = [];
  let count = wanted === 'auto' ? cores : wanted;
  if (wanted === 'auto' && isSet(environment['DATABASE_CONNECTIONS'])) {
    count = Math.min(cores, Math.max(1, Math.floor(database.connections / LEAST_CONNECTIONS)));
    if (count < cores)
      notices.push(
        `${count} of ${cores} cores have a worker, because each needs ${LEAST_CONNECTIONS} of DATABASE_CONNECTIONS (${database.connections})`,
      );
  }
  if (count > cores)
    notices.push(
      `WORKERS is ${count}, but there are ${cores} cores: more workers than cores need memory and connections, and are not faster`,
    );
  const connections = connectionsOf(database.connections, count);
  if (count > 1 && connections * count > database.connections)
    notices.push(
      `${count} workers have ${connections} connections to PostgreSQL each, ${connections * count} in all: more than DATABASE_CONNECTIONS (${database.connections})`,
    );
  return { count, connections, notices };
}

function connectionsOf(connections: number, workers: number): number {
  return workers === 1 ? connections : Math.max(LEAST_CONNECTIONS, Math.floor(connections / workers));
}

/** Returns the settings of one of `count` workers: connections, caches and bytes are for all workers together. */
export function shareOf(settings: Settings, count: number): Settings {
  if (count === 1) return settings;
  const { database, connection, memory } = settings;
  const share = (whole: number): number => Math.ceil(whole / count);
  const shareOfSet = (whole: number | undefined): number | undefined =>
    whole === undefined ? undefined : share(whole);
  return Object.freeze({
    ...settings,
    database: { ...database, connections: connectionsOf(database.connections, count) },
    connection: { ...connection, connections: share(connection.connections) },
    memory: {
      versionCacheMb: shareOfSet(memory.versionCacheMb),
      searchCacheMb: shareOfSet(memory.searchCacheMb),
      maxBytesUnderWay: shareOfSet(memory.maxBytesUnderWay),
    },
  });
}
