/** Removal of content, as the owner: in all spaces, or in those of a tenant. */
import { sql, type RawBuilder } from 'kysely';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Statement } from '../connection/statement';
import type { StoreName } from './contents';
import { NOTE_OBJECTS, OBJECT_COLUMNS } from './removed-content';

/** An object that must be deleted. */
export interface NotedObject {
  /** The space that it had. */
  readonly space: number;
  readonly store: StoreName;
  /** `{space}/{id}` */
  readonly object: string;
  /** True: its process may still be writing, and it is deleted once more later. */
  readonly again: boolean;
}

/** Contents of one round. */
const CONTENTS_AT_ONCE = 100;
/** Chunks that one statement deletes: 64 MB. */
const CHUNKS_AT_ONCE = 64;
const OBJECTS_AT_ONCE = 100;

function unnamed(raw: RawBuilder<unknown>): Statement {
  return defineStatement(template(raw), { named: false });
}

/** Its writer was silent, or its job has failed, was cancelled or is gone. */
const isAbandoned = (space: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  o.version is null and not o.dead and (
    ((o.job is null or o.size is null) and o.beat < now() - ${bind('silence')}::int * interval '1 second')
    or (o.job is not null and not exists (
      select 1 from andiron.job j
      where j.space = ${space} and j.id = o.job and j.state in ('queued', 'running', 'done'))))`;
const SPACES_TO_MARK = unnamed(sql`
  select distinct f.space from (
    select o.space from andiron.content o where ${isAbandoned(sql`o.space`)} limit ${sql.lit(CONTENTS_AT_ONCE)}) f`);
/** No version can claim a content that is marked; one that is being claimed is not waited for. */
const MARK = unnamed(sql`
  update andiron.content c set dead = true
  where c.space = ${bind('space')}::int and c.version is null and c.id = any (array(
    select o.id from andiron.content o
    where o.space = ${bind('space')}::int and ${isAbandoned(sql`${bind('space')}::int`)}
    limit ${sql.lit(CONTENTS_AT_ONCE)} for update skip locked))`);
const DEAD = unnamed(sql`
  select c.space, c.id::text from andiron.content c where c.version is null and c.dead
  limit ${sql.lit(CONTENTS_AT_ONCE)}`);
const MARK_OF_JOBS = unnamed(sql`
  update andiron.content c set dead = true
  where c.space = any (${bind('spaces')}::int[]) and c.job is not null and c.version is null and not c.dead`);
const DEAD_OF_JOBS = unnamed(sql`
  select c.space, c.id::text from andiron.content c
  where c.space = any (${bind('spaces')}::int[]) and c.job is not null and c.version is null and c.dead
  limit ${sql.lit(CONTENTS_AT_ONCE)}`);
const REMOVE_CHUNKS = unnamed(sql`
  with removed as (
    delete from andiron.content_chunk k
    where k.space = ${bind('space')}::int and k.content = ${bind('id')}::uuid and k.number = any (array(
      select o.number from andiron.content_chunk o
      where o.space = ${bind('space')}::int and o.content = ${bind('id')}::uuid
      order by o.number limit ${sql.lit(CHUNKS_AT_ONCE)}))
    returning 1)
  select count(*)::int from removed`);
const REMOVE = unnamed(sql`
  with removed as (
    delete from andiron.content c
    where c.space = ${bind('space')}::int and c.id = ${bind('id')}::uuid and c.version is null and c.dead
    returning ${OBJECT_COLUMNS})
  ${NOTE_OBJECTS}`);

/** Removes contents of all spaces that belong to nothing and whose writer was silent for `silence` seconds. */
export async function removeDeadContents(session: OwnerSession, silence: number): Promise<number> {
  for (const [space] of await session.run(SPACES_TO_MARK, { silence }))
    await session.run(MARK, { space: Number(space), silence });
  return removeEach(session, await session.run(DEAD));
}

/**
 * Gives up all files of the jobs of a space, also those that are being written. A sweep removes them. The transaction must have
 * locked the state of the space before (begin_job_content.sql).
 */
export async function giveUpContentsOfJobs(session: OwnerSession, space: number): Promise<void> {
  await session.run(MARK_OF_JOBS, { spaces: [space] });
}

/** Removes all files of the jobs of some spaces, also those that are being written. Returns their number. */
export async function removeContentsOfJobs(
  session: OwnerSession,
  spaces: readonly number[],
): Promise<number> {
  const bound = { spaces: [...spaces] };
  await session.run(MARK_OF_JOBS, bound);
  for (let removed = 0; ;) {
    const some = await removeEach(session, await session.run(DEAD_OF_JOBS, bound));
    if (some === 0) return removed;
    removed += some;
  }
}

async function removeEach(session: OwnerSession, dead: readonly (readonly unknown[])[]): Promise<number> {
  for (const [space, id] of dead as readonly (readonly [number, string])[]) {
    for (;;) {
      const [row] = await session.run(REMOVE_CHUNKS, { space, id });
      if (Number(row?.[0] ?? 0) === 0) break;
    }
    await session.run(REMOVE, { space, id });
  }
  return dead.length;
}

const OF_SPACES = sql`r.of_space = any (${bind('spaces')}::int[])`;
const IS_OBJECT = sql`
  r.of_space = ${bind('space')}::int and r.store = ${bind('store')} and r.object = ${bind('object')}`;

const noted = (condition: RawBuilder<unknown>): Statement =>
  unnamed(sql`
    select r.of_space, r.store, r.object, r.again from andiron.content_removal r
    where r.due <= now() and ${condition}
    order by r.due limit ${sql.lit(OBJECTS_AT_ONCE)}`);
const NOTED = noted(sql`true`);
const NOTED_OF_SPACES = noted(OF_SPACES);
const REMOVED = unnamed(sql`
  delete from andiron.content_removal r
  where ${IS_OBJECT} and not r.again`);
const REMOVED_ONCE = unnamed(sql`
  update andiron.content_removal r set again = false, due = now() + interval '1 hour'
  where ${IS_OBJECT} and r.again`);
const FAILED = unnamed(sql`
  update andiron.content_removal r set due = now() + interval '1 minute'
  where ${IS_OBJECT}`);
const COUNT_NOTED = unnamed(
  sql`select count(*)::int from andiron.content_removal r where r.due <= now() + interval '2 minutes' and ${OF_SPACES}`,
);

/** Reads objects that must be deleted now: all, or those of some spaces. */
export async function readNotedObjects(
  session: OwnerSession,
  spaces?: readonly number[],
): Promise<readonly NotedObject[]> {
  const rows =
    spaces === undefined
      ? await session.run(NOTED)
      : await session.run(NOTED_OF_SPACES, { spaces: [...spaces] });
  return (rows as [number, StoreName, string, boolean][]).map(([space, store, object, again]) => ({
    ...{ space, store, object, again },
  }));
}

/** Forgets an object that was deleted, or notes that it is deleted once more in an hour. */
export async function objectRemoved(
  session: OwnerSession,
  { space, store, object, again }: NotedObject,
): Promise<void> {
  await session.run(again ? REMOVED_ONCE : REMOVED, { space, store, object });
}

/** Postpones the deletion of an object that failed. */
export async function objectNotRemoved(
  session: OwnerSession,
  { space, store, object }: NotedObject,
): Promise<void> {
  await session.run(FAILED, { space, store, object });
}

/** Counts the objects of some spaces that are left to delete, without those that were deleted once. */
export async function countNotedObjects(session: OwnerSession, spaces: readonly number[]): Promise<number> {
  const [row] = await session.run(COUNT_NOTED, { spaces: [...spaces] });
  return Number(row?.[0] ?? 0);
}
