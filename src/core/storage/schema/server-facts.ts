/** What the database knows of the whole server, for its operator. Each statement reads few rows, and gives up after 2 s. */
import { sql } from 'kysely';
import type { Release } from '../../fhir/release';
import type { DatabaseOptions, Row } from '../connection/database';
import { isOutOfTime } from '../connection/database-error';
import { OwnerSession } from '../connection/owner-session';
import { JOB_KIND } from '../jobs/jobs';
import { bind, defineStatement, template, type Statement } from '../connection/statement';

export interface DatabaseState {
  readonly version: string;
  readonly name: string;
  readonly bytes: number;
  /** Connections of all clients to the database, those that execute, and those that wait for a lock. */
  readonly connections: number;
  readonly active: number;
  readonly waiting: number;
  readonly limit: number;
  /** The tables with the most bytes, with their indexes; `rows` is an estimate of PostgreSQL. */
  readonly tables: readonly { readonly name: string; readonly bytes: number; readonly rows: number }[];
}

export interface QueueState {
  /** Jobs that have not ended, by kind and state. */
  readonly jobs: readonly {
    readonly kind: string;
    readonly state: string;
    readonly count: number;
    readonly oldest: number;
  }[];
  /** Of the first 20,000 Subscriptions. */
  readonly deliveries: {
    readonly subscriptions: number;
    readonly failing: number;
    readonly inError: number;
    /** Events that are not delivered. */
    readonly waiting: number;
    /** When the oldest of them was made. */
    readonly oldest: number | undefined;
  };
}

/** A job of any tenant that has not ended, without what it is about. */
export interface OpenJob {
  readonly id: string;
  readonly tenant: string;
  readonly release: Release;
  /** `request`: an asynchronous request; else a kind of job of administration. */
  readonly kind: string;
  readonly state: 'queued' | 'running';
  /** True: it was cancelled, and runs for some moments longer. */
  readonly isBeingCancelled: boolean;
  readonly created: number;
  readonly started: number | undefined;
}

const unnamed = (raw: ReturnType<typeof sql>): Statement => defineStatement(template(raw), { named: false });

const TIME_LIMIT = unnamed(sql`set statement_timeout = 2000`);
/** So that a migration, which locks tables, is not waited for. */
const LOCK_LIMIT = unnamed(sql`set lock_timeout = 200`);

const TABLES_SHOWN = 12;
const SUBSCRIPTIONS_READ = 20_000;
const WAITING_READ = 500;
const JOBS_READ = 10_000;

const PROCESSES = unnamed(sql`
  select s.id, floor(extract(epoch from s.beat) * 1000)::float8 from andiron.server_process s
  where s.beat >= now() - interval '20 seconds' order by s.id limit 1000`);
const DATABASE = unnamed(sql`
  select current_setting('server_version'), d.datname::text, pg_database_size(d.oid)::float8,
         current_setting('max_connections')::int, a.connections, a.active, a.waiting
  from pg_database d cross join (
    select count(*)::int as connections, (count(*) filter (where p.state = 'active'))::int as active,
           (count(*) filter (where p.wait_event_type = 'Lock'))::int as waiting
    from pg_stat_activity p where p.datname = current_database()) a
  where d.datname = current_database()`);
const TABLES = unnamed(sql`
  select c.relname::text, pg_total_relation_size(c.oid)::float8, greatest(0, c.reltuples)::float8
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'andiron' and c.relkind = 'r'
  order by 2 desc limit ${sql.lit(TABLES_SHOWN)}`);
/** The partial indexes of open jobs (migrations/0049-jobs.ts) have no ended ones. */
const JOBS = unnamed(sql`
  select ${JOB_KIND}, j.state, count(*)::int, floor(extract(epoch from min(j.created)) * 1000)::float8
  from ((select j.kind, j.state, j.created from andiron.job j where j.state = 'queued'
         order by j.due limit ${sql.lit(JOBS_READ)})
        union all
        (select j.kind, j.state, j.created from andiron.job j where j.state = 'running'
         order by j.beat limit ${sql.lit(JOBS_READ)})) j
  group by 1, j.state order by 1, j.state`);
const DELIVERIES = unnamed(sql`
  select (count(*) filter (where s.status <> 'off'))::int,
         (count(*) filter (where s.status = 'active' and s.attempts > 0))::int,
         (count(*) filter (where s.status = 'error'))::int,
         coalesce(sum(s.numbered - s.delivered) filter (where s.status <> 'off'), 0)::float8
  from (select * from andiron.subscription limit ${sql.lit(SUBSCRIPTIONS_READ)}) s`);
const OLDEST = unnamed(sql`
  select floor(extract(epoch from min(e.made)) * 1000)::float8
  from (select w.space, w.resource_key, w.delivered
        from (select * from andiron.subscription limit ${sql.lit(SUBSCRIPTIONS_READ)}) w
        where w.status <> 'off' and w.numbered > w.delivered limit ${sql.lit(WAITING_READ)}) s
  join andiron.subscription_event e
    on e.space = s.space and e.resource_key = s.resource_key and e.number = s.delivered + 1`);
const OPEN_JOBS = unnamed(sql`
  select j.space, j.id, t.name, p.release, ${JOB_KIND}, j.state, j.cancelled,
         floor(extract(epoch from j.created) * 1000)::float8, floor(extract(epoch from j.started) * 1000)::float8
  from ((select * from andiron.job j where j.state = 'queued' order by j.due limit ${bind('limit')}::int)
        union all
        (select * from andiron.job j where j.state = 'running' order by j.beat limit ${bind('limit')}::int)) j
  join andiron.space p on p.number = j.space join andiron.tenant t on t.number = j.tenant
  where ${bind('id')}::text is null or j.id = ${bind('id')}::text
  order by j.created, j.id limit ${bind('limit')}::int`);

/** A part that a statement reads, which may take too long. */
export type LatePart = 'database' | 'queues';

export interface ServerFacts {
  readonly processes: readonly { readonly id: string; readonly beat: number }[];
  readonly database: DatabaseState | undefined;
  readonly queues: QueueState | undefined;
  /** The parts that are undefined because they took longer than 2 s, or waited for a lock. */
  readonly late: readonly LatePart[];
}

/** Reads what there is in time. Throws storageUnavailable, and what else a statement throws. Cost: a connection. */
export async function readServerFacts(options: DatabaseOptions): Promise<ServerFacts> {
  return withSession(options, async (session) => {
    const rows = (await session.run(PROCESSES)) as [id: string, beat: number][];
    const late: LatePart[] = [];
    const inTime = async <T>(part: LatePart, read: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await read();
      } catch (error) {
        if (!isOutOfTime(error)) throw error;
        late.push(part);
        return undefined;
      }
    };
    return {
      processes: rows.map(([id, beat]) => ({ id, beat })),
      database: await inTime('database', () => readDatabaseState(session)),
      queues: await inTime('queues', () => readQueues(session)),
      late,
    };
  });
}

async function withSession<T>(
  options: DatabaseOptions,
  work: (session: OwnerSession) => Promise<T>,
): Promise<T> {
  const session = await OwnerSession.open(options);
  try {
    await session.run(TIME_LIMIT);
    await session.run(LOCK_LIMIT);
    return await work(session);
  } finally {
    await session.close();
  }
}

async function readDatabaseState(session: OwnerSession): Promise<DatabaseState> {
  const [row = []] = await session.run(DATABASE);
  const [version, name, bytes, limit, connections, active, waiting] = row as [
    ...[version: string, name: string, bytes: number, limit: number],
    ...[connections: number, active: number, waiting: number],
  ];
  const tables = (await session.run(TABLES)) as [name: string, bytes: number, rows: number][];
  return {
    ...{ version, name, bytes, limit, connections, active, waiting },
    tables: tables.map(([table, size, rows]) => ({ name: table, bytes: size, rows })),
  };
}

async function readQueues(session: OwnerSession): Promise<QueueState> {
  const jobs = (await session.run(JOBS)) as [kind: string, state: string, count: number, oldest: number][];
  const [[subscriptions, failing, inError, waiting] = [0, 0, 0, 0]] = (await session.run(DELIVERIES)) as [
    ...[subscriptions: number, failing: number, inError: number, waiting: number],
  ][];
  const [[oldest] = []] = (await session.run(OLDEST)) as [number | null][];
  return {
    jobs: jobs.map(([kind, state, count, since]) => ({ kind, state, count, oldest: since })),
    deliveries: { subscriptions, failing, inError, waiting, oldest: oldest ?? undefined },
  };
}

/** An open job with the space that has it. */
export type PlacedJob = OpenJob & { readonly space: number };

/** Returns jobs that have not ended, the oldest first, at most 200; `id`: only that one. Throws storageUnavailable. */
export async function readOpenJobs(options: DatabaseOptions, id?: string): Promise<readonly PlacedJob[]> {
  const limit = id === undefined ? 200 : JOBS_READ;
  return withSession(options, async (session) =>
    (await session.run(OPEN_JOBS, { id: id ?? null, limit })).map(toJob),
  );
}

function toJob(row: Row): PlacedJob {
  const [space, id, tenant, release, kind, state, isCancelled, created, started] = row as [
    ...[space: number, id: string, tenant: string, release: OpenJob['release'], kind: string],
    ...[state: OpenJob['state'], isCancelled: boolean, created: number, started: number | null],
  ];
  return {
    ...{ space, id, tenant, release, kind, state, created },
    isBeingCancelled: isCancelled && state === 'running',
    started: started ?? undefined,
  };
}
