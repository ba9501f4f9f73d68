/** The schema of a database in a form that can be compared. */
import { Client } from 'pg';
import type { Connection } from './services';

/** Order of grants differs by how they were made. */
const acl = (column: string): string =>
  `(select array_agg(a::text order by a::text) from unnest(${column}) a)`;

/** Dropped columns are left out, because a dump has none. So are names of NOT NULL constraints: PostgreSQL has them from version 18 on, and a dump of an earlier one has none. */
const OBJECTS: Readonly<Record<string, string>> = {
  schema: `select n.nspname as name, ${acl('n.nspacl')} as acl from pg_namespace n where n.nspname = 'andiron'`,
  relation: `
    select c.relname as name, c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity, c.reloptions,
           ${acl('c.relacl')} as acl
    from pg_class c where c.relnamespace = 'andiron'::regnamespace`,
  column: `
    select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
           row_number() over (partition by a.attrelid order by a.attnum) as place,
           a.attnotnull, l.collname, a.attidentity, a.attgenerated, a.attstorage, ${acl('a.attacl')} as acl,
           pg_get_expr(d.adbin, d.adrelid) as expression
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    left join pg_collation l on l.oid = a.attcollation
    where c.relnamespace = 'andiron'::regnamespace and c.relkind in ('r', 'p')
      and a.attnum > 0 and not a.attisdropped`,
  sequence: `
    select s.sequencename as name, s.start_value, s.increment_by, s.min_value, s.max_value, s.cycle
    from pg_sequences s where s.schemaname = 'andiron'`,
  constraint: `
    select o.conname as name, o.conrelid::regclass::text as relation, pg_get_constraintdef(o.oid) as definition
    from pg_constraint o where o.connamespace = 'andiron'::regnamespace and o.contype <> 'n'`,
  index: `select i.indexname as name, i.indexdef from pg_indexes i where i.schemaname = 'andiron'`,
  policy: `
    select p.tablename || '.' || p.policyname as name, p.permissive, p.roles::text, p.cmd, p.qual, p.with_check
    from pg_policies p where p.schemaname = 'andiron'`,
  trigger: `
    select t.tgname as name, pg_get_triggerdef(t.oid) as definition
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'andiron'::regnamespace and not t.tgisinternal`,
  function: `
    select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition, ${acl('p.proacl')} as acl
    from pg_proc p where p.pronamespace = 'andiron'::regnamespace`,
};

/** Everything in the schema `andiron`, by kind and name; two databases with equal results have the same schema. */
export async function readSchema(settings: Connection): Promise<ReadonlyMap<string, unknown>> {
  const client = new Client(settings);
  await client.connect();
  try {
    const found = new Map<string, unknown>();
    for (const [kind, query] of Object.entries(OBJECTS)) {
      const { rows } = await client.query<{ name: string }>(`${query} order by 1`);
      for (const row of rows) found.set(`${kind} ${row.name}`, row);
    }
    return found;
  } finally {
    await client.end();
  }
}
