/** Distributes the tables of a database over the nodes of Citus. */
import { sql, type RawBuilder } from 'kysely';
import type { Client } from 'pg';
import { chooseNumbers, slotOf } from '../tenants/slot-numbers';
import { rowsOf } from './cluster';

/** Tables that each node has whole: statements of a tenant read them beside its rows. */
export const WHOLE: readonly string[] = ['tenant', 'space', 'installation'];

/** A table with rows of tenants. */
export interface DistributedTable {
  readonly name: string;
  /** The column whose hash says on which node a row is. */
  readonly column: 'space' | 'of_space' | 'tenant';
  /** True: it has a primary key. */
  readonly identified: boolean;
}

/** Returns `DistributedTable`s. */
export const TABLES = sql`
  select c.relname::text as name,
         (select min(a.attname::text) from pg_attribute a
          where a.attrelid = c.oid and a.attname in ('space', 'of_space', 'tenant') and not a.attisdropped) as column,
         exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary) as identified
  from pg_class c
  where c.relnamespace = 'andiron'::regnamespace and c.relkind = 'r' and not c.relispartition
    and c.relname <> all (${sql.val([...WHOLE])}::text[])
    and exists (select from pg_attribute a
                where a.attrelid = c.oid and a.attname in ('space', 'of_space', 'tenant') and not a.attisdropped)
  order by c.relname <> 'resource', c.relname limit 1000`;

/** Foreign keys: Citus makes those between distributed tables only once both are distributed, and numbers of tenants change before. */
const KEYS = sql`
  select k.conname::text as name, t.relname::text as table, pg_get_constraintdef(k.oid) as definition
  from pg_constraint k join pg_class t on t.oid = k.conrelid
  where k.contype = 'f' and k.connamespace = 'andiron'::regnamespace
  limit 1000`;

type RunAs = <T extends object>(statement: RawBuilder<unknown>) => Promise<T[]>;

/** A change of a number: of a tenant, a space or a counter. Each was counted for itself, so that two may have the same number. */
interface NewNumber {
  readonly of: 'tenant' | 'space' | 'counter';
  readonly old: number;
  readonly number: number;
}

/** The columns with such numbers. */
const COLUMNS = sql`
  select c.relname::text as name, a.attname::text as column,
         case when c.relname = 'change_counter' or a.attname = 'counter' then 'counter'
              when a.attname = 'tenant' or c.relname = 'tenant' then 'tenant' else 'space' end as of
  from pg_class c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
  where c.relnamespace = 'andiron'::regnamespace and c.relkind = 'r'
    and (a.attname in ('space', 'of_space', 'tenant') or a.attname in ('number', 'counter') and c.relname in ('tenant', 'space'))
  limit 1000`;

/** New numbers for the tenants whose numbers are not of one slot: those that versions before have counted. */
async function newNumbers(run: RunAs): Promise<readonly NewNumber[]> {
  const rows = await run<{ tenant: number; spaces: readonly number[]; counters: readonly number[] }>(sql`
    select s.tenant, array_agg(s.number order by s.number) as spaces, array_agg(s.counter order by s.number) as counters
    from andiron.space s where s.tenant is not null group by s.tenant limit 1000000`);
  return rows.flatMap(({ tenant, spaces, counters }) => {
    const isOfSlot =
      new Set([tenant, ...spaces, ...counters].map((each) => (each < 0 ? -1 : slotOf(each)))).size === 1;
    if (isOfSlot) return [];
    const [first = 0, ...others] = chooseNumbers(1 + spaces.length);
    const bySpace = new Map(spaces.map((space, index) => [space, others[index] ?? 0]));
    // The counter of AuditEvents has the number of their space; versions before have negated it.
    const ofCounter = (counter: number): number =>
      counter === tenant ? first : (bySpace.get(Math.abs(counter)) ?? first);
    return [
      { of: 'tenant', old: tenant, number: first },
      ...[...bySpace].map(([old, number]) => ({ of: 'space', old, number }) as const),
      ...[...new Set(counters)].map((old) => ({ of: 'counter', old, number: ofCounter(old) }) as const),
    ] satisfies NewNumber[];
  });
}

/** Returns the tenants that get other numbers, and have content in a folder or bucket, whose objects are named by these. */
export async function readRenumberedContent(client: Client): Promise<readonly string[]> {
  const run = runnerOf(client);
  const changed = (await newNumbers(run)).filter((change) => change.of === 'tenant').map(({ old }) => old);
  if (changed.length === 0) return [];
  const rows = await run<{ name: string }>(sql`
    select t.name from andiron.tenant t
    where t.number = any (${changed}::int[]) and exists (
      select from andiron.content c join andiron.space s on s.number = c.space
      where s.tenant = t.number and c.store <> 'database')
    order by t.name limit 1000`);
  return rows.map(({ name }) => name);
}

/** Gives each tenant numbers of one slot. Cost: rewrites all rows of the tenants that have others. */
async function renumber(run: RunAs): Promise<void> {
  const changes = await newNumbers(run);
  if (changes.length === 0) return;
  const columns = await run<{ name: string; column: string; of: NewNumber['of'] }>(COLUMNS);
  for (const { name, column, of } of columns) {
    const ofColumn = changes.filter((change) => change.of === of);
    const [old, number] = [ofColumn.map((change) => change.old), ofColumn.map((change) => change.number)];
    await run(sql`
      update ${sql.table(`andiron.${name}`)} t set ${sql.ref(column)} = x.number
      from unnest(${old}::int[], ${number}::int[]) as x (old, number) where t.${sql.ref(column)} = x.old`);
  }
}

const runnerOf =
  (client: Client): RunAs =>
  (statement) =>
    rowsOf(client, statement);

const named = (table: string): RawBuilder<unknown> => sql.table(`andiron.${table}`);

async function countRows(run: RunAs, tables: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const table of tables) {
    const [row] = await run<{ count: string }>(sql`select count(*)::text as count from ${named(table)}`);
    counts.set(table, Number(row?.count));
  }
  return counts;
}

/**
 * Makes the tables with rows of tenants distributed, and those that all statements read reference tables, in one transaction.
 * `shards`: the number of shard groups. **Throws** as pg does, and Error if a table has another number of rows than before; nothing
 * is changed then.
 */
export async function distributeTables(
  client: Client,
  { shards, told }: { readonly shards: number; told(table: string): void },
): Promise<{ readonly tables: number; readonly rows: number }> {
  const run = runnerOf(client);
  await run(sql`begin`);
  try {
    const counts = await distributeWithin(run, { shards, told });
    await run(sql`commit`);
    return { tables: counts.size, rows: [...counts.values()].reduce((sum, count) => sum + count, 0) };
  } catch (error) {
    await run(sql`rollback`).catch(() => undefined);
    throw error;
  }
}

async function distributeWithin(
  run: RunAs,
  { shards, told }: { readonly shards: number; told(table: string): void },
): Promise<ReadonlyMap<string, number>> {
  const tables = await run<DistributedTable>(TABLES);
  const keys = await run<{ name: string; table: string; definition: string }>(KEYS);
  const all = [...WHOLE, ...tables.map(({ name }) => name)];
  const before = await countRows(run, all);
  await run(sql`set local citus.shard_count to ${sql.lit(shards)}`);
  await run(sql`set local citus.shard_replication_factor to 1`);
  // Reference tables that foreign keys name allow no parallel changes in one transaction; nor later in those of the owner.
  await run(sql`set local citus.multi_shard_modify_mode to 'sequential'`);
  const [{ name: database = '' } = {}] = await run<{ name: string }>(sql`select current_database() as name`);
  await run(sql`alter database ${sql.id(database)} set citus.multi_shard_modify_mode to 'sequential'`);
  for (const { name, table } of keys)
    await run(sql`alter table ${named(table)} drop constraint ${sql.id(name)}`);
  await renumber(run);
  for (const table of WHOLE) {
    await run(sql`select create_reference_table(${`andiron.${table}`}::regclass)`);
    told(table);
  }
  for (const { name, column, identified } of tables) {
    const together = name === 'resource' ? 'none' : 'andiron.resource';
    await run(sql`
      select create_distributed_table(
        ${`andiron.${name}`}::regclass, ${column}, 'hash', colocate_with => ${together})`);
    // A move replays the changes that are made during it.
    if (!identified) await run(sql`alter table ${named(name)} replica identity full`);
    told(name);
  }
  // Citus keeps the rows that it has copied in the tables of the coordinator. Without foreign keys nothing cascades.
  for (const table of all)
    await run(sql`select truncate_local_data_after_distributing_table(${`andiron.${table}`}::regclass)`);
  for (const { name, table, definition } of keys)
    await run(sql`alter table ${named(table)} add constraint ${sql.id(name)} ${sql.raw(definition)}`);
  const after = await countRows(run, all);
  const [wrong] = all.filter((table) => before.get(table) !== after.get(table));
  if (wrong !== undefined)
    throw new Error(
      `The table ${wrong} had ${before.get(wrong)} rows and would have ${after.get(wrong)}: nothing was changed`,
    );
  return after;
}
