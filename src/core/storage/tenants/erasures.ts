/** Erasures, and the processes that have cleared their caches of the erased data. */
import { sql } from 'kysely';
import type { Database } from '../connection/database';
import type { OwnerSession } from '../connection/owner-session';
import { COUNT_UNVERSIONED_CHANGE } from '../read/space-changes';
import { bind, defineStatement, template } from '../connection/statement';

/** An erasure of data in these spaces. */
export interface Erasure {
  readonly number: number;
  readonly spaces: readonly number[];
}

/** Progress of the processes in clearing their caches. */
export interface InvalidationProgress {
  /** Processes that have cleared their caches. */
  readonly done: number;
  /** Live processes that have not done so yet. */
  readonly awaited: number;
  /** Processes without a heartbeat for 20 seconds: they ended without `leaveErasures`, or hang. */
  readonly silent: number;
}

const LAST = defineStatement(template(sql`select andiron.last_erasure()`));
const ATTEND = defineStatement(
  template(sql`
    select a.number, a.spaces
    from andiron.attend(${bind('process')}::text, ${bind('forgotten')}::bigint) a
    order by a.number limit 1000`),
);
const LEAVE = defineStatement(template(sql`select andiron.leave(${bind('process')}::text)`));

const LOCK = defineStatement(template(sql`lock table andiron.erasure in exclusive mode`), { named: false });
const ADD = defineStatement(
  template(
    sql`insert into andiron.erasure (spaces) values (${bind('spaces')}::int[]) returning number::text`,
  ),
);
const COUNT = defineStatement(
  template(sql`
    select count(*) filter (where s.forgotten >= ${bind('number')}::bigint)::int,
           count(*) filter (where s.forgotten < ${bind('number')}::bigint and s.beat >= now() - interval '20 seconds')::int,
           count(*) filter (where s.forgotten < ${bind('number')}::bigint and s.beat < now() - interval '20 seconds')::int
    from andiron.server_process s`),
);
/** Removes processes without a heartbeat for a day. */
const TIDY = defineStatement(
  template(sql`delete from andiron.server_process s where s.beat < now() - interval '1 day'`),
);

/** Returns the number of the last erasure; 0: there was none. */
export async function lastErasure(database: Database): Promise<number> {
  const [row] = await database.run({ lane: 'search', space: undefined }, LAST, {});
  return Number(row?.[0] ?? 0);
}

/**
 * Records that a process is alive and has cleared its caches up to the erasure `cleared`. Returns the next erasures,
 * in order.
 */
export async function attendErasures(
  database: Database,
  process: string,
  cleared: number,
): Promise<Erasure[]> {
  const rows = await database.run({ lane: 'search', space: undefined }, ATTEND, {
    process,
    forgotten: cleared,
  });
  return (rows as [number, number[]][]).map(([number, spaces]) => ({ number, spaces }));
}

/** Records that the process has no caches any more. */
export async function leaveErasures(database: Database, process: string): Promise<void> {
  await database.run({ lane: 'search', space: undefined }, LEAVE, { process });
}

/** Adds an erasure, which makes all processes clear their caches, and returns its number. */
export async function addErasure(session: OwnerSession, spaces: readonly number[]): Promise<number> {
  return session.transaction(async () => {
    await session.run(LOCK);
    const [row] = await session.run(ADD, { spaces });
    await session.run(TIDY);
    for (const space of spaces) await session.run(COUNT_UNVERSIONED_CHANGE, { space });
    return Number(row?.[0]);
  });
}

export async function countInvalidations(
  session: OwnerSession,
  number: number,
): Promise<InvalidationProgress> {
  const [row] = await session.run(COUNT, { number });
  const [done, awaited, silent] = (row ?? [0, 0, 0]) as [number, number, number];
  return { done, awaited, silent };
}
