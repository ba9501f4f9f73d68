/**
 * The tables with tenant data, read from PostgreSQL's catalog: all tables with a column `space` or `tenant`. It finds
 * new tables of migrations by itself; test/core/storage/owned-tables.test.ts fails for a table that it misses.
 */
import { sql } from 'kysely';
import type { OwnerSession } from '../connection/owner-session';
import { NOTE_OBJECTS, OBJECT_COLUMNS } from '../content/removed-content';
import { bind, defineStatement, template, type Statement } from '../connection/statement';

export interface OwnedTable {
  readonly name: string;
  /** The column that identifies the owner of a row: the number of a space, or of a tenant. */
  readonly owner: 'space' | 'tenant';
  /** True if it has a column of texts or JSON. */
  readonly hasText: boolean;
}

/** A tenant and its spaces, by number. */
export interface TenantNumbers {
  readonly tenant: number;
  readonly spaces: readonly number[];
  /** The keys of its rows in `change_counter`. */
  readonly counters: readonly number[];
}

const SCHEMA = 'andiron';
/** The table of counters; its key has the name of a tenant's number. */
const COUNTERS = 'change_counter';
/** The table of spaces, which identify the owners of all other rows; its rows are deleted with the tenant's. */
const SPACES = 'space';
/** Rows deleted in one transaction. */
const ROWS_AT_ONCE = 5_000;

const READ = defineStatement(
  template(sql`
    select c.relname::text,
           bool_or(a.atttypid = any (array['text', 'varchar', 'json', 'jsonb', 'text[]']::regtype[])),
           bool_or(a.attname = 'space' and a.atttypid = 'int4'::regtype),
           bool_or(a.attname = 'tenant' and a.atttypid = 'int4'::regtype)
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname = ${bind('schema')} and c.relkind in ('r', 'p') and not c.relispartition
    group by c.relname order by c.relname limit 1000`),
);

const READ_REFERENCES = defineStatement(
  template(sql`
    select referring.relname::text, referred.relname::text
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class referring on referring.oid = k.conrelid
    join pg_catalog.pg_class referred on referred.oid = k.confrelid
    join pg_catalog.pg_namespace n on n.oid = referring.relnamespace
    where k.contype = 'f' and n.nspname = ${bind('schema')} and k.conrelid <> k.confrelid
    limit 1000`),
);

/**
 * Reads the tables in an order in which they can be emptied: referring tables first. Omits those of tenants and spaces.
 */
export async function readOwnedTables(session: OwnerSession): Promise<readonly OwnedTable[]> {
  const rows = (await session.run(READ, { schema: SCHEMA })) as [string, boolean, boolean, boolean][];
  let left = rows.flatMap(([name, hasText, hasSpace, hasTenant]): OwnedTable[] => {
    if ((!hasSpace && !hasTenant) || name === SPACES) return [];
    return [{ name, owner: hasSpace ? 'space' : 'tenant', hasText }];
  });
  const references = (await session.run(READ_REFERENCES, { schema: SCHEMA })) as [string, string][];
  const ordered: OwnedTable[] = [];
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name));
    const isReferred = ({ name }: OwnedTable): boolean =>
      references.some(([referring, referred]) => referred === name && names.has(referring));
    const free = left.filter((table) => !isReferred(table));
    if (free.length === 0) throw new Error('tables that refer to each other in a circle cannot be emptied');
    ordered.push(...free);
    left = left.filter(isReferred);
  }
  return ordered;
}

function unnamed(raw: ReturnType<typeof sql>): Statement {
  return defineStatement(template(raw), { named: false });
}

function isOwned({ owner }: OwnedTable, alias: string): ReturnType<typeof sql> {
  return owner === 'space'
    ? sql`${sql.ref(`${alias}.space`)} = any (${bind('spaces')}::int[])`
    : sql`${sql.ref(`${alias}.tenant`)} = any (${bind('tenants')}::int[])`;
}

function bindOwned(
  { name }: OwnedTable,
  { tenant, spaces, counters }: TenantNumbers,
): { spaces: number[]; tenants: number[] } {
  return { spaces: [...spaces], tenants: name === COUNTERS ? [...counters] : [tenant] };
}

/** Removes some rows in one transaction, and returns their number; 0: none is left. */
export async function removeSome(
  session: OwnerSession,
  table: OwnedTable,
  owned: TenantNumbers,
): Promise<number> {
  const name = sql.table(`${SCHEMA}.${table.name}`);
  const isContent = table.name === 'content';
  const statement = unnamed(sql`
    with removed as (
      delete from ${name} c
      where ${isOwned(table, 'c')}
        and c.ctid = any (array(select t.ctid from ${name} t where ${isOwned(table, 't')} limit ${sql.lit(ROWS_AT_ONCE)}))
      returning ${isContent ? OBJECT_COLUMNS : sql`1`}
    )${isContent ? sql`, noted as (${NOTE_OBJECTS})` : sql``}
    select count(*)::int from removed`);
  const [row] = await session.run(statement, bindOwned(table, owned));
  return Number(row?.[0] ?? 0);
}

export async function countRows(
  session: OwnerSession,
  table: OwnedTable,
  owned: TenantNumbers,
): Promise<number> {
  const name = sql.table(`${SCHEMA}.${table.name}`);
  const [row] = await session.run(
    unnamed(sql`select count(*)::int from ${name} t where ${isOwned(table, 't')}`),
    bindOwned(table, owned),
  );
  return Number(row?.[0] ?? 0);
}
