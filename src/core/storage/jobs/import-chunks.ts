/** The chunks of lines of imports: each is a unit of progress, which changes in the transaction that writes its lines. */
import { sql } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import type { Database, Row, Run } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import { bulk } from './bulk-statements';
import type { ImportPart, RefusedLine } from './import-part';
import type { JobKey } from './jobs';

/** A chunk that is to be stored. */
export interface NewChunk {
  readonly file: number;
  readonly number: number;
  /** Number of its first line in the file, from 1. */
  readonly firstLine: number;
  /** Its lines that are not empty, by their places in it. */
  readonly places: readonly number[];
  /** Its text, gzipped. */
  readonly content: Buffer;
  /** Lines that are refused before they are read; their places are not among `places`. */
  readonly refused: readonly RefusedLine[];
}

export interface ChunkName {
  readonly file: number;
  readonly number: number;
}

/** A chunk with lines that are left. */
export interface StoredChunk extends ChunkName {
  readonly firstLine: number;
  readonly content: Buffer;
  readonly pass: number;
  readonly step: number;
  /** Places of the lines that are left in this pass. */
  readonly todo: readonly number[];
  readonly waiting: readonly number[];
}

/** The part was written before: by an attempt whose answer was lost, or by another process. */
export class ImportPartWritten extends Error {}

const OF_JOB = sql`c.space = ${bind('space')}::int and c.id = ${bind('id')}`;
const IS_CHUNK = sql`${OF_JOB} and c.file = ${bind('file')}::int and c.number = ${bind('number')}::int`;
const CHUNKS_AT_ONCE = 1_000;

const NOTE_ERRORS = sql`
  insert into andiron.import_error (space, id, file, line, outcome)
  select ${bind('space')}::int, ${bind('id')}, ${bind('file')}::int, x.line, x.outcome
  from unnest(${bind('error_lines')}::int[], ${bind('outcomes')}::text[]) as x (line, outcome)`;
const ADD = defineStatement(
  template(sql`
    with errors as (${NOTE_ERRORS} on conflict do nothing)
    insert into andiron.import_chunk (space, id, file, number, first_line, lines, content, todo, pending, failed)
    values (${bind('space')}::int, ${bind('id')}, ${bind('file')}::int, ${bind('number')}::int,
            ${bind('first_line')}::int, ${bind('lines')}::int, ${bind('content')}::bytea, ${bind('todo')}::int[],
            ${bind('pending')}::int, ${bind('failed')}::int)
    on conflict do nothing returning 1`),
  { named: false },
);
const LIST = defineStatement(
  template(sql`
    select c.file, c.number from andiron.import_chunk c
    where ${OF_JOB} and c.pending > 0 and c.pass = ${bind('pass')}::int
      and (c.file, c.number) > (${bind('after_file')}::int, ${bind('after_number')}::int)
    order by c.file, c.number limit ${sql.lit(CHUNKS_AT_ONCE)}`),
);
const LIST_WAITING = defineStatement(
  template(sql`
    select c.file, c.number from andiron.import_chunk c
    where ${OF_JOB} and c.pending > 0 and (c.pass > ${bind('pass')}::int or c.waiting <> '{}')
      and (c.file, c.number) > (${bind('after_file')}::int, ${bind('after_number')}::int)
    order by c.file, c.number limit ${sql.lit(CHUNKS_AT_ONCE)}`),
);
const PENDING = defineStatement(
  template(sql`
    select min(c.pass), coalesce(sum(c.pending), 0)::bigint from andiron.import_chunk c where ${OF_JOB} and c.pending > 0`),
);
const READ = defineStatement(
  template(sql`
    select c.first_line, c.content, c.pass, c.step, c.todo, c.waiting from andiron.import_chunk c
    where ${IS_CHUNK} and c.pending > 0 and c.content is not null limit 1`),
);
/** Nothing is noted unless the chunk is as it was read. */
const WRITE_PART = defineStatement(
  template(sql`
    with held as (
      update andiron.import_chunk c
         set step = c.step + 1, pass = ${bind('pass')}::int, todo = ${bind('todo')}::int[],
             waiting = ${bind('waiting')}::int[], pending = ${bind('pending')}::int,
             content = case when ${bind('pending')}::int > 0 then c.content end,
             written = c.written + ${bind('written')}::int, failed = c.failed + ${bind('failed')}::int
       where ${IS_CHUNK} and c.step = ${bind('step')}::int
      returning 1
    ), errors as (${NOTE_ERRORS} where exists (select from held) on conflict do nothing)
    select 1 from held`),
);

/** False: another process has stored it. */
export async function addChunk(
  database: Database,
  { space, id }: JobKey,
  { file, number, firstLine, places, content, refused }: NewChunk,
): Promise<boolean> {
  const added = await database.run(bulk(space), ADD, {
    ...{ space, id, file, number, content, first_line: firstLine },
    ...{ todo: [...places], pending: places.length, failed: refused.length },
    lines: places.length + refused.length,
    ...encodeErrors(refused),
  });
  return added.length > 0;
}

/** Yields the chunks of a pass with lines that are left, in the order of the files. */
export function listChunks(database: Database, job: JobKey, pass: number): AsyncGenerator<ChunkName, void> {
  return listed(database, LIST, job, pass);
}

/** Yields the chunks with lines that have waited in a pass. */
export function listWaiting(database: Database, job: JobKey, pass: number): AsyncGenerator<ChunkName, void> {
  return listed(database, LIST_WAITING, job, pass);
}

async function* listed(
  database: Database,
  statement: typeof LIST,
  { space, id }: JobKey,
  pass: number,
): AsyncGenerator<ChunkName, void> {
  let [file, number] = [-1, -1];
  for (;;) {
    const bound = { space, id, pass, after_file: file, after_number: number };
    const rows = await database.run(bulk(space), statement, bound);
    for (const row of rows as [number, number][]) {
      [file, number] = row;
      yield { file, number };
    }
    if (rows.length < CHUNKS_AT_ONCE) return;
  }
}

/** Returns the first pass with lines that are left, and how many are left in all passes; undefined: none. */
export async function readPending(
  database: Database,
  { space, id }: JobKey,
): Promise<{ readonly pass: number; readonly lines: number } | undefined> {
  const [row] = await database.run(bulk(space), PENDING, { space, id });
  const [pass, lines] = row as [number | null, number];
  return pass === null ? undefined : { pass, lines };
}

/** Undefined: nothing is left of the chunk, or its job has ended. */
export async function readChunk(
  database: Database,
  { space, id }: JobKey,
  { file, number }: ChunkName,
): Promise<StoredChunk | undefined> {
  const [row] = await database.run(bulk(space), READ, { space, id, file, number });
  if (row === undefined) return undefined;
  const [firstLine, content, pass, step, todo, waiting] = row as [
    number,
    Buffer,
    number,
    number,
    number[],
    number[],
  ];
  return { file, number, firstLine, content, pass, step, todo, waiting };
}

/** Stores what became of some lines of a chunk. Throws `ImportPartWritten` unless the chunk is at the step of the part. */
export async function writePart(run: Run, space: number, part: ImportPart): Promise<void> {
  const { id, file, number, step, pass, todo, waiting, written, refused, unlisted } = part;
  const rows: readonly Row[] = await run(WRITE_PART, {
    ...{ space, id, file, number, step, pass, written, todo: [...todo], waiting: [...waiting] },
    pending: todo.length + waiting.length,
    failed: refused.length + unlisted,
    ...encodeErrors(refused),
  });
  if (rows.length === 0) throw new ImportPartWritten();
}

function encodeErrors(refused: readonly RefusedLine[]): {
  readonly error_lines: Buffer;
  readonly outcomes: Buffer;
} {
  const lines = new BinaryArray('int4');
  const outcomes = new BinaryArray('text');
  for (const { line, outcome } of refused) {
    lines.pushInt4(line);
    outcomes.pushBytes(Buffer.from(outcome));
  }
  return { error_lines: lines.finish(), outcomes: outcomes.finish() };
}

const RENEW = defineStatement(template(sql`select andiron.renew_job(${bind('space')}::int, ${bind('id')})`), {
  named: false,
});

/** Notes that a job has made progress since its process has begun it. */
export async function renewJob(database: Database, { space, id }: JobKey): Promise<void> {
  await database.run({ lane: 'search', space }, RENEW, { space, id });
}
