/** The files of imports, and what was refused in them (docs/understand/storage.md): statements about one job of a space. */
import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import type { JobKey } from './jobs';

/** A file of an import, with the lines that were counted so far. */
export interface ImportedFile {
  readonly file: number;
  readonly name: string;
  /** True: all its lines are stored as chunks, or its failure is known. */
  readonly isReceived: boolean;
  /** Without its coding. */
  readonly bytes: number;
  /** Lines that are not empty. */
  readonly lines: number;
  /** Lines that are neither written nor refused. */
  readonly pending: number;
  readonly written: number;
  /** Lines that were refused. */
  readonly failed: number;
  /** Why the file could not be read. */
  readonly failure: string | undefined;
}

const MOST_FILES = 10_000;
const OF_JOB = sql`space = ${bind('space')}::int and id = ${bind('id')}`;
const OF_FILE = sql`${OF_JOB} and file = ${bind('file')}::int`;

const ADD_FILES = defineStatement(
  template(sql`
    insert into andiron.import_file (space, id, file, name)
    select ${bind('space')}::int, ${bind('id')}, (x.file - 1)::int, x.name
    from unnest(${bind('names')}::text[]) with ordinality as x (name, file)
    on conflict do nothing`),
  { named: false },
);
const READ_FILES = defineStatement(
  template(sql`
    select f.file, f.name, f.received, f.bytes, coalesce(c.lines, 0), coalesce(c.pending, 0), coalesce(c.written, 0),
           coalesce(c.failed, 0), f.failure
    from andiron.import_file f
    left join (
      select c.file, sum(c.lines)::bigint as lines, sum(c.pending)::bigint as pending, sum(c.written)::bigint as written,
             sum(c.failed)::bigint as failed
      from andiron.import_chunk c where c.space = ${bind('space')}::int and c.id = ${bind('id')} group by c.file
    ) c on c.file = f.file
    where f.space = ${bind('space')}::int and f.id = ${bind('id')} order by f.file limit ${sql.lit(MOST_FILES)}`),
);
const FORGET_CHUNKS = defineStatement(
  template(sql`
    with chunks as (delete from andiron.import_chunk where ${OF_FILE}),
    errors as (delete from andiron.import_error where ${OF_FILE})
    update andiron.import_file set received = false, bytes = 0, failure = null where ${OF_FILE}`),
  { named: false },
);
const RECEIVED = defineStatement(
  template(sql`
    update andiron.import_file set received = true, bytes = ${bind('bytes')}::bigint, failure = ${bind('failure')}::text
    where ${OF_FILE} and ${bind('chunks')}::int = (select count(*) from andiron.import_chunk c where c.space = ${bind('space')}::int
      and c.id = ${bind('id')} and c.file = ${bind('file')}::int)
    returning 1`),
  { named: false },
);

/** Adds the files of a job in their order, by their names; those that it has stay as they are. */
export async function addFiles(
  database: Database,
  { space, id }: JobKey,
  names: readonly string[],
): Promise<void> {
  await database.run({ lane: 'search', space }, ADD_FILES, { space, id, names });
}

/** Returns the files in their order. Cost: one statement, which sums the chunks of the job. */
export async function readFiles(database: Database, { space, id }: JobKey): Promise<readonly ImportedFile[]> {
  const rows = await database.run({ lane: 'search', space }, READ_FILES, { space, id });
  const files = rows as [number, string, boolean, number, number, number, number, number, string | null][];
  return files.map(([file, name, isReceived, bytes, lines, pending, written, failed, failure]) => ({
    ...{ file, name, isReceived, bytes, lines, pending, written, failed },
    failure: failure ?? undefined,
  }));
}

/** Forgets the chunks of a file that was received in part. */
export async function forgetChunks(database: Database, { space, id }: JobKey, file: number): Promise<void> {
  await database.run({ lane: 'search', space }, FORGET_CHUNKS, { space, id, file });
}

interface ReceivedFile {
  readonly file: number;
  readonly bytes: number;
  /** Chunks that were stored. */
  readonly chunks: number;
  readonly failure?: string;
}

/** Notes that all lines of a file are stored, or why they cannot be. False: another process stores it, or the job is gone. */
export async function noteReceived(
  database: Database,
  { space, id }: JobKey,
  { file, bytes, chunks, failure }: ReceivedFile,
): Promise<boolean> {
  const bound = { space, id, file, bytes, chunks, failure: failure ?? null };
  return (await database.run({ lane: 'search', space }, RECEIVED, bound)).length > 0;
}

const REQUIRE_SPACE = defineStatement(
  template(sql`select andiron.require_import_space(${bind('space')}::int, ${bind('more')}::bigint)`),
  { named: false },
);

/**
 * Throws quotaExceeded where the tenant may not store `bytes` more beside its versions and the lines of its imports. Cost: reads the
 * rows of the chunks of its open imports.
 */
export async function requireImportSpace(database: Database, space: number, bytes: number): Promise<void> {
  await database.run({ lane: 'search', space }, REQUIRE_SPACE, { space, more: bytes });
}

const ERRORS_AT_ONCE = 500;
const READ_ERRORS = defineStatement(
  template(sql`
    select e.line, e.outcome from andiron.import_error e
    where e.space = ${bind('space')}::int and e.id = ${bind('id')} and e.file = ${bind('file')}::int
      and e.line > ${bind('after')}::int
    order by e.line limit ${sql.lit(ERRORS_AT_ONCE)}`),
);

/** Yields the OperationOutcomes of the refused lines of a file, in the order of the lines. */
export async function* readErrors(
  database: Database,
  { space, id }: JobKey,
  file: number,
): AsyncGenerator<string, void> {
  for (let after = -1; ;) {
    const rows = await database.run({ lane: 'search', space }, READ_ERRORS, { space, id, file, after });
    for (const [line, outcome] of rows as [number, string][]) {
      after = line;
      yield outcome;
    }
    if (rows.length < ERRORS_AT_ONCE) return;
  }
}
