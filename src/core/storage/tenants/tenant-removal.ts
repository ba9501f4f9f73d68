import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { TenantNumbers } from '../schema/owned-tables';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Statement } from '../connection/statement';

function unnamed(raw: RawBuilder<unknown>): Statement {
  return defineStatement(template(raw), { named: false });
}

/** Class of these advisory locks, different from that of row-record.ts; otherwise arbitrary. */
const TENANT_LOCK = 7_230_913;

/** PostgreSQL notices a killed client only at the end of the statement that it runs, and holds the locks until then. */
const LOCK_WAIT_MS = 3_000;
const LOCK_PAUSE_MS = 50;

const LOCK = unnamed(sql`select pg_try_advisory_lock(${bind('lock')}::int, ${bind('tenant')}::int)`);
const FIND = unnamed(sql`
  select t.number, coalesce(array_agg(s.number order by s.number) filter (where s.number is not null), '{}'),
         array_agg(distinct coalesce(s.counter, t.number))
  from andiron.tenant t left join andiron.space s on s.tenant = t.number
  where t.name = ${bind('name')} group by t.number limit 1`);
const BEGIN = unnamed(
  sql`update andiron.tenant set status = 'deleting' where number = ${bind('tenant')}::int and name <> 'system'`,
);
/** Also deletes the counters of its AuditEvents. */
const STOP_WRITES = unnamed(sql`
  delete from andiron.change_counter where tenant in (
    select s.counter from andiron.space s where s.tenant = ${bind('tenant')}::int)`);
const END_SPACES = unnamed(sql`delete from andiron.space where tenant = ${bind('tenant')}::int`);
const END = unnamed(
  sql`delete from andiron.tenant where number = ${bind('tenant')}::int and name <> 'system' and status = 'deleting'`,
);
/** An index scan skips dead rows, and avoids a full scan of a table with rows of other tenants. */
const BY_INDEX = unnamed(sql`set enable_seqscan = off`);

/** Prepares a session that processes all data of a tenant: no time limit, and index scans. */
export async function workWithoutLimits(session: OwnerSession): Promise<void> {
  await session.removeLimit();
  await session.run(BY_INDEX);
}

export async function findOwned(session: OwnerSession, name: string): Promise<TenantNumbers | undefined> {
  const [row] = await session.run(FIND, { name });
  if (row === undefined) return undefined;
  const [tenant, spaces, counters] = row as [number, number[], number[]];
  return { tenant, spaces, counters };
}

/**
 * Locks a tenant until the end of the session. Returns false if another process removes or imports it. Cost: up to
 * LOCK_WAIT_MS if another process has the lock; data of the tenant that was read before may then be stale.
 */
export async function lockTenant(session: OwnerSession, tenant: number): Promise<boolean> {
  for (const until = performance.now() + LOCK_WAIT_MS; ; await sleep(LOCK_PAUSE_MS)) {
    const [row] = await session.run(LOCK, { lock: TENANT_LOCK, tenant });
    if (row?.[0] === true) return true;
    if (performance.now() >= until) return false;
  }
}

/** Marks the tenant as being deleted. It waits for writes under way; after its commit there are none. */
export async function beginRemoval(session: OwnerSession, tenant: number): Promise<void> {
  await session.transaction(async () => {
    await session.run(BEGIN, { tenant });
    await session.run(STOP_WRITES, { tenant });
  });
}

/** Removes the rows of its spaces, which identify the owner of all other rows, and its own row. */
export async function endRemoval(session: OwnerSession, tenant: number): Promise<void> {
  await session.transaction(async () => {
    await session.run(END_SPACES, { tenant });
    await session.run(END, { tenant });
  });
}
