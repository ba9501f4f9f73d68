import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { Owned } from '../schema/owned-tables';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Statement } from '../connection/statement';

function unnamed(raw: RawBuilder<unknown>): Statement {
  return defineStatement(template(raw), { named: false });
}

/** Beside the locks of row-record.ts; any number. */
const TENANT_LOCK = 7_230_913;

/** PostgreSQL learns that a process was killed when the statement that it ran for it is done, and holds its locks until then. */
const LOCK_WAIT_MS = 3_000;
const LOCK_PAUSE_MS = 50;

const LOCK = unnamed(sql`select pg_try_advisory_lock(${bind('lock')}::int, ${bind('tenant')}::int)`);
const FIND = unnamed(sql`
  select t.number, coalesce((select array_agg(s.number order by s.number) from andiron.space s where s.tenant = t.number), '{}')
  from andiron.tenant t where t.name = ${bind('name')} limit 1`);
const BEGIN = unnamed(
  sql`update andiron.tenant set status = 'deleting' where number = ${bind('tenant')}::int and name <> 'system'`,
);
/** Those of its AuditEvents too. */
const STOP_WRITES = unnamed(sql`
  delete from andiron.change_counter where tenant in (
    select s.counter from andiron.space s where s.tenant = ${bind('tenant')}::int)`);
const END_SPACES = unnamed(sql`delete from andiron.space where tenant = ${bind('tenant')}::int`);
const END = unnamed(
  sql`delete from andiron.tenant where number = ${bind('tenant')}::int and name <> 'system' and status = 'deleting'`,
);
/** What is dead already is passed over by its index, and a table of others is not read from end to end. */
const BY_INDEX = unnamed(sql`set enable_seqscan = off`);

/** For a session that goes through all of a tenant. */
export async function workWithoutLimits(session: OwnerSession): Promise<void> {
  await session.removeLimit();
  await session.run(BY_INDEX);
}

export async function findOwned(session: OwnerSession, name: string): Promise<Owned | undefined> {
  const [row] = await session.run(FIND, { name });
  if (row === undefined) return undefined;
  const [tenant, spaces] = row as [number, number[]];
  return { tenant, spaces };
}

/**
 * False: another process removes or imports it. Held until the end of the session. Cost: up to LOCK_WAIT_MS where it is held;
 * what was known of the tenant before may not be so any more.
 */
export async function lockTenant(session: OwnerSession, tenant: number): Promise<boolean> {
  for (const until = performance.now() + LOCK_WAIT_MS; ; await sleep(LOCK_PAUSE_MS)) {
    const [row] = await session.run(LOCK, { lock: TENANT_LOCK, tenant });
    if (row?.[0] === true) return true;
    if (performance.now() >= until) return false;
  }
}

/** Waits for the writes that are under way; from its commit on there are none. */
export async function beginRemoval(session: OwnerSession, tenant: number): Promise<void> {
  await session.transaction(async () => {
    await session.run(BEGIN, { tenant });
    await session.run(STOP_WRITES, { tenant });
  });
}

/** The rows of its spaces, which say whose all other rows are, and its own. */
export async function endRemoval(session: OwnerSession, tenant: number): Promise<void> {
  await session.transaction(async () => {
    await session.run(END_SPACES, { tenant });
    await session.run(END, { tenant });
  });
}
