/** Adds versions with given sequences, as the owner; writers get theirs from store_versions. */
import { sql, type RawBuilder } from 'kysely';
import { fhirError } from '../../errors';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Statement } from '../connection/statement';
import { CHANGE, type Change, type UnopenedReference } from '../write/version-write';

export interface ImportedVersion {
  readonly type: number;
  /** Decimal form of the 64-bit key. */
  readonly key: string;
  /** Null where the key stands for the id. */
  readonly id: string | null;
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly lastUpdated: number;
  readonly sequence: number;
  readonly change: Change;
  /** Null stands for `anonymous`. */
  readonly author: string | null;
  /** Null for a deletion. */
  readonly body: string | null;
  readonly metaOffset: number;
  /** References of the version that open nothing. */
  readonly unopened: readonly UnopenedReference[];
  /** Its content, if it is stored apart. */
  readonly content?: { readonly id: string } | undefined;
}

function unnamed(raw: RawBuilder<unknown>): Statement {
  return defineStatement(template(raw), { named: false });
}

const ADD_VERSIONS = defineStatement(
  template(sql`
    insert into andiron.resource_version
      (space, version, resource_key, last_updated, sequence, meta_offset, resource_type, change, id, author, body)
    select ${bind('space')}::int, x.*
    from unnest(${bind('versions')}::int[], ${bind('keys')}::bigint[], ${bind('last_updated')}::bigint[],
                ${bind('sequences')}::bigint[], ${bind('meta_offsets')}::int[], ${bind('types')}::smallint[],
                ${bind('changes')}::smallint[], ${bind('ids')}::text[], ${bind('authors')}::text[],
                ${bind('bodies')}::text[]) as x`),
);

/** Heads without values from the texts, which a reindex adds. */
const ADD_HEADS = defineStatement(
  template(sql`
    insert into andiron.resource as r
      (space, version, resource_key, last_updated, resource_type, deleted, id, sort_date, presence)
    select ${bind('space')}::int, x.version, x.resource_key, x.last_updated, x.resource_type, x.change = ${sql.lit(CHANGE.delete)},
           x.id, -9223372036854775808, ''::bytea
    from unnest(${bind('versions')}::int[], ${bind('keys')}::bigint[], ${bind('last_updated')}::bigint[],
                ${bind('types')}::smallint[], ${bind('changes')}::smallint[], ${bind('ids')}::text[])
      as x (version, resource_key, last_updated, resource_type, change, id)
    on conflict (space, resource_type, resource_key) do update
      set version = excluded.version, last_updated = excluded.last_updated, deleted = excluded.deleted
      where excluded.version > r.version`),
);

/** Counts versions for the quota of the tenant, before their heads are added. */
const COUNT = unnamed(sql`
  update andiron.change_counter k
     set bytes = k.bytes + ${bind('bytes')}::bigint,
         resources = k.resources + ${bind('present')}::int - (
           select count(*) from andiron.resource r
           join unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[]) as x (resource_type, resource_key)
             using (resource_type, resource_key)
           where r.space = ${bind('space')}::int and not r.deleted)
    from andiron.space s where s.number = ${bind('space')}::int and k.tenant = s.counter`);

const ADD_UNOPENED = unnamed(sql`
  insert into andiron.unopened_reference (space, resource_type, resource_key, version, target_type, target_key)
  select ${bind('space')}::int, x.*
  from unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[], ${bind('versions')}::int[],
              ${bind('target_types')}::smallint[], ${bind('target_keys')}::bigint[]) as x`);

const CLAIM_CONTENT = unnamed(sql`
  with claimed as (
    update andiron.content c set resource_type = x.resource_type, resource_key = x.resource_key, version = x.version
    from unnest(${bind('ids')}::uuid[], ${bind('types')}::smallint[], ${bind('keys')}::bigint[], ${bind('versions')}::int[])
      as x (id, resource_type, resource_key, version)
    where c.space = ${bind('space')}::int and c.id = x.id and c.size is not null and not c.dead and c.version is null
    returning c.size),
  counted as (
    update andiron.change_counter k set bytes = k.bytes + (select coalesce(sum(d.size), 0) from claimed d)
    from andiron.space s where s.number = ${bind('space')}::int and k.tenant = s.counter returning 1)
  select count(*)::int from claimed`);

const HAS_CONTENT = unnamed(sql`
  select 1 from andiron.content c
  where c.space = ${bind('space')}::int and c.resource_type = ${bind('type')}::smallint
    and c.resource_key = ${bind('key')}::bigint and c.version = ${bind('version')}::int and c.size = ${bind('size')}::bigint
  limit 1`);

/** True if a version that was added has a content of the size. */
export async function hasContent(
  session: OwnerSession,
  space: number,
  of: Pick<ImportedVersion, 'type' | 'key' | 'version'> & { readonly size: number },
): Promise<boolean> {
  const { type, key, version, size } = of;
  return (await session.run(HAS_CONTENT, { space, type, key, version, size })).length > 0;
}

/** Adds versions, in the order of their sequences, and the heads of their resources, in one transaction. */
export async function addVersions(
  session: OwnerSession,
  space: number,
  versions: readonly ImportedVersion[],
): Promise<void> {
  if (versions.length === 0) return;
  const heads = [...new Map(versions.map((one) => [`${one.type} ${one.key}`, one])).values()];
  await session.transaction(async () => {
    await session.run(ADD_VERSIONS, {
      ...bindHeads(space, versions),
      sequences: versions.map(({ sequence }) => sequence),
      meta_offsets: versions.map(({ metaOffset }) => metaOffset),
      authors: versions.map(({ author }) => author),
      bodies: versions.map(({ body }) => body),
    });
    await session.run(COUNT, {
      space,
      types: heads.map(({ type }) => type),
      keys: heads.map(({ key }) => key),
      present: heads.filter(({ change }) => change !== 'delete').length,
      bytes: versions.reduce((sum, { body }) => sum + Buffer.byteLength(body ?? ''), 0),
    });
    await session.run(ADD_HEADS, bindHeads(space, heads));
    const having = versions.flatMap(({ content, type, key, version }) =>
      content === undefined ? [] : [{ id: content.id, type, key, version }],
    );
    if (having.length > 0) {
      const [row] = await session.run(CLAIM_CONTENT, {
        space,
        ids: having.map(({ id }) => id),
        types: having.map(({ type }) => type),
        keys: having.map(({ key }) => key),
        versions: having.map(({ version }) => version),
      });
      if (row?.[0] !== having.length) throw fhirError('contentUnavailable');
    }
    const unopened = versions.flatMap(({ unopened: of, ...version }) =>
      of.map((each) => ({ ...version, ...each })),
    );
    if (unopened.length === 0) return;
    await session.run(ADD_UNOPENED, {
      space,
      types: unopened.map(({ type }) => type),
      keys: unopened.map(({ key }) => key),
      versions: unopened.map(({ version }) => version),
      target_types: unopened.map(({ targetType }) => targetType),
      target_keys: unopened.map(({ targetKey }) => targetKey),
    });
  });
}

function bindHeads(
  space: number,
  versions: readonly ImportedVersion[],
): Record<string, number | (number | string | null)[]> {
  return {
    space,
    versions: versions.map(({ version }) => version),
    keys: versions.map(({ key }) => key),
    last_updated: versions.map(({ lastUpdated }) => lastUpdated),
    types: versions.map(({ type }) => type),
    changes: versions.map(({ change }) => CHANGE[change]),
    ids: versions.map(({ id }) => id),
  };
}

const HAS_LONG_SEQUENCES = unnamed(sql`
  select a.atttypid = 'bigint'::regtype from pg_attribute a
  where a.attrelid = 'andiron.change_counter'::regclass and a.attname = 'last_sequence' limit 1`);

/** The largest version-sequence that the database can store. */
export async function readSequenceLimit(session: OwnerSession): Promise<number> {
  const [row] = await session.run(HAS_LONG_SEQUENCES, {});
  return row?.[0] === true ? Number.MAX_SAFE_INTEGER : 2 ** 31 - 1;
}

const USE_SEQUENCES = unnamed(sql`
  update andiron.space_state t set purged_to = greatest(t.purged_to, ${bind('last')}::bigint),
                                   unversioned_changes = t.unversioned_changes + 1
  where t.space = ${bind('space')}::int`);
const SET_COUNTER = unnamed(sql`
  update andiron.change_counter c set last_sequence = greatest(c.last_sequence, ${bind('last')}::bigint)
  from andiron.space s where s.number = ${bind('space')}::int and c.tenant = s.counter`);
const ACTIVATE = unnamed(
  sql`update andiron.tenant set status = 'active', policies = ${bind('policies')}::jsonb where number = ${bind('tenant')}::int and status = 'importing'`,
);

/** Activates the tenant; its next change gets a sequence above all imported ones. `policies`: JSON. */
export async function endImport(
  session: OwnerSession,
  tenant: number,
  spaces: readonly { readonly space: number; readonly last: number }[],
  policies: string,
): Promise<void> {
  await session.transaction(async () => {
    for (const { space, last } of spaces) await session.run(USE_SEQUENCES, { space, last });
    for (const { space, last } of spaces) await session.run(SET_COUNTER, { space, last });
    await session.run(ACTIVATE, { tenant, policies });
  });
}
