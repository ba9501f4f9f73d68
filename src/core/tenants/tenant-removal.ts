/** Removal of a tenant with all its data, in steps that can be resumed after an interruption. */
import type { RemovedRows, TenantRemoval } from '../api/tenant';
import { fhirError } from '../errors';
import type { CacheInvalidator } from '../cache/cache-invalidator';
import { isDatabaseTrouble } from '../storage/connection/database-error';
import { OwnerSession } from '../storage/connection/owner-session';
import {
  countRows,
  readOwnedTables,
  removeSome,
  type TenantNumbers,
  type OwnedTable,
} from '../storage/schema/owned-tables';
import type { DatabaseOptions } from '../storage/connection/database';
import {
  beginRemoval,
  endRemoval,
  findOwned,
  lockTenant,
  workWithoutLimits,
} from '../storage/tenants/tenant-removal';

export interface TenantRemovalOptions {
  readonly database: DatabaseOptions;
  readonly cacheInvalidator: CacheInvalidator;
  /** Deletes the objects of removed content of these spaces; returns the number that is left. */
  readonly removeObjects: (session: OwnerSession, spaces: readonly number[]) => Promise<number>;
  /** Called when the tenant is no longer served, and when it is removed. */
  readonly changed: (tenant: string) => void;
}

/**
 * See `Core.tenants.remove`.
 *
 * The first step stops serving the tenant and deletes its change counter. Without the counter no statement can write a
 * resource, even in a process whose cache still has the tenant. Then each transaction deletes some thousand rows, until
 * all tables are empty. The rows of the spaces and of the tenant are deleted last, so that an interrupted removal can be
 * resumed.
 */
export async function removeTenant(
  { database, cacheInvalidator, removeObjects, changed }: TenantRemovalOptions,
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
    // The previous holder of the lock may have removed it.
    if ((await findOwned(session, name))?.tenant !== owned.tenant) return undefined;
    await beginRemoval(session, owned.tenant);
    changed(name);
    const invalidated = await cacheInvalidator.invalidate(owned.spaces);
    const tables = await readOwnedTables(session);
    const removed = new Map<string, number>();
    const isEmpty = await empty(session, { tables, owned, until, removed });
    if (isEmpty) {
      await endRemoval(session, owned.tenant);
      changed(name);
      // No new rows can be written from here on.
      await empty(session, { tables, owned, until: Infinity, removed });
    }
    const objects = await removeObjects(session, owned.spaces);
    const report: RemovedRows[] = [];
    for (const table of tables) {
      // Objects of a folder or bucket that could not be deleted count as rows that are left.
      const left = (await countRows(session, table, owned)) + (table.name === CONTENT ? objects : 0);
      report.push({ table: table.name, removed: removed.get(table.name) ?? 0, left });
    }
    const isComplete = isEmpty && report.every(({ left }) => left === 0);
    return { name, isComplete, tables: report, ...invalidated };
  } catch (error) {
    throw isDatabaseTrouble(error) ? fhirError('workInterrupted') : error;
  } finally {
    await session.close();
  }
}

/** The table of large content. */
const CONTENT = 'content';

/** Repeats until a whole round deletes nothing: a request accepted before may have added rows. */
async function empty(
  session: OwnerSession,
  {
    tables,
    owned,
    until,
    removed,
  }: {
    readonly tables: readonly OwnedTable[];
    readonly owned: TenantNumbers;
    readonly until: number;
    readonly removed: Map<string, number>;
  },
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
