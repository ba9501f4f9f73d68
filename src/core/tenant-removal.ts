/** The end of a tenant: everything that is kept of it goes, in steps that can be begun again anywhere. */
import type { RemovedRows, TenantRemoval } from './api';
import { fhirError } from './errors';
import type { Forgetter } from './forgetter';
import { OwnerSession } from './storage/owner-session';
import { countRows, readOwnedTables, removeSome, type Owned, type OwnedTable } from './storage/owned-tables';
import type { DatabaseOptions } from './storage/database';
import { beginRemoval, endRemoval, findOwned, lockTenant, workWithoutLimits } from './storage/tenant-removal';

export interface TenantRemovalOptions {
  readonly database: DatabaseOptions;
  readonly forgetter: Forgetter;
  /** Told when the tenant is no longer answered, and when it is gone. */
  readonly changed: (tenant: string) => void;
}

/**
 * See `Core.tenants.remove`.
 *
 * From its first step on the tenant is not answered, and its counter of changes is gone: without it no statement can write a
 * resource, whatever a process still believes. Then the tables are emptied, some thousand rows in each transaction, until none
 * has any; the rows of its spaces and its own go last, so that whoever was interrupted finds them and goes on.
 */
export async function removeTenant(
  { database, forgetter, changed }: TenantRemovalOptions,
  name: string,
  milliseconds = Infinity,
): Promise<TenantRemoval | undefined> {
  if (name === 'system') throw fhirError('forbidden', { reason: 'The tenant system cannot be deleted' });
  const until = performance.now() + milliseconds;
  const session = await OwnerSession.open(database);
  try {
    await workWithoutLimits(session);
    const owned = await findOwned(session, name);
    if (owned === undefined) return undefined;
    if (!(await lockTenant(session, owned.tenant)))
      throw fhirError('tenantBusy', { tenant: name, status: 'being changed by another process' });
    // Who held the lock may have removed it.
    if ((await findOwned(session, name))?.tenant !== owned.tenant) return undefined;
    await beginRemoval(session, owned.tenant);
    changed(name);
    const forgotten = await forgetter.forget(session, owned.spaces);
    const tables = await readOwnedTables(session);
    const removed = new Map<string, number>();
    const isEmpty = await empty(session, tables, owned, until, removed);
    if (isEmpty) {
      await endRemoval(session, owned.tenant);
      changed(name);
      // Nothing can come any more.
      await empty(session, tables, owned, Infinity, removed);
    }
    const report: RemovedRows[] = [];
    for (const table of tables) {
      const left = await countRows(session, table, owned);
      report.push({ table: table.name, removed: removed.get(table.name) ?? 0, left });
    }
    const isComplete = isEmpty && report.every(({ left }) => left === 0);
    return { name, isComplete, tables: report, ...forgotten };
  } finally {
    await session.close();
  }
}

/** Until a whole round has found nothing: a request that was accepted before may have added something. */
async function empty(
  session: OwnerSession,
  tables: readonly OwnedTable[],
  owned: Owned,
  until: number,
  removed: Map<string, number>,
): Promise<boolean> {
  for (;;) {
    let inRound = 0;
    for (const table of tables) {
      for (;;) {
        if (performance.now() > until) return false;
        const some = await removeSome(session, table, owned);
        if (some === 0) break;
        inRound += some;
        removed.set(table.name, (removed.get(table.name) ?? 0) + some);
      }
    }
    if (inRound === 0) return true;
  }
}
