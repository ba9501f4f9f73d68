/** What exports contain (docs/understand/storage.md, `export_member`): versions that are found once and read by each download. */
import { sql } from 'kysely';
import type { Database, Row } from '../connection/database';
import { bind, defineStatement, template, type Statement } from '../connection/statement';
import { decodePageRow, inlineBytes, PAGE_COLUMNS, type PageRow } from '../read/version-row';
import { bulk } from './bulk-statements';
import type { JobKey } from './jobs';

/** The versions that belong to an export: those current at its moment, within the times that the client named. */
export interface MemberBounds {
  /** The version-sequence of the moment. */
  readonly last: number;
  /** Milliseconds since 1970; a version is later than `since`, and earlier than `until`. */
  readonly since: number;
  readonly until: number;
  /** A version has a greater version-sequence. */
  readonly sinceSequence: number;
}

/** A version of a resource by its key in decimal form. */
export interface ExportMember {
  readonly type: number;
  readonly key: string;
  readonly version: number;
  readonly sequence: number;
}

const IS_JOB = sql`m.space = ${bind('space')}::int and m.job = ${bind('job')}`;
/** True for a version `v` within the bounds. */
export const IN_BOUNDS = sql`
  v.last_updated > ${bind('since')}::bigint and v.last_updated < ${bind('until')}::bigint
  and v.sequence > ${bind('since_sequence')}::bigint`;

/** The values that `IN_BOUNDS` needs, and `last`. */
export function bindBounds({ last, since, until, sinceSequence }: MemberBounds): {
  last: number;
  since: number;
  until: number;
  since_sequence: number;
} {
  return { last, since, until, since_sequence: sinceSequence };
}

const COLUMNS = sql`(space, job, deleted, resource_type, resource_key, version, sequence)`;

/** The current version of each key, unless it was made after the moment. */
const ADD_CURRENT = defineStatement(
  template(sql`
    with added as (
      insert into andiron.export_member ${COLUMNS}
      select ${bind('space')}::int, ${bind('job')}, false, ${bind('type')}::smallint, k.key, c.version, c.sequence
      from unnest(${bind('keys')}::bigint[]) as k (key)
      cross join lateral (
        select v.* from andiron.resource_version v
        where v.space = ${bind('space')}::int and v.resource_type = ${bind('type')}::smallint and v.resource_key = k.key
        order by v.version desc limit 1
      ) c
      cross join lateral (select c.* where c.sequence <= ${bind('last')}::bigint and c.change <> 3) v
      where ${IN_BOUNDS}
      on conflict do nothing
      returning 1
    )
    select count(*)::int from added limit 1`),
);

/** The version of each key that was current at the moment. */
const ADD_AT_MOMENT = defineStatement(
  template(sql`
    with added as (
      insert into andiron.export_member ${COLUMNS}
      select ${bind('space')}::int, ${bind('job')}, false, ${bind('type')}::smallint, k.key, v.version, v.sequence
      from unnest(${bind('keys')}::bigint[]) as k (key)
      cross join lateral (
        select c.* from andiron.resource_version c
        where c.space = ${bind('space')}::int and c.resource_type = ${bind('type')}::smallint and c.resource_key = k.key
          and c.sequence <= ${bind('last')}::bigint
        order by c.version desc limit 1
      ) v
      where v.change <> 3 and ${IN_BOUNDS}
      on conflict do nothing
      returning 1
    )
    select count(*)::int from added limit 1`),
);

/** Resources of a type that may belong to an export. */
export interface AddedKeys {
  readonly type: number;
  readonly keys: readonly string[];
  readonly bounds: MemberBounds;
}

/** Adds resources whose current version belongs to the export, and returns the number of new ones. */
export async function addCurrentMembers(database: Database, job: JobKey, added: AddedKeys): Promise<number> {
  return addKeys(database, ADD_CURRENT, job, added);
}

/** As `addCurrentMembers`, for the versions that were current at the moment. */
export async function addMembersAtMoment(database: Database, job: JobKey, added: AddedKeys): Promise<number> {
  return addKeys(database, ADD_AT_MOMENT, job, added);
}

async function addKeys(
  database: Database,
  statement: Statement,
  { space, id }: JobKey,
  { type, keys, bounds }: AddedKeys,
): Promise<number> {
  if (keys.length === 0) return 0;
  const bound = { space, job: id, type, keys: [...keys], ...bindBounds(bounds) };
  const [row] = await database.run(bulk(space), statement, bound);
  return Number(row?.[0] ?? 0);
}

const ADD = defineStatement(
  template(sql`
    with added as (
      insert into andiron.export_member ${COLUMNS}
      select ${bind('space')}::int, ${bind('job')}, ${bind('deleted')}::boolean, x.*
      from unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[], ${bind('versions')}::int[],
                  ${bind('sequences')}::bigint[]) as x
      on conflict do nothing
      returning 1
    )
    select count(*)::int from added limit 1`),
);

/** Adds versions, and returns the number of new ones. */
export async function addMembers(
  database: Database,
  { space, id }: JobKey,
  members: readonly ExportMember[],
  isDeleted: boolean,
): Promise<number> {
  if (members.length === 0) return 0;
  const [row] = await database.run(bulk(space), ADD, {
    ...{ space, job: id, deleted: isDeleted },
    types: members.map(({ type }) => type),
    keys: members.map(({ key }) => key),
    versions: members.map(({ version }) => version),
    sequences: members.map(({ sequence }) => sequence),
  });
  return Number(row?.[0] ?? 0);
}

/** Members of one type in one file: those with a version-sequence above `after`, up to `to`. */
export interface MemberRange {
  readonly type: number;
  readonly deleted: boolean;
  readonly after: number;
  readonly to: number;
}

const READ = defineStatement(
  template(sql`
    select m.sequence::bigint, m.resource_key::text, v.*
    from (select m.* from andiron.export_member m
          where ${IS_JOB} and m.deleted = ${bind('deleted')}::boolean and m.resource_type = ${bind('type')}::smallint
            and m.sequence > ${bind('after')}::bigint and m.sequence <= ${bind('to')}::bigint
          order by m.sequence limit ${bind('limit')}::int) m
    left join lateral (
      select ${PAGE_COLUMNS} from andiron.resource_version v
      where v.space = ${bind('space')}::int and v.resource_type = m.resource_type and v.resource_key = m.resource_key
        and v.version = m.version limit 1
    ) v on true
    order by m.sequence
    limit ${bind('limit')}::int`),
);

export interface MemberPage {
  /** Long texts are omitted; undefined: the version was erased. */
  readonly rows: readonly (PageRow | undefined)[];
  /** The version-sequence of the last row; undefined: there are none. */
  readonly last: number | undefined;
}

/** A page of rows with a sequence, a key and, from position 2 on, PAGE_COLUMNS. */
export function toMemberPage(found: readonly Row[], type: number): MemberPage {
  return {
    rows: found.map((row) => (row[3] === null ? undefined : decodePageRow(row, 2, type, String(row[1])))),
    last: found.at(-1)?.[0] as number | undefined,
  };
}

/** Reads members in the order of their sequences. Cost: one statement. */
export async function readMembers(
  database: Database,
  { space, id }: JobKey,
  { type, deleted, after, to }: MemberRange,
  limit: number,
): Promise<MemberPage> {
  const bound = { space, job: id, deleted, type, after, to, limit, inline_bytes: inlineBytes(limit) };
  return toMemberPage(await database.run(bulk(space), READ, bound), type);
}

const NEXT_FILE = defineStatement(
  template(sql`
    select count(*)::int, max(x.sequence)::bigint
    from (select l.sequence, l.place, sum(l.bytes) over (order by l.sequence) as bytes
          from (select m.sequence, row_number() over (order by m.sequence) as place,
                       coalesce((select octet_length(v.body) from andiron.resource_version v
                                 where v.space = ${bind('space')}::int and v.resource_type = m.resource_type
                                   and v.resource_key = m.resource_key and v.version = m.version limit 1), 0)::bigint as bytes
                from (select m.* from andiron.export_member m
                      where ${IS_JOB} and m.deleted = ${bind('deleted')}::boolean
                        and m.resource_type = ${bind('type')}::smallint and m.sequence > ${bind('after')}::bigint
                      order by m.sequence limit ${bind('lines')}::int) m) l) x
    where x.bytes <= ${bind('bytes')}::bigint or x.place = 1
    limit 1`),
);

/** Limits of one file. */
export interface FileSize {
  readonly lines: number;
  readonly bytes: number;
}

/** Returns the next members of a type that fit into one file, and their number; undefined: there are none. */
export async function findNextFile(
  database: Database,
  { space, id }: JobKey,
  { type, deleted, after }: Omit<MemberRange, 'to'>,
  { lines, bytes }: FileSize,
): Promise<{ readonly count: number; readonly to: number } | undefined> {
  const bound = { space, job: id, deleted, type, after, lines, bytes };
  const [row] = await database.run(bulk(space), NEXT_FILE, bound);
  const [count, to] = (row ?? [0, null]) as [number, number | null];
  return to === null ? undefined : { count, to };
}

const TYPES = defineStatement(
  template(sql`
    with recursive found (deleted, resource_type) as (
      (select m.deleted, m.resource_type from andiron.export_member m where ${IS_JOB}
       order by m.deleted, m.resource_type limit 1)
      union all
      select n.deleted, n.resource_type from found f
      cross join lateral (
        select m.deleted, m.resource_type from andiron.export_member m
        where ${IS_JOB} and (m.deleted, m.resource_type) > (f.deleted, f.resource_type)
        order by m.deleted, m.resource_type limit 1) n
    )
    select f.deleted, f.resource_type from found f limit ${bind('limit')}::int`),
);

/** Returns the types with members, those that are not deleted first. */
export async function findMemberTypes(
  database: Database,
  { space, id }: JobKey,
  limit: number,
): Promise<readonly { readonly deleted: boolean; readonly type: number }[]> {
  const rows = await database.run(bulk(space), TYPES, { space, job: id, limit });
  return (rows as unknown as [boolean, number][]).map(([deleted, type]) => ({ deleted, type }));
}
