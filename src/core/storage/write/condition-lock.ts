/**
 * Locks that serialize the conditional writes of all processes: one for each value that criteria name, and one for the
 * type as a whole. They are advisory locks of a transaction (explicit-locking.html, Advisory Locks), so PostgreSQL
 * releases them even if the process crashes.
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import type { Run } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

export interface ConditionLock {
  /** The number of the resource type. */
  readonly type: number;
  /** Value that the resources have in common; '': all resources of the type. */
  readonly value: string;
  /** True: other transactions may hold it in shared mode too. */
  readonly isShared: boolean;
}

/**
 * Limit on the locks of one transaction. The lock table that all connections of the PostgreSQL server share has some
 * 6,400 entries by default. Beyond the limit a transaction locks each type as a whole.
 */
const MAX_LOCKS = 500;

// The rows keep the order of the arrays, because nothing sorts them, so the locks are taken in that order.
const LOCK = defineStatement(
  template(sql`
    select case x.shared when 1 then pg_advisory_xact_lock_shared(x.key) else pg_advisory_xact_lock(x.key) end
    from unnest(${bind('keys')}::bigint[], ${bind('shared')}::smallint[]) as x (key, shared)
    limit ${bind('limit')}::int`),
);

/**
 * Takes the locks of some conditions of one space until the end of the transaction, each once and all in one order. Two
 * transactions that call this once, before they lock any resource, cannot deadlock: the heads follow, in the order of
 * their keys, then the tenant's counter. Throws timeout if it waits longer than the statement timeout. Cost: one
 * statement.
 */
export async function lockConditions(
  run: Run,
  space: number,
  conditions: readonly { readonly locks: readonly ConditionLock[] }[],
): Promise<void> {
  const locks = mergeLocks(conditions.flatMap((condition) => condition.locks));
  const ordered = locks.map((lock) => ({ ...keyOfLock(space, lock), isShared: lock.isShared }));
  ordered.sort((one, other) => one.high - other.high || one.low - other.low);
  const keys = new BinaryArray('int8');
  const shared = new BinaryArray('int2');
  for (const { high, low, isShared } of ordered) {
    keys.pushInt8(high, low);
    shared.pushInt2(isShared ? 1 : 0);
  }
  await run(LOCK, { keys: keys.finish(), shared: shared.finish(), limit: ordered.length });
}

/** Returns each lock once; exclusive if one of its conditions needs it so. */
function mergeLocks(locks: readonly ConditionLock[]): readonly ConditionLock[] {
  const merged = new Map<string, ConditionLock>();
  for (const lock of locks) {
    const name = `${lock.type} ${lock.value}`;
    const other = merged.get(name);
    if (other === undefined || (other.isShared && !lock.isShared)) merged.set(name, lock);
  }
  if (merged.size <= MAX_LOCKS) return [...merged.values()];
  const types = new Set(locks.map(({ type }) => type));
  return [...types].map((type) => ({ type, value: '', isShared: false }));
}

/** Returns 64 bits of a hash. After a collision two locks only wait for each other. */
function keyOfLock(space: number, { type, value }: ConditionLock): { high: number; low: number } {
  const digest = createHash('sha256').update(`condition ${space} ${type} ${value}`).digest();
  return { high: digest.readInt32BE(0), low: digest.readInt32BE(4) };
}
