import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import { bind, defineStatement, template, type Bound, type Statement } from './statement';

/** The PostgreSQL process that serves one connection. */
export interface Backend {
  /** Read from the server itself, because a pooler in between reports numbers of its own. */
  readonly processId: number;
  /** Distinguishes the process from a later one with the same number. */
  readonly started: string;
  /** The cluster and its timeline, which changes at a failover; undefined: a standby. */
  readonly server: string | undefined;
  /**
   * The history of the data: the cluster, its timeline, the database and a table. That of a standby has the timeline of its last
   * restartpoint, or of the last change that it has both replayed and written to its files. A standby of the same history as its
   * primary has nothing that the primary has lost in a failover.
   */
  readonly history: string;
}

/** True for the row of `pg_stat_activity` of this process, not of a later one with the same number. */
const IS_SAME = sql`extract(epoch from a.backend_start)::text = ${bind('started')}`;

const IDENTIFY = unnamed(sql`
  select a.pid, extract(epoch from a.backend_start)::text,
    case when not r.recovers then system_identifier::text || ' ' || t.timeline end,
    concat_ws(' ', system_identifier, t.timeline, d.oid, to_regclass('andiron.resource_version')::oid)
  from pg_stat_activity a
  cross join pg_control_system()
  cross join (select pg_is_in_recovery() as recovers offset 0) r
  cross join lateral (
    select case when r.recovers then lpad(upper(to_hex(
        greatest((pg_control_checkpoint()).timeline_id, (pg_control_recovery()).min_recovery_end_timeline))), 8, '0')
      else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline
    offset 0
  ) t
  join pg_database d on d.datname = current_database()
  where a.pid = pg_backend_pid() limit 1`);
const TERMINATE = unnamed(sql`
  select pg_terminate_backend(a.pid) from pg_stat_activity a
  where a.pid = ${bind('process_id')}::int and ${IS_SAME} limit 1`);
const STATE = unnamed(sql`
  select coalesce(a.state, '') from pg_stat_activity a
  where a.pid = ${bind('process_id')}::int and ${IS_SAME} limit 1`);

/** Milliseconds in which a backend must end. */
const END_MS = 2_000;
const PAUSE_MS = 50;

/** Identifies the backend of a connection. The login role must run it: another role may not see the start time. */
export async function identifyBackend(client: ClientBase): Promise<Backend> {
  const [row] = await query(client, IDENTIFY, {});
  if (row === undefined) throw new Error('PostgreSQL does not know the process of a connection');
  const [processId, started, server, history] = row as [number, string, string | null, string];
  return { processId, started, server: server ?? undefined, history };
}

/** The state of a backend in `pg_stat_activity` (`active`, `idle` …); undefined: it no longer exists. */
export async function stateOfBackend(client: ClientBase, backend: Backend): Promise<string | undefined> {
  const [row] = await query(client, STATE, toBound(backend));
  return row === undefined ? undefined : String(row[0]);
}

/**
 * Ends a backend of another connection, and its transaction. It needs no further right, because the login role is the
 * same. Returns false if the backend still exists after two seconds.
 */
export async function endBackend(client: ClientBase, backend: Backend): Promise<boolean> {
  for (const until = performance.now() + END_MS; ; await sleep(PAUSE_MS)) {
    if ((await query(client, TERMINATE, toBound(backend))).length === 0) return true;
    if (performance.now() >= until) return false;
  }
}

/** Runs a statement on a connection outside the pools. **Throws** as pg does. */
export async function query(
  client: ClientBase,
  statement: Statement,
  bound: Readonly<Record<string, Bound>>,
): Promise<unknown[][]> {
  const { rows } = await client.query<unknown[]>({
    ...(statement.name === undefined ? {} : { name: statement.name }),
    text: statement.text,
    values: statement.values(bound),
    rowMode: 'array',
  });
  return rows;
}

function toBound({ processId, started }: Backend): Record<string, Bound> {
  return { process_id: processId, started };
}

function unnamed(raw: ReturnType<typeof sql>): Statement {
  return defineStatement(template(raw), { named: false });
}
