import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Log } from '../../context';
import { builder } from '../connection/statement';

/** Any number; the advisory lock that serializes concurrent starts. */
const MIGRATION_LOCK = 7_230_911;
const POLL_MS = 100;
const LOG_EVERY_MS = 5_000;

const TRY = sql`select pg_try_advisory_lock(${sql.lit(MIGRATION_LOCK)}::bigint) as locked`.compile(
  builder,
).sql;

/** The session that holds the lock, or none if it was just released. */
const HOLDER = sql`
  select l.pid, a.application_name as "applicationName", a.backend_start as since
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and l.classid = 0 and l.objid = ${sql.lit(MIGRATION_LOCK)}
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
  limit 1`.compile(builder).sql;

export interface LockHolder {
  /** Process id of its PostgreSQL session. */
  readonly pid: number;
  /** Null if this user may not see it. */
  readonly applicationName: string | null;
  /** When the session was opened. Null if this user may not see it. */
  readonly since: Date | null;
}

export interface LockWait {
  readonly log: Log;
  /** Milliseconds after which the start fails. */
  readonly waitMs: number;
  /** Milliseconds between two log lines that name the holder of the lock; default 5,000. */
  readonly logEveryMs?: number;
  /** Aborts the wait. */
  readonly signal?: AbortSignal;
}

/**
 * Takes the lock under which one process at a time migrates the database; the session holds it until its end. It polls
 * the lock, because a session that waits inside PostgreSQL outlives a killed process.
 *
 * **Throws** Error that names the holder if the lock is not free in time, or if `signal` is aborted.
 */
export async function takeMigrationLock(
  client: ClientBase,
  { log, waitMs, logEveryMs = LOG_EVERY_MS, signal }: LockWait,
): Promise<void> {
  const began = performance.now();
  let nextLine = logEveryMs;
  const onStop = (): void =>
    log.warn(
      { waitedMs: Math.round(performance.now() - began) },
      'stopped while waiting for the migration lock',
    );
  signal?.addEventListener('abort', onStop, { once: true });
  try {
    while (!(await tryLock(client))) {
      if (signal?.aborted === true)
        throw new Error('The start was stopped while it waited for the migration lock');
      const waited = performance.now() - began;
      if (waited >= waitMs) throw new Error(await givenUp(client, waitMs));
      if (waited >= nextLine) {
        nextLine += logEveryMs;
        const holder = await findHolder(client);
        log.warn(
          { waitedMs: Math.round(waited), ...holder },
          'waiting for the migration lock: another process migrates the database',
        );
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    signal?.removeEventListener('abort', onStop);
  }
}

async function tryLock(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(TRY);
  return rows[0]?.locked === true;
}

async function findHolder(client: ClientBase): Promise<LockHolder | undefined> {
  const { rows } = await client.query<LockHolder>(HOLDER);
  return rows[0];
}

async function givenUp(client: ClientBase, waitMs: number): Promise<string> {
  const holder = await findHolder(client);
  const by =
    holder === undefined
      ? ''
      : `: PostgreSQL session ${holder.pid} (${holder.applicationName ?? 'unknown'}), open since ${holder.since?.toISOString() ?? 'an unknown time'}, holds it`;
  return `The migration lock was not free within ${waitMs} ms (MIGRATION_WAIT_MS)${by}`;
}
