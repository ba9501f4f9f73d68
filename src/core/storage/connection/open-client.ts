import { Socket } from 'node:net';
import { Client, Pool, type ClientBase, type PoolConfig } from 'pg';
import { sendLargeValuesUncopied } from './large-values';
import { clientConfiguration, CONNECT_MS, type DatabaseOptions } from './database';

/** Milliseconds in which PostgreSQL must end a session before its socket is destroyed. */
const GOODBYE_MS = 2_000;

/** Opens a connection outside the pools. **Throws** as pg does, within `connectionTimeoutMillis` (database.ts). */
export async function openClient(options: DatabaseOptions): Promise<Client> {
  const client = new Client(clientConfiguration(options));
  // A lost connection fails its statements; without a listener the event would end the process.
  client.on('error', () => undefined);
  sendLargeValuesUncopied(client);
  try {
    await client.connect();
    return client;
  } catch (error) {
    destroyClient(client, new Error('the connection was not made'));
    throw error;
  }
}

/** A pool waits for the promise of `onConnect` before it lends a connection, but pg's types do not say so. */
type WaitingPoolConfig = PoolConfig & { onConnect(client: ClientBase): Promise<void> };

/** Opens a pool that lends a connection after `prepare` has finished, which may take as long as connecting. */
export function openPool(
  options: DatabaseOptions,
  configuration: PoolConfig,
  prepare: (client: ClientBase) => Promise<void>,
): Pool {
  const waiting: WaitingPoolConfig = {
    ...clientConfiguration(options),
    ...configuration,
    // Not `verify`: a caller that stopped waiting during it still gets the connection, and the pool loses it.
    onConnect: (client) => {
      // The pool handles the errors of idle connections only. A connection lost in use fails its statements; without a
      // listener the event would end the process.
      client.on('error', () => undefined);
      sendLargeValuesUncopied(client);
      return withinLimit(client, CONNECT_MS, () => prepare(client));
    },
  };
  return new Pool(waiting);
}

/** Ends the session, and destroys the socket if PostgreSQL does not answer. Never throws. */
export async function closeClient(client: Client): Promise<void> {
  await withinLimit(client, GOODBYE_MS, () => client.end()).catch(() => undefined);
}

/**
 * Runs `work` with a connection, and destroys the socket if it takes longer than the limit; pending statements on it
 * then fail.
 */
export async function withinLimit<T>(
  client: ClientBase,
  milliseconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(
    () => destroyClient(client, new Error('PostgreSQL has not answered in time')),
    milliseconds,
  );
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** Destroys the socket: pending statements fail with `reason`. */
export function destroyClient(client: ClientBase, reason: Error): void {
  streamOf(client)?.destroy(reason);
}

/** The socket of a connection, which pg has but does not type; undefined if there is none. */
export function streamOf(client: ClientBase): Socket | undefined {
  if (!('connection' in client)) return undefined;
  const { connection } = client;
  if (typeof connection !== 'object' || connection === null || !('stream' in connection)) return undefined;
  return connection.stream instanceof Socket ? connection.stream : undefined;
}
