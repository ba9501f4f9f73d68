import { sql, type RawBuilder } from 'kysely';
import {
  identityOf,
  INDEX_COLUMNS,
  INDEX_TABLES,
  type IndexRow,
  type IndexTable,
  type ResourceRows,
} from './index-tables';
import type { OwnerSession } from '../connection/owner-session';
import { COUNT_UNVERSIONED_CHANGE } from '../read/space-changes';
import { bind, defineStatement, template, type Statement } from '../connection/statement';
import { CHANGE } from '../write/version-write';

/** The index rows and head fields that a resource must have: a function of its current version. */
export interface ExpectedRows {
  readonly lastUpdated: number;
  readonly deleted: boolean;
  /** Decimal form of the 64-bit number. */
  readonly sortDate: string;
  readonly presence: Buffer;
  /** In the text format of a PostgreSQL array. */
  readonly targetKeys: string;
  readonly rows: ResourceRows;
}

/** A resource whose stored rows or head differ from what they must be. */
export interface RepairTarget {
  /** Undefined: the rows are of a parameter without a type, so that no resource can have them. */
  readonly type: number | undefined;
  /** Decimal form of the 64-bit key. */
  readonly key: string;
  /** The stored rows of the type and key. */
  readonly stored: ResourceRows;
  /** The head that was read with them, and what was wanted then; undefined: there was no head. */
  readonly seen:
    { readonly version: number; readonly lastUpdated: number; readonly wanted: ExpectedRows } | undefined;
}

/** Computes what a version of the target must have. `body` is '' for a deletion. */
export type ComputeRows = (target: RepairTarget, version: CurrentVersion) => ExpectedRows;

export interface CurrentVersion {
  readonly lastUpdated: number;
  readonly isDeletion: boolean;
  readonly body: string;
}

/** Numbers of rows. */
export interface RepairCounts {
  readonly added: number;
  readonly removed: number;
}

/**
 * Locks the heads until the end of the transaction. The columns are the ordinal, whether a head exists, and the columns
 * of the head, which are null if another transaction holds it.
 */
function lockHeads(lock: RawBuilder<unknown>): Statement {
  const head = sql`from andiron.resource r
    where r.space = ${bind('space')}::int and r.resource_type = x.resource_type and r.resource_key = x.resource_key
    offset 0`;
  return defineStatement(
    template(sql`
      select x.ordinal::int, known.version is not null, held.version, held.last_updated::text, held.deleted,
             held.sort_date::text, held.presence, held.target_keys::text
      from unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[]) with ordinality
        as x (resource_type, resource_key, ordinal)
      left join lateral (select r.version ${head}) known on true
      left join lateral (
        select r.version, r.last_updated, r.deleted, r.sort_date, r.presence, r.target_keys ${head} ${lock}
      ) held on true
      limit ${bind('limit')}::int`),
  );
}
const LOCK_FREE = lockHeads(sql`for update skip locked`);
const LOCK_ALL = lockHeads(sql`for update`);

const READ_VERSION = defineStatement(
  template(sql`
    select v.change, v.last_updated::text, v.body
    from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.resource_type = ${bind('type')}::smallint
      and v.resource_key = ${bind('key')}::bigint and v.version = ${bind('version')}::int
    limit 1`),
);

const REPAIR_HEADS = defineStatement(
  template(sql`
    update andiron.resource h
       set deleted = x.deleted, last_updated = x.last_updated, sort_date = x.sort_date,
           presence = decode(x.presence, 'hex'), target_keys = x.target_keys::bigint[]
      from unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[], ${bind('deleted')}::boolean[],
                  ${bind('last_updated')}::bigint[], ${bind('sort_dates')}::bigint[], ${bind('presences')}::text[],
                  ${bind('target_keys')}::text[])
        as x (resource_type, resource_key, deleted, last_updated, sort_date, presence, target_keys)
      cross join lateral (
        select r.ctid as place from andiron.resource r
        where r.space = ${bind('space')}::int and r.resource_type = x.resource_type
          and r.resource_key = x.resource_key
        offset 0
      ) found
     where h.space = ${bind('space')}::int and h.ctid = found.place`),
);

const REPAIR_ROWS: Readonly<Record<IndexTable, Statement>> = {
  token_index: repairRows('token_index'),
  reference_index: repairRows('reference_index'),
  range_index: repairRows('range_index'),
  string_index: repairRows('string_index'),
  uri_index: repairRows('uri_index'),
};

/**
 * Leaves one of each wanted row and none of the others, and returns how many were added and removed. A row with a type
 * in `headless` is removed only while no resource of that type has the key. A missing head cannot be locked, but one
 * snapshot shows a resource and its rows together or neither.
 */
function repairRows(table: IndexTable): Statement {
  const target = sql.table(`andiron.${table}`);
  const columns = [['resource_key', 'bigint'], ['parameter', 'int'], ...INDEX_COLUMNS[table]] as const;
  const names = sql.join(columns.map(([name]) => sql.ref(name)));
  const values = sql.join(columns.map(([name]) => sql.ref(`a.${name}`)));
  const arrays = sql.join(columns.map(([name, type]) => sql`${bind(name)}::${sql.raw(type)}[]`));
  const isSameRow = sql.join(
    columns.map(([name]) => sql`i.${sql.ref(name)} = x.${sql.ref(name)}`),
    sql` and `,
  );
  return defineStatement(
    template(sql`
      with asked as (
        select x.*, found.places
        from unnest(${arrays}, ${bind('wanted')}::boolean[], ${bind('headless')}::smallint[])
          as x (${names}, wanted, headless)
        cross join lateral (
          select array_agg(i.ctid) as places from ${target} i where i.space = ${bind('space')}::int and ${isSameRow}
        ) found
      ), removed as (
        delete from ${target} t using (
          select unnest(case when a.wanted then a.places[2:] else a.places end) as place
          from asked a
          where a.places is not null and (a.headless is null or not exists (
            select 1 from andiron.resource r
            where r.space = ${bind('space')}::int and r.resource_type = a.headless and r.resource_key = a.resource_key
          ))
        ) superfluous
        where t.space = ${bind('space')}::int and t.ctid = superfluous.place
        returning 1
      ), added as (
        insert into ${target} (space, ${names})
          select ${bind('space')}::int, ${values} from asked a where a.wanted and a.places is null
        returning 1
      )
      select (select count(*)::int from added), (select count(*)::int from removed)`),
  );
}

/** As in store_versions: a cached plan from the time when a table was empty would scan the whole space. */
const BY_KEY = defineStatement(
  template(sql`
    select set_config(s.name, s.value, true)
    from (values ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'),
                 ('plan_cache_mode', 'force_generic_plan')) as s (name, value)
    limit 4`),
);

/** Resources repaired in one transaction; writers of them wait for its end. */
export const MAX_TARGETS = 64;

/**
 * Updates the index rows and heads of some resources of a space to match their versions, in one transaction that
 * changes only the differences. `targets`: at most MAX_TARGETS.
 *
 * The heads stay locked from before the versions are read until the commit, so that a write of one of the resources is
 * wholly before or wholly after. Waiting for the locks of several heads could deadlock: heads that another transaction
 * holds are returned in `left`. The caller retries them one at a time, which waits.
 */
export async function repairResources(
  session: OwnerSession,
  space: number,
  targets: readonly RepairTarget[],
  recompute: ComputeRows,
): Promise<RepairCounts & { readonly left: readonly RepairTarget[] }> {
  return session.transaction(async () => {
    await session.run(BY_KEY);
    const heads = await lock(session, targets.length === 1 ? LOCK_ALL : LOCK_FREE, space, targets);
    const left: RepairTarget[] = [];
    const changes: Change[] = [];
    for (const [index, target] of targets.entries()) {
      const head = heads[index];
      if (head === 'busy') left.push(target);
      else if (head === undefined) changes.push({ target, wanted: undefined, isUnchanged: false });
      else {
        const change = await decide(session, { space, target, head, recompute });
        if (change !== undefined) changes.push(change);
      }
    }
    let added = 0;
    let removed = 0;
    for (const table of INDEX_TABLES) {
      const repairs = new RepairRows(table);
      for (const change of changes) repairs.add(change);
      if (repairs.isEmpty) continue;
      const [row] = await session.run(REPAIR_ROWS[table], repairs.bound(space));
      added += Number(row?.[0] ?? 0);
      removed += Number(row?.[1] ?? 0);
    }
    await repairHeads(session, space, changes);
    if (changes.length > 0) await session.run(COUNT_UNVERSIONED_CHANGE, { space });
    left.push(...(await appeared(session, space, changes)));
    return { added, removed, left };
  });
}

interface LockedHead {
  readonly version: number;
  readonly lastUpdated: number;
  readonly deleted: boolean;
  readonly sortDate: string;
  readonly presence: Buffer;
  readonly targetKeys: string;
}

/** The work on one target. */
interface Change {
  readonly target: RepairTarget;
  /** Undefined: the resource does not exist. */
  readonly wanted: ExpectedRows | undefined;
  /** Undefined: there is no head. */
  readonly head?: LockedHead;
  /** True: the resource was not written since its rows were read. */
  readonly isUnchanged: boolean;
}

/** Locks the heads, in the order of the targets; undefined: there is none. */
async function lock(
  session: OwnerSession,
  statement: Statement,
  space: number,
  targets: readonly RepairTarget[],
): Promise<(LockedHead | 'busy' | undefined)[]> {
  const rows = await session.run(statement, {
    space,
    types: targets.map(({ type }) => type ?? null),
    keys: targets.map(({ key }) => key),
    limit: targets.length,
  });
  const heads = new Array<LockedHead | 'busy' | undefined>(targets.length).fill(undefined);
  for (const row of rows) {
    const [ordinal, hasHead, version] = row as [number, boolean, number | null];
    const [lastUpdated, deleted, sortDate, presence, targetKeys] = row.slice(3) as [
      string,
      boolean,
      string,
      Buffer,
      string,
    ];
    if (version !== null)
      heads[ordinal - 1] = {
        version,
        lastUpdated: Number(lastUpdated),
        deleted,
        sortDate,
        presence,
        targetKeys,
      };
    else if (hasHead) heads[ordinal - 1] = 'busy';
  }
  return heads;
}

/** Undefined: the version of the head is missing, so that nothing can be computed. */
async function decide(
  session: OwnerSession,
  {
    space,
    target,
    head,
    recompute,
  }: {
    readonly space: number;
    readonly target: RepairTarget;
    readonly head: LockedHead;
    readonly recompute: ComputeRows;
  },
): Promise<Change | undefined> {
  const { seen } = target;
  // A write raises the version; base resources, which are replaced as a whole, get a new instant.
  if (seen?.version === head.version && seen.lastUpdated === head.lastUpdated)
    return { target, wanted: seen.wanted, head, isUnchanged: true };
  const [row] = await session.run(READ_VERSION, {
    space,
    type: target.type ?? null,
    key: target.key,
    version: head.version,
  });
  if (row === undefined) return undefined;
  const [change, lastUpdated, body] = row as [number, string, string | null];
  const current = {
    lastUpdated: Number(lastUpdated),
    isDeletion: change === CHANGE.delete,
    body: body ?? '',
  };
  return { target, wanted: recompute(target, current), head, isUnchanged: false };
}

/** The rows of one table to look up, as the bound values of its statement. */
class RepairRows {
  private readonly columns: readonly { readonly name: string; readonly values: (string | number | null)[] }[];
  private readonly keys: string[] = [];
  private readonly wanted: string[] = [];
  private readonly headless: (number | null)[] = [];

  constructor(private readonly table: IndexTable) {
    this.columns = ['parameter', ...INDEX_COLUMNS[table].map(([name]) => name)].map((name) => {
      return { name, values: [] };
    });
  }

  get isEmpty(): boolean {
    return this.keys.length === 0;
  }

  /** Adds all stored and all wanted rows, except unchanged rows that are stored once and wanted. */
  add({ target, wanted, head, isUnchanged }: Change): void {
    const missing = new Map(wanted?.rows[this.table].map((row) => [identityOf(row), row]));
    const counts = new Map<string, number>();
    for (const row of target.stored[this.table]) {
      const identity = identityOf(row);
      counts.set(identity, (counts.get(identity) ?? 0) + 1);
    }
    const headless = head === undefined ? (target.type ?? null) : null;
    for (const row of target.stored[this.table]) {
      const identity = identityOf(row);
      const count = counts.get(identity);
      if (count === undefined) continue;
      counts.delete(identity);
      const isWanted = missing.delete(identity);
      if (!(isUnchanged && isWanted && count === 1)) this.push(target.key, row, isWanted, headless);
    }
    for (const row of missing.values()) this.push(target.key, row, true, headless);
  }

  private push(key: string, row: IndexRow, isWanted: boolean, headless: number | null): void {
    this.keys.push(key);
    this.columns.forEach(({ values }, index) => values.push(row[index] ?? null));
    this.wanted.push(String(isWanted));
    this.headless.push(headless);
  }

  bound(space: number): Record<string, number | readonly (string | number | null)[]> {
    const columns = Object.fromEntries(this.columns.map(({ name, values }) => [name, values]));
    return { ...columns, space, resource_key: this.keys, wanted: this.wanted, headless: this.headless };
  }
}

async function repairHeads(session: OwnerSession, space: number, changes: readonly Change[]): Promise<void> {
  const altered = changes.flatMap(({ target, wanted, head }) => {
    if (wanted === undefined || head === undefined) return [];
    const isRight =
      head.deleted === wanted.deleted &&
      head.lastUpdated === wanted.lastUpdated &&
      head.sortDate === wanted.sortDate &&
      head.presence.equals(wanted.presence) &&
      head.targetKeys === wanted.targetKeys;
    return isRight ? [] : [{ target, wanted }];
  });
  if (altered.length === 0) return;
  await session.run(REPAIR_HEADS, {
    space,
    types: altered.map(({ target }) => target.type ?? null),
    keys: altered.map(({ target }) => target.key),
    deleted: altered.map(({ wanted }) => String(wanted.deleted)),
    last_updated: altered.map(({ wanted }) => wanted.lastUpdated),
    sort_dates: altered.map(({ wanted }) => wanted.sortDate),
    presences: altered.map(({ wanted }) => wanted.presence.toString('hex')),
    target_keys: altered.map(({ wanted }) => wanted.targetKeys),
  });
}

/** Targets that had no head and have one now: the condition on heads may have prevented the removal of their rows. */
async function appeared(
  session: OwnerSession,
  space: number,
  changes: readonly Change[],
): Promise<RepairTarget[]> {
  const headless = changes.flatMap(({ target, head }) =>
    head === undefined && target.type !== undefined ? [target] : [],
  );
  if (headless.length === 0) return [];
  const heads = await lock(session, LOCK_FREE, space, headless);
  return headless.filter((_, index) => heads[index] !== undefined);
}
