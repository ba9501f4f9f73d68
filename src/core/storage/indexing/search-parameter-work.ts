/** Statements of the background work on tenants' search parameters, on a connection of the owner. */
import { sql } from 'kysely';
import type { Space } from '../../context';
import { isRelease } from '../../fhir/release';
import { ROW_SCHEME } from '../../search/rows/index-rows';
import { INDEX_TABLES, type IndexTable } from './index-tables';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Statement } from '../connection/statement';

/** The kind of jobs that index the search parameters of a space. */
export const INDEXING = 'search-parameters';

const ENQUEUE = defineStatement(
  template(sql`
    insert into andiron.job (space, id, tenant, kind)
    select s.number, replace(gen_random_uuid()::text, '-', ''), s.tenant, ${bind('kind')}
    from andiron.space s
    where s.number in (select p.space from andiron.search_parameter p where p.pending limit ${bind('limit')}::int)
    on conflict (space, kind) where kind <> 'request' and state in ('queued', 'running') do nothing`),
);
const MAX_PENDING = 10_000;

/** Adds a job for each space with pending work that has none. */
export async function enqueueIndexing(session: OwnerSession): Promise<void> {
  await session.run(ENQUEUE, { kind: INDEXING, limit: MAX_PENDING });
}

const SPACE = defineStatement(
  template(sql`
    select s.release, t.number, t.name, coalesce(t.settings->>'time-zone', 'UTC')
    from andiron.space s join andiron.tenant t on t.number = s.tenant
    where s.number = ${bind('space')}::int limit 1`),
);

/** Undefined: the tenant is removed. */
export async function readSpace(session: OwnerSession, number: number): Promise<Space | undefined> {
  const [row] = (await session.run(SPACE, { space: number })) as [string, number, string, string][];
  if (row === undefined) return undefined;
  const [release, tenantNumber, tenant, timeZone] = row;
  return isRelease(release) ? { number, release, tenantNumber, tenant, timeZone } : undefined;
}

const COUNT = defineStatement(
  template(sql`
    select count(*)::int from andiron.resource r
    where r.space = ${bind('space')}::int and r.resource_type = ${bind('type')}::smallint and not r.deleted limit 1`),
);

const START = defineStatement(
  template(sql`
    update andiron.search_parameter p
       set resources = ${bind('resources')}::int, attempted_by = ${bind('process')}::text,
           attempts = p.attempts + case when p.attempted_by = ${bind('process')}::text then 0 else 1 end
    where p.space = ${bind('space')}::int and p.number = any(${bind('numbers')}::int[])
    returning p.after_key::text, p.indexed, p.attempts`),
);

/** The start of an indexing scan of a type: after the key `after` (decimal form), with `indexed` heads done. */
export interface IndexingStart {
  readonly after: string | undefined;
  readonly indexed: number;
  /** Scans by different processes since the last progress, this one included; the maximum over the parameters. */
  readonly attempts: number;
}

/** The parameters that an indexing scan works on. */
export interface IndexingWork {
  readonly space: number;
  readonly type: number;
  readonly numbers: readonly number[];
  /** Identifies the process. */
  readonly process: string;
}

/** Counts the resources, records the attempt, and returns the position of the parameter with the least progress. */
export async function startIndexing(session: OwnerSession, work: IndexingWork): Promise<IndexingStart> {
  const { space, type, numbers, process } = work;
  const [counted] = await session.run(COUNT, { space, type });
  const resources = Number(counted?.[0] ?? 0);
  const started = await session.run(START, { space, numbers, resources, process });
  const rows = started as [string | null, number, number][];
  const attempts = Math.max(0, ...rows.map((row) => row[2]));
  let start: [string, number] | undefined;
  for (const [after, indexed] of rows) {
    if (after === null) return { after: undefined, indexed: 0, attempts };
    if (start === undefined || BigInt(after) < BigInt(start[0])) start = [after, indexed];
  }
  return { after: start?.[0], indexed: start?.[1] ?? 0, attempts };
}

const NEXT_HEADS = defineStatement(
  template(sql`
    select r.resource_key::text, r.version, r.last_updated::text, octet_length(v.body)
    from andiron.resource r
    cross join lateral (
      select w.body from andiron.resource_version w
      where w.space = ${bind('space')}::int and w.resource_type = r.resource_type and w.resource_key = r.resource_key
        and w.version = r.version
      offset 0
    ) v
    where r.space = ${bind('space')}::int and r.resource_type = ${bind('type')}::smallint
      and r.resource_key > ${bind('after')}::bigint and not r.deleted
    order by r.resource_key limit ${bind('limit')}::int`),
);
const FIRST_KEY = '-9223372036854775808';

export interface UnindexedHead {
  readonly key: string;
  readonly version: number;
  readonly lastUpdated: number;
  /** Length of the text. */
  readonly bytes: number;
}

/** The next live heads of a type in the order of their keys. */
export async function readNextHeads(
  session: OwnerSession,
  {
    space,
    type,
    after,
    limit,
  }: {
    readonly space: number;
    readonly type: number;
    readonly after: string | undefined;
    readonly limit: number;
  },
): Promise<UnindexedHead[]> {
  const rows = await session.run(NEXT_HEADS, { space, type, after: after ?? FIRST_KEY, limit });
  return (rows as [string, number, string, number | null][]).map(([key, version, lastUpdated, bytes]) => {
    return { key, version, lastUpdated: Number(lastUpdated), bytes: bytes ?? 0 };
  });
}

/** Requested work; if it is requested again meanwhile, finishing it does not finish the later request. */
export interface RequestedWork {
  readonly number: number;
  /** The time of the request in PostgreSQL's format. */
  readonly requestedAt: string;
}

const IS_SAME_WORK = sql`
  p.space = ${bind('space')}::int and (p.number, p.changed) in (
    select x.number, x.requested_at
    from unnest(${bind('numbers')}::int[], ${bind('requested_at')}::timestamptz[]) as x (number, requested_at))`;

const ADVANCE = defineStatement(
  template(sql`
    update andiron.search_parameter p set after_key = ${bind('after')}::bigint, indexed = ${bind('indexed')}::int,
      attempts = 1
    where ${IS_SAME_WORK}`),
);

function bindWork(work: readonly RequestedWork[]): { numbers: number[]; requested_at: string[] } {
  return {
    numbers: work.map(({ number }) => number),
    requested_at: work.map(({ requestedAt }) => requestedAt),
  };
}

/** Stores the progress of an indexing scan, so that another process can resume it there. */
export async function advanceIndexing(
  session: OwnerSession,
  {
    space,
    work,
    after,
    indexed,
  }: {
    readonly space: number;
    readonly work: readonly RequestedWork[];
    readonly after: string;
    readonly indexed: number;
  },
): Promise<void> {
  await session.run(ADVANCE, { space, ...bindWork(work), after, indexed });
}

/** Rows that one statement removes. */
const MAX_REMOVED = 5_000;

const REMOVE: Readonly<Record<IndexTable, Statement>> = {
  token_index: removeRows('token_index'),
  reference_index: removeRows('reference_index'),
  range_index: removeRows('range_index'),
  string_index: removeRows('string_index'),
  uri_index: removeRows('uri_index'),
};

function removeRows(table: IndexTable): Statement {
  const target = sql.table(`andiron.${table}`);
  return defineStatement(
    template(sql`
      with removed as (
        delete from ${target} t
        where t.space = ${bind('space')}::int and t.ctid = any(array(
          select i.ctid from ${target} i
          where i.space = ${bind('space')}::int and i.parameter = any(${bind('numbers')}::int[])
          limit ${bind('limit')}::int))
        returning 1
      )
      select count(*)::int from removed limit 1`),
  );
}

/** Removes the rows of parameters that writes no longer use, in batches. */
export async function removeRowsOf(
  session: OwnerSession,
  space: number,
  parameters: readonly number[],
): Promise<void> {
  const schemes = [0, ...Object.values(ROW_SCHEME)];
  const numbers = parameters.flatMap((number) => schemes.map((scheme) => number + scheme));
  for (const table of INDEX_TABLES) {
    for (let removed = MAX_REMOVED; removed >= MAX_REMOVED;) {
      const [row] = await session.run(REMOVE[table], { space, numbers, limit: MAX_REMOVED });
      removed = Number(row?.[0] ?? 0);
    }
  }
}

const FINISH = defineStatement(
  template(sql`
    update andiron.search_parameter p
       set state = 'active', pending = false, indexed = p.resources, failure = null, attempts = 0, attempted_by = null
    where ${IS_SAME_WORK} and p.state in ('indexing', 'active')`),
);
const DELETE = defineStatement(
  template(sql`
    delete from andiron.search_parameter p
    where p.space = ${bind('space')}::int and p.number = any(${bind('numbers')}::int[])`),
);
const CHANGE = defineStatement(template(sql`select andiron.count_search_parameters(${bind('space')}::int)`));

/** Finishes an indexing scan: parameters with complete rows become searchable, those without rows are deleted. */
export async function finishIndexing(
  session: OwnerSession,
  space: number,
  complete: readonly RequestedWork[],
  removed: readonly number[],
): Promise<void> {
  await session.transaction(async () => {
    // Runs first, as in writes: the lock of the counter decides the order.
    await session.run(CHANGE, { space });
    if (complete.length > 0) await session.run(FINISH, { space, ...bindWork(complete) });
    if (removed.length > 0) await session.run(DELETE, { space, numbers: removed });
  });
}

const FAIL = defineStatement(
  template(sql`
    update andiron.search_parameter p
       set pending = false, failure = ${bind('failure')}::text, attempts = 0, attempted_by = null
    where ${IS_SAME_WORK}`),
);

/** Abandons the work on some parameters until it is requested again. */
export async function failIndexing(
  session: OwnerSession,
  space: number,
  work: readonly RequestedWork[],
  failure: string,
): Promise<void> {
  await session.run(FAIL, { space, ...bindWork(work), failure });
}

const RELEASE = defineStatement(
  template(sql`
    update andiron.search_parameter p set attempts = 0, attempted_by = null
    where p.space = ${bind('space')}::int and p.number = any(${bind('numbers')}::int[])`),
);

/** Removes the record of an attempt, because the process is healthy and stops here. */
export async function releaseIndexing(
  session: OwnerSession,
  { space, numbers }: Pick<IndexingWork, 'space' | 'numbers'>,
): Promise<void> {
  await session.run(RELEASE, { space, numbers });
}

const FAIL_FOR_GOOD = defineStatement(
  template(sql`
    update andiron.search_parameter p
       set state = case when p.state = 'removing' then p.state else 'failed' end, pending = false, changed = now(),
           failure = ${bind('failure')}::text, attempted_by = null
    where p.space = ${bind('space')}::int and p.number = any(${bind('numbers')}::int[])`),
);

/**
 * Marks parameters as failed: writes make no rows of them, and searches do not use them. A parameter that was being
 * removed keeps its state and its remaining rows.
 */
export async function failParameters(
  session: OwnerSession,
  { space, numbers }: Pick<IndexingWork, 'space' | 'numbers'>,
  failure: string,
): Promise<void> {
  await session.transaction(async () => {
    // Runs first, as in writes: the lock of the counter decides the order.
    await session.run(CHANGE, { space });
    await session.run(FAIL_FOR_GOOD, { space, numbers, failure });
  });
}
