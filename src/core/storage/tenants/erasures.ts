/** Which erasures there were, and which processes have forgotten what was erased. */
import { sql } from 'kysely';
import type { Database } from '../connection/database';
import type { OwnerSession } from '../connection/owner-session';
import { COUNT_UNVERSIONED_CHANGE } from '../read/space-changes';
import { bind, defineStatement, template } from '../connection/statement';

/** Something of these spaces was erased. */
export interface Erasure {
  readonly number: number;
  readonly spaces: readonly number[];
}

/** How far the processes are with forgetting. */
export interface Forgetting {
  /** Have forgotten. */
  readonly done: number;
  /** Are alive and have not yet. */
  readonly awaited: number;
  /** Have given no sign of life for 20 seconds: they ended without leaving, or stand still. */
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
/** What has said nothing for a day is not there. */
const TIDY = defineStatement(
  template(sql`delete from andiron.server_process s where s.beat < now() - interval '1 day'`),
);

/** The number of the last erasure; 0: there was none. */
export async function lastErasure(database: Database): Promise<number> {
  const [row] = await database.run('search', undefined, LAST, {});
  return Number(row?.[0] ?? 0);
}

/** Tells that a process is alive and has forgotten everything up to an erasure; the next ones, in their order. */
export async function attendErasures(
  database: Database,
  process: string,
  forgotten: number,
): Promise<Erasure[]> {
  const rows = await database.run('search', undefined, ATTEND, { process, forgotten });
  return (rows as [number, number[]][]).map(([number, spaces]) => ({ number, spaces }));
}

/** The process remembers nothing any more. */
export async function leaveErasures(database: Database, process: string): Promise<void> {
  await database.run('search', undefined, LEAVE, { process });
}

/** Has all processes forget; the number of the erasure. */
export async function addErasure(session: OwnerSession, spaces: readonly number[]): Promise<number> {
  return session.transaction(async () => {
    await session.run(LOCK);
    const [row] = await session.run(ADD, { spaces });
    await session.run(TIDY);
    for (const space of spaces) await session.run(COUNT_UNVERSIONED_CHANGE, { space });
    return Number(row?.[0]);
  });
}

export async function countForgetting(session: OwnerSession, number: number): Promise<Forgetting> {
  const [row] = await session.run(COUNT, { number });
  const [done, awaited, silent] = (row ?? [0, 0, 0]) as [number, number, number];
  return { done, awaited, silent };
}
