import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import { EQUAL_CALLS, StatementBatch } from '../connection/statement-batch';

const LAST_CHANGE = defineStatement(
  template(sql`
    select (select i.definitions_digest from andiron.installation i limit 1), (
      select array[y.sequence, y.last_updated]
      from unnest(${bind('types')}::smallint[]) as t (resource_type)
      cross join lateral (
        select v.sequence, v.last_updated from andiron.resource_version v
        where v.space = ${bind('space')}::int and v.resource_type = t.resource_type
        order by v.sequence desc limit 1
      ) y
      order by y.sequence desc limit 1)
    limit 1`),
);

const batches = new WeakMap<Database, StatementBatch>();

/**
 * Returns a fingerprint that changes with each change of a resource of these types in the space. It has the time of the
 * last change, because a restored database assigns the sequences after the backup again. It has the database's digest
 * of the base resources, because another version of the program may have loaded them. Cost: one index probe for each
 * type.
 *
 * Calls with the same arguments in one turn of the event loop, such as those of a Bundle's entries, share a statement.
 * The statement is sent after all of these calls, so the result is never older than the call.
 */
export async function lastChangeOf(
  database: Database,
  space: number,
  types: readonly number[],
): Promise<string> {
  let batch = batches.get(database);
  if (batch === undefined) batches.set(database, (batch = new StatementBatch(database, EQUAL_CALLS)));
  const [row] = await batch.run({ lane: 'search', space }, LAST_CHANGE, { space, types });
  return JSON.stringify(row ?? []);
}

const LABELLED = defineStatement(
  template(sql`
    select v.body
    from andiron.resource r
    cross join lateral (
      select w.body from andiron.resource_version w
      where w.space = ${bind('space')}::int and w.resource_type = r.resource_type and w.resource_key = r.resource_key
        and w.version = r.version
      offset 0
    ) v
    where r.space = ${bind('space')}::int and r.resource_type = ${bind('type')}::smallint and not r.deleted
      and exists (select 1 from unnest(${bind('ordinals')}::int[]) as o (ordinal)
                  where o.ordinal / 8 < length(r.presence) and get_bit(r.presence, o.ordinal) = 1)
    limit ${bind('limit')}::int`),
);

/**
 * Returns the texts of live resources of a type that have a value for one of the parameters with these ordinals, at
 * most `limit`.
 */
export async function readLabelled(
  database: Database,
  space: number,
  {
    type,
    ordinals,
    limit,
  }: { readonly type: number; readonly ordinals: readonly number[]; readonly limit: number },
): Promise<string[]> {
  const rows = await database.run({ lane: 'search', space }, LABELLED, { space, type, ordinals, limit });
  return rows.map((row) => String(row[0]));
}

const URIS = defineStatement(
  template(sql`
    select distinct t.value from andiron.uri_index t
    where t.space = ${bind('space')}::int and t.parameter = any(${bind('parameters')}::int[])
      and t.value > ${bind('after')}
    order by t.value
    limit ${bind('limit')}::int`),
);

/** Returns the distinct uris of some parameters that follow `after` in PostgreSQL's order, at most `limit`. */
export async function readUris(
  database: Database,
  space: number,
  {
    parameters,
    after,
    limit,
  }: { readonly parameters: readonly number[]; readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await database.run({ lane: 'search', space }, URIS, { space, parameters, after, limit });
  return rows.map((row) => String(row[0]));
}

const KEYS_OF_URIS = defineStatement(
  template(sql`
    select distinct t.resource_key::text from andiron.uri_index t
    where t.space = ${bind('space')}::int and t.parameter = any(${bind('parameters')}::int[])
      and t.value = any(${bind('uris')}::text[])
    limit ${bind('limit')}::int`),
);

/**
 * Returns the keys, in decimal form, of resources that have one of the uris in one of the parameters, at most `limit`.
 */
export async function findKeysOfUris(
  database: Database,
  space: number,
  {
    parameters,
    uris,
    limit,
  }: { readonly parameters: readonly number[]; readonly uris: readonly string[]; readonly limit: number },
): Promise<string[]> {
  const rows = await database.run({ lane: 'search', space }, KEYS_OF_URIS, {
    space,
    parameters,
    uris,
    limit,
  });
  return rows.map((row) => String(row[0]));
}
