/** Permanent removal of resources. It runs as the owner, because the application role can only add versions. */
import { sql, type RawBuilder } from 'kysely';
import {
  INDEX_COLUMNS,
  INDEX_TABLES,
  type IndexRow,
  type IndexTable,
  type ResourceRows,
} from '../indexing/index-tables';
import { readTexts } from '../indexing/index-scan';
import { giveUpContentsOfJobs } from '../content/content-removal';
import { NOTE_OBJECTS, OBJECT_COLUMNS } from '../content/removed-content';
import type { OwnedTable } from '../schema/owned-tables';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Statement } from '../connection/statement';
import { sequenceWindows, type SequenceWindow } from '../read/sequence-windows';
import { CHANGE } from '../write/version-write';

/** A resource of a space by the number of its type and the decimal form of its key. */
export interface PurgedResource {
  readonly type: number;
  readonly key: string;
}

/** A resource with a version whose text contains one of the given texts. */
export interface MentioningVersion extends PurgedResource {
  /** Null where the key stands for the id. */
  readonly id: string | null;
}

/** The last text of a resource: the current one, or the one before its deletion. */
export interface LastText extends MentioningVersion {
  readonly body: string;
}

/** Numbers of removed rows by table. */
export type RemovedCounts = Readonly<
  Record<'resource' | 'resource_version' | 'content' | 'content_chunk' | IndexTable, number>
>;

function unnamed(raw: RawBuilder<unknown>): Statement {
  return defineStatement(template(raw), { named: false });
}

const SPACES = unnamed(sql`
  select s.number from andiron.space s join andiron.space o on o.tenant = s.tenant and o.release = s.release
  where o.number = ${bind('space')}::int order by s.number limit 100`);

/** Returns the spaces of the same tenant and release, including this one. */
export async function readSpacesBeside(session: OwnerSession, space: number): Promise<readonly number[]> {
  return (await session.run(SPACES, { space })).map(([number]) => Number(number));
}

const LAST = unnamed(sql`
  select coalesce((select v.sequence from andiron.resource_version v where v.space = ${bind('space')}::int
                   order by v.sequence desc limit 1), 0)`);

export async function readLast(session: OwnerSession, space: number): Promise<number> {
  const [row] = await session.run(LAST, { space });
  return Number(row?.[0] ?? 0);
}

/** See `sequenceWindows`. */
export function readWindows(
  session: OwnerSession,
  space: number,
  range: SequenceWindow,
): AsyncGenerator<SequenceWindow> {
  return sequenceWindows((...sent) => session.run(...sent), space, range);
}

const MENTIONING = defineStatement(
  template(sql`
    select distinct v.resource_type, v.resource_key::text, v.id
    from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.sequence > ${bind('after')}::bigint and v.sequence <= ${bind('to')}::bigint
      and exists (select 1 from unnest(${bind('texts')}::text[]) as x (text) where position(x.text in v.body) > 0)`),
);

/**
 * Returns the resources with a version whose sequence is above `after` and at most `to` and whose text contains one of
 * `texts`. Cost: reads those versions.
 */
export async function readMentioning(
  session: OwnerSession,
  space: number,
  bounds: { readonly after: number; readonly to: number; readonly texts: readonly string[] },
): Promise<readonly MentioningVersion[]> {
  const rows = (await session.run(MENTIONING, { space, ...bounds, texts: [...bounds.texts] })) as [
    number,
    string,
    string | null,
  ][];
  return rows.map(([type, key, id]) => ({ type, key, id }));
}

const PLACES = sql`unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[]) with ordinality
  as x (resource_type, resource_key, ordinal)`;

const LAST_TEXTS = defineStatement(
  template(sql`
    select x.resource_type, x.resource_key::text, v.id, v.body
    from ${PLACES}
    cross join lateral (
      select w.id, w.body from andiron.resource_version w
      where w.space = ${bind('space')}::int and w.resource_type = x.resource_type
        and w.resource_key = x.resource_key and w.body is not null
      order by w.version desc limit 1
    ) v`),
);

export async function readLastTexts(
  session: OwnerSession,
  space: number,
  places: readonly PurgedResource[],
): Promise<readonly LastText[]> {
  const rows = (await session.run(LAST_TEXTS, bindPlaces(space, places))) as [
    number,
    string,
    string | null,
    string,
  ][];
  return rows.map(([type, key, id, body]) => ({ type, key, id, body }));
}

function bindPlaces(
  space: number,
  places: readonly PurgedResource[],
): { space: number; types: number[]; keys: string[] } {
  return { space, types: places.map(({ type }) => type), keys: places.map(({ key }) => key) };
}

/** The planner settings of store_versions, until the end of the transaction. */
const BY_KEY = unnamed(sql`
  select set_config(s.name, s.value, true)
  from (values ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off')) as s (name, value)`);

/** Locks the heads in the order that all transactions use. */
const LOCK = unnamed(sql`
  select x.ordinal::int, h.version, h.deleted
  from ${PLACES}
  join andiron.resource h
    on h.space = ${bind('space')}::int and h.resource_type = x.resource_type and h.resource_key = x.resource_key
  order by x.resource_type, x.resource_key
  for update of h`);

function removePlaces(table: 'resource' | 'unopened_reference' | 'export_member'): Statement {
  return unnamed(sql`
    with removed as (
      delete from ${sql.table(`andiron.${table}`)} t using ${PLACES}
      where t.space = ${bind('space')}::int and t.resource_type = x.resource_type
        and t.resource_key = x.resource_key
      returning 1
    )
    select count(*)::int from removed`);
}
const REMOVE_HEADS = removePlaces('resource');
const REMOVE_EXPORTED = removePlaces('export_member');
const REMOVE_UNOPENED = removePlaces('unopened_reference');

/** Subtracts a number of resources and of bytes from the counts of the tenant. */
const subtract = (resources: RawBuilder<unknown>, bytes: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  update andiron.change_counter c
     set resources = c.resources - coalesce((${resources}), 0), bytes = c.bytes - coalesce((${bytes}), 0)
    from andiron.space s where s.number = ${bind('space')}::int and c.tenant = s.counter`;

/** The last version says whether the resource was deleted. Returns the number of versions, and their last sequence. */
const REMOVE_VERSIONS = unnamed(sql`
  with removed as (
    delete from andiron.resource_version v using ${PLACES}
    where v.space = ${bind('space')}::int and v.resource_type = x.resource_type and v.resource_key = x.resource_key
    returning v.resource_type, v.resource_key, v.version, v.sequence, v.change, octet_length(v.body) as bytes
  ), last as (
    select distinct on (r.resource_type, r.resource_key) r.change from removed r
    order by r.resource_type, r.resource_key, r.version desc
  ), counted as (
    ${subtract(
      sql`select count(*) from last l where l.change <> ${sql.lit(CHANGE.delete)}`,
      sql`select sum(r.bytes) from removed r`,
    )}
  )
  select count(*)::int, coalesce(max(r.sequence), 0)::bigint from removed r`);
const REMOVE_CHUNKS = unnamed(sql`
  with removed as (
    delete from andiron.content_chunk k using ${PLACES}, andiron.content c
    where c.space = ${bind('space')}::int and c.resource_type = x.resource_type and c.resource_key = x.resource_key
      and c.version is not null and k.space = ${bind('space')}::int and k.content = c.id
    returning 1
  )
  select count(*)::int from removed`);
const REMOVE_CONTENT = unnamed(sql`
  with removed as (
    delete from andiron.content c using ${PLACES}
    where c.space = ${bind('space')}::int and c.resource_type = x.resource_type
      and c.resource_key = x.resource_key and c.version is not null
    returning ${OBJECT_COLUMNS}
  ), noted as (
    ${NOTE_OBJECTS}
  ), counted as (
    ${subtract(sql`0`, sql`select sum(r.size) from removed r`)}
  )
  select count(*)::int from removed`);
const USE_SEQUENCES = unnamed(sql`
  update andiron.space_state t
     set purged_to = greatest(t.purged_to, ${bind('last')}::bigint), unversioned_changes = t.unversioned_changes + 1
   where t.space = ${bind('space')}::int`);

const COLUMNS = (table: IndexTable): readonly (readonly [name: string, type: string])[] => [
  ['resource_key', 'bigint'],
  ['parameter', 'int'],
  ...INDEX_COLUMNS[table],
];

function removeRows(table: IndexTable): Statement {
  const target = sql.table(`andiron.${table}`);
  const columns = COLUMNS(table);
  const arrays = sql.join(columns.map(([name, type]) => sql`${bind(name)}::${sql.raw(type)}[]`));
  const isSameRow = sql.join(
    columns.map(([name]) => sql`i.${sql.ref(name)} = x.${sql.ref(name)}`),
    sql` and `,
  );
  return unnamed(sql`
    with removed as (
      delete from ${target} t using unnest(${arrays}) as x (${sql.join(columns.map(([name]) => sql.ref(name)))})
      cross join lateral (
        select i.ctid as place from ${target} i where i.space = ${bind('space')}::int and ${isSameRow} offset 0
      ) found
      where t.space = ${bind('space')}::int and t.ctid = found.place returning 1
    )
    select count(*)::int from removed`);
}
const REMOVE_ROWS: Readonly<Record<IndexTable, Statement>> = {
  token_index: removeRows('token_index'),
  reference_index: removeRows('reference_index'),
  range_index: removeRows('range_index'),
  string_index: removeRows('string_index'),
  uri_index: removeRows('uri_index'),
};

/**
 * Removes all versions, the head and the index rows of some resources of a space, in one transaction. It locks the
 * heads before it reads the texts. A concurrent write of such a resource therefore either commits before and is removed
 * too, or finds no resource. All files of jobs of the space are given up with it: they may have what is removed.
 *
 * @param rowsOf returns the index rows of a current text
 */
export async function purgeResources(
  session: OwnerSession,
  space: number,
  places: readonly PurgedResource[],
  rowsOf: (type: number, body: string) => ResourceRows,
): Promise<RemovedCounts> {
  const bound = bindPlaces(space, places);
  return session.transaction(async () => {
    // They have no index by key: one scan for all, which the settings of the others would make one for each.
    await session.run(REMOVE_EXPORTED, bound);
    await session.run(BY_KEY);
    const heads = (await session.run(LOCK, bound)) as [number, number, boolean][];
    const live = heads.flatMap(([ordinal, version, deleted]) => {
      const place = places[ordinal - 1];
      return place === undefined || deleted ? [] : [{ ...place, version }];
    });
    const texts = await readTexts(session, space, live);
    const rows = live.flatMap(({ type, key }, index) => {
      const body = texts[index];
      return body === undefined ? [] : [{ key, rows: rowsOf(type, body) }];
    });
    const counts = { token_index: 0, reference_index: 0, range_index: 0, string_index: 0, uri_index: 0 };
    for (const table of INDEX_TABLES) {
      const rowsOfTable = rows.flatMap(({ key, rows: of }) => of[table].map((row) => [key, ...row] as const));
      if (rowsOfTable.length === 0) continue;
      const columns = COLUMNS(table).map(
        ([name], column) => [name, rowsOfTable.map((row) => row[column] ?? null)] as const,
      );
      const [row] = await session.run(REMOVE_ROWS[table], { space, ...Object.fromEntries(columns) });
      counts[table] = Number(row?.[0] ?? 0);
    }
    const [versions] = await session.run(REMOVE_VERSIONS, bound);
    const [removedHeads] = await session.run(REMOVE_HEADS, bound);
    await session.run(REMOVE_UNOPENED, bound);
    const [chunks] = await session.run(REMOVE_CHUNKS, bound);
    const [contents] = await session.run(REMOVE_CONTENT, bound);
    // It locks the state of the space, so that no file of a job is begun between this and the commit.
    await session.run(USE_SEQUENCES, { space, last: Number(versions?.[1] ?? 0) });
    await giveUpContentsOfJobs(session, space);
    return {
      ...counts,
      resource: Number(removedHeads?.[0] ?? 0),
      resource_version: Number(versions?.[0] ?? 0),
      content: Number(contents?.[0] ?? 0),
      content_chunk: Number(chunks?.[0] ?? 0),
    };
  });
}

/** An index row of a resource. */
export interface FoundRow {
  readonly table: IndexTable;
  readonly key: string;
  readonly row: IndexRow;
}

/** Returns index rows of some keys of a space, for all parameters. Cost: reads an index of each table of the space. */
export async function readRowsOf(
  session: OwnerSession,
  space: number,
  keys: readonly string[],
): Promise<readonly FoundRow[]> {
  const found: FoundRow[] = [];
  for (const table of INDEX_TABLES) {
    const columns = INDEX_COLUMNS[table].map(([name, type]) =>
      type === 'bigint' ? sql`t.${sql.ref(name)}::text` : sql`t.${sql.ref(name)}`,
    );
    const statement = unnamed(sql`
      select t.resource_key::text, t.parameter, ${sql.join(columns)} from ${sql.table(`andiron.${table}`)} t
      where t.space = ${bind('space')}::int and t.resource_key = any (${bind('keys')}::bigint[])`);
    for (const [key, parameter, ...values] of await session.run(statement, { space, keys: [...keys] }))
      found.push({
        table,
        key: String(key),
        row: [Number(parameter), ...(values as (string | number)[])],
      });
  }
  return found;
}

const LEFT = unnamed(sql`
  select (select count(*)::int from ${PLACES} join andiron.resource t on t.space = ${bind('space')}::int
            and t.resource_type = x.resource_type and t.resource_key = x.resource_key),
         (select count(*)::int from ${PLACES} join andiron.resource_version t on t.space = ${bind('space')}::int
            and t.resource_type = x.resource_type and t.resource_key = x.resource_key),
         (select count(*)::int from ${PLACES} join andiron.content t on t.space = ${bind('space')}::int
            and t.resource_type = x.resource_type and t.resource_key = x.resource_key and t.version is not null)`);

/** Counts the heads, versions and contents that still exist. */
export async function countLeft(
  session: OwnerSession,
  space: number,
  places: readonly PurgedResource[],
): Promise<{ readonly resource: number; readonly resource_version: number; readonly content: number }> {
  const [row] = await session.run(LEFT, bindPlaces(space, places));
  const [resource = 0, versions = 0, content = 0] = (row ?? []).map(Number);
  return { resource, resource_version: versions, content };
}

/** Counts the rows of a table, in some spaces, that have the text in any column. Cost: reads all of those rows. */
export async function countMentions(
  session: OwnerSession,
  table: OwnedTable,
  spaces: readonly number[],
  text: string,
): Promise<number> {
  if (table.owner !== 'space' || !table.hasText) return 0;
  const statement = unnamed(sql`
    select count(*)::int from ${sql.table(`andiron.${table.name}`)} t
    where t.space = any (${bind('spaces')}::int[]) and position(${bind('text')}::text in t::text) > 0
      and t::text ~ ${bind('pattern')}::text`);
  const [row] = await session.run(statement, { spaces: [...spaces], text, pattern: wholeName(text) });
  return Number(row?.[0] ?? 0);
}

/** Returns a regular expression, for PostgreSQL and JavaScript, that matches `Type/id` but no longer id. */
function wholeName(name: string): string {
  return `(^|[^A-Za-z0-9.-])${name.replace(/[.]/g, '\\.')}($|[^A-Za-z0-9.-])`;
}

/** Rows after `after` that contain one of the names, by number, with all of their accesses. */
const RECORDS_NAMING = unnamed(sql`
  select r.space, r.batch::text, r.accesses from andiron.access_record r
  where r.space = any (${bind('spaces')}::int[]) and r.batch > ${bind('after')}::bigint
    and exists (select 1 from unnest(${bind('names')}::text[]) as x (name) where position(x.name in r.accesses) > 0)
  order by r.batch limit 100`);
const UPDATE_RECORD = unnamed(sql`
  update andiron.access_record r set records = ${bind('records')}::int, accesses = ${bind('accesses')}
  where r.space = ${bind('space')}::int and r.batch = ${bind('batch')}::bigint`);
const REMOVE_RECORDS = unnamed(sql`
  delete from andiron.access_record r where r.space = ${bind('space')}::int and r.batch = ${bind('batch')}::bigint`);

/**
 * Removes accesses that are not AuditEvents yet and name one of `names`, and returns their number. A row that becomes
 * AuditEvents in the meantime is gone, so callers must look for its events afterwards.
 */
export async function purgeAccessRecords(
  session: OwnerSession,
  spaces: readonly number[],
  names: readonly string[],
): Promise<number> {
  const isNamed = new RegExp(names.map(wholeName).join('|'));
  let removed = 0;
  for (let after = '0', isMore = true; isMore;) {
    const rows = (await session.run(RECORDS_NAMING, { spaces: [...spaces], names: [...names], after })) as [
      number,
      string,
      string,
    ][];
    isMore = rows.length > 0;
    for (const [space, batch, accesses] of rows) {
      after = batch;
      const lines = accesses.split('\n');
      const left = lines.filter((line) => !isNamed.test(line));
      removed += lines.length - left.length;
      if (left.length === 0) await session.run(REMOVE_RECORDS, { space, batch });
      else if (left.length < lines.length)
        await session.run(UPDATE_RECORD, { space, batch, records: left.length, accesses: left.join('\n') });
    }
  }
  return removed;
}

const REGISTERED = unnamed(sql`
  select exists (select 1 from andiron.search_parameter p
                 where p.space = ${bind('space')}::int and p.owner = ${bind('id')})`);

/** True if a SearchParameter is in use: then its index rows would stay. */
export async function isRegistered(session: OwnerSession, space: number, id: string): Promise<boolean> {
  const [row] = await session.run(REGISTERED, { space, id });
  return row?.[0] === true;
}
