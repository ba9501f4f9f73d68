/** Large content (docs/understand/storage.md, Large content): its rows, and its bytes where the database has them. */
import { sql } from 'kysely';
import type { Database, Run } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import type { KeyHalves } from '../key-halves';
import { keyText } from '../read/version-row';

export type StoreName = 'database' | 'folder' | 'bucket';

/** Identifies a content among all spaces; the id is a UUID. */
export interface ContentKey {
  readonly space: number;
  readonly id: string;
}

/** A content that is whole. */
export interface StoredContent {
  readonly id: string;
  readonly store: StoreName;
  /** Number of bytes. */
  readonly size: number;
}

/** The version of a resource that a content belongs to, by numbers. */
export interface ContentOwner {
  readonly type: number;
  readonly key: KeyHalves;
  readonly version: number;
}

/** Bytes of a chunk; the last one of a content may have fewer. */
export const CHUNK_BYTES = 1024 * 1024;

const BEGIN = defineStatement(
  template(sql`
    select andiron.begin_content(${bind('space')}::int, ${bind('id')}::uuid, ${bind('store')}, ${bind('least')}::bigint)`),
);
const RENEW = defineStatement(
  template(sql`
    update andiron.content c set beat = now()
    where c.space = ${bind('space')}::int and c.id = ${bind('id')}::uuid and not c.dead
    returning 1`),
);
const FINISH = defineStatement(
  template(sql`
    update andiron.content c set beat = now(), size = ${bind('size')}::bigint, digest = ${bind('digest')}::bytea
    where c.space = ${bind('space')}::int and c.id = ${bind('id')}::uuid and not c.dead
    returning 1`),
);
/** A content that belongs to a version is never given up. */
const GIVE_UP = defineStatement(
  template(sql`
    update andiron.content c set dead = true
    where c.space = ${bind('space')}::int and c.id = ${bind('id')}::uuid and c.version is null
    returning 1`),
);
const BEGIN_OF_JOB = defineStatement(
  template(sql`
    select andiron.begin_job_content(${bind('space')}::int, ${bind('id')}::uuid, ${bind('store')}, ${bind('job')},
      ${bind('file')})`),
);
const FIND_OF_JOB = defineStatement(
  template(sql`
    select c.file, c.id::text, c.store, c.size from andiron.content c
    where c.space = ${bind('space')}::int and c.job = ${bind('job')} and c.file = any (${bind('files')}::text[])
      and c.size is not null and not c.dead
    limit ${bind('limit')}::int`),
);
const KEEP_OF_JOB = defineStatement(
  template(sql`
    update andiron.content c set dead = true
    where c.space = ${bind('space')}::int and c.job = ${bind('job')} and not c.dead and c.version is null
      and (c.size is null or c.file is null or not c.file = any (${bind('files')}::text[]))
    returning 1`),
);
const ADD_CHUNK = defineStatement(
  template(sql`
    insert into andiron.content_chunk (space, content, number, bytes)
    values (${bind('space')}::int, ${bind('id')}::uuid, ${bind('number')}::int, ${bind('bytes')}::bytea)`),
);
const READ_CHUNK = defineStatement(
  template(sql`
    select substring(c.bytes from ${bind('start')}::int + 1 for ${bind('count')}::int) from andiron.content_chunk c
    where c.space = ${bind('space')}::int and c.content = ${bind('id')}::uuid and c.number = ${bind('number')}::int
    limit 1`),
);
const FIND = defineStatement(
  template(sql`
    select c.id::text, c.store, c.size from andiron.content c
    where c.space = ${bind('space')}::int and c.id = ${bind('id')}::uuid and c.size is not null and not c.dead limit 1`),
);
const FIND_OF_VERSION = defineStatement(
  template(sql`
    select c.id::text, c.store, c.size from andiron.content c
    where c.space = ${bind('space')}::int and c.resource_type = ${bind('type')}::smallint
      and c.resource_key = ${bind('key')}::bigint and c.version = ${bind('version')}::int
    limit 1`),
);
const CLAIM = defineStatement(
  template(sql`
    select andiron.claim_content(${bind('space')}::int, ${bind('id')}::uuid, ${bind('type')}::smallint,
      ${bind('key')}::bigint, ${bind('version')}::int)`),
);
const HAVE_TO_REMOVE = defineStatement(
  template(sql`select andiron.have_content_to_remove(${bind('silence')}::int)`),
);

type Reading = Pick<Database, 'run'>;

const context = (space: number) => ({ lane: 'search', space }) as const;

/**
 * Begins a content that belongs to nothing yet. False: the tenant is being removed. **Throws** quotaExceeded where it may not
 * store `least` bytes more.
 */
export async function beginContent(
  database: Reading,
  { space, id }: ContentKey,
  store: StoreName,
  least: number,
): Promise<boolean> {
  const [row] = await database.run(context(space), BEGIN, { space, id, store, least });
  return row?.[0] === true;
}

/** Says that the content is still being written. False: it was given up meanwhile. */
export async function renewContent(database: Reading, { space, id }: ContentKey): Promise<boolean> {
  return (await database.run(context(space), RENEW, { space, id })).length > 0;
}

/** Stores the size and SHA-256 of a content that is written. False: it was given up meanwhile. */
export async function finishContent(
  database: Reading,
  { space, id }: ContentKey,
  { size, digest }: { readonly size: number; readonly digest: Buffer },
): Promise<boolean> {
  return (await database.run(context(space), FINISH, { space, id, size, digest })).length > 0;
}

/** Gives a content up that belongs to no version; the next sweep removes it. */
export async function giveUpContent(database: Reading, { space, id }: ContentKey): Promise<boolean> {
  return (await database.run(context(space), GIVE_UP, { space, id })).length > 0;
}

/** A file of a job, by its name among those of the job. */
export interface JobFile {
  readonly job: string;
  readonly file: string;
}

/**
 * Begins a content that is a file of a job, and is kept as long as the job exists and has not failed. False: the job or its tenant is
 * removed, or the file was begun by another process.
 */
export async function beginJobContent(
  database: Reading,
  { space, id }: ContentKey,
  store: StoreName,
  { job, file }: JobFile,
): Promise<boolean> {
  const [row] = await database.run(context(space), BEGIN_OF_JOB, { space, id, store, job, file });
  return row?.[0] === true;
}

/** Finds those of some files of a job that are whole, by their names. */
export async function findContentsOfJob(
  database: Reading,
  space: number,
  job: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, StoredContent>> {
  const bound = { space, job, files: [...files], limit: files.length };
  const rows = await database.run(context(space), FIND_OF_JOB, bound);
  return new Map(
    (rows as unknown as [string, string, StoreName, number][]).map(([file, id, store, size]) => [
      file,
      { id, store, size },
    ]),
  );
}

/** Gives up the files of a job that are not whole, or have none of the names. Returns their number. */
export async function keepContentsOfJob(
  database: Reading,
  space: number,
  job: string,
  files: readonly string[],
): Promise<number> {
  return (await database.run(context(space), KEEP_OF_JOB, { space, job, files: [...files] })).length;
}

export async function addChunk(
  database: Reading,
  { space, id }: ContentKey,
  number: number,
  bytes: Buffer,
): Promise<void> {
  await database.run(context(space), ADD_CHUNK, { space, id, number, bytes });
}

/** Reads `count` bytes of a chunk, or those up to its end; undefined: there is no such chunk. */
export async function readChunk(
  database: Reading,
  { space, id }: ContentKey,
  { number, start, count }: { readonly number: number; readonly start: number; readonly count: number },
): Promise<Buffer | undefined> {
  const [row] = await database.run(context(space), READ_CHUNK, { space, id, number, start, count });
  const bytes = row?.[0];
  return Buffer.isBuffer(bytes) ? bytes : undefined;
}

/** Finds a content that is whole. */
export async function findContent(
  database: Reading,
  { space, id }: ContentKey,
): Promise<StoredContent | undefined> {
  return toStored(await database.run(context(space), FIND, { space, id }));
}

/** Finds the content of a version. */
export async function findContentOf(
  database: Reading,
  space: number,
  { type, key, version }: ContentOwner,
): Promise<StoredContent | undefined> {
  return toStored(
    await database.run(context(space), FIND_OF_VERSION, { space, type, key: keyText(key), version }),
  );
}

function toStored([row]: readonly (readonly unknown[])[]): StoredContent | undefined {
  if (row === undefined) return undefined;
  const [id, store, size] = row as readonly [string, StoreName, number];
  return { id, store, size };
}

/**
 * Gives a content to a version, in the transaction that writes the version. False: it was given up meanwhile, and the
 * transaction must fail. **Throws** quotaExceeded.
 */
export async function claimContent(
  run: Run,
  { space, id }: ContentKey,
  { type, key, version }: ContentOwner,
): Promise<boolean> {
  const [row] = await run(CLAIM, { space, id, type, key: keyText(key), version });
  return row?.[0] === true;
}

/** True if content or objects must be removed, whose writer was silent for `silence` seconds. */
export async function haveContentToRemove(database: Reading, silence: number): Promise<boolean> {
  const [row] = await database.run({ lane: 'search', space: undefined }, HAVE_TO_REMOVE, { silence });
  return row?.[0] === true;
}
