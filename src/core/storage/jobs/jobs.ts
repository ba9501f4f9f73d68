/** Jobs (docs/understand/storage.md): the statements of requests about the jobs of one space. */
import { sql } from 'kysely';
import type { JsonObject } from '../../fhir/json';
import type { PrimaryConnections } from '../connection/connections';
import type { Database, Row } from '../connection/database';
import { joinPieces, selectInPieces } from '../connection/long-text';
import { bind, defineStatement, template } from '../connection/statement';

/** The kind of asynchronous requests, of which a space may have any number. */
export const REQUEST = 'request';

export type StoredState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** A job that is to be stored. */
export interface NewStoredJob {
  readonly id: string;
  readonly kind: string;
  readonly request: object;
  /** Text that belongs to the request, or its bytes in UTF-8; it is kept until the end of the job. */
  readonly body?: string | Buffer | undefined;
  /** Bytes that belong to the request; they are kept until the end of the job. */
  readonly content?: Buffer | undefined;
  /** How often it may be begun, the first time included. */
  readonly mostRuns: number;
  /** Milliseconds until it is removed, ended or not; undefined: not before its end. */
  readonly keptMs?: number | undefined;
  /** Limit on the requests of the tenant, or on the ended jobs of other kinds that it keeps. */
  readonly most: number;
}

export interface StoredJob {
  readonly id: string;
  readonly kind: string;
  readonly state: StoredState;
  /** True: it was cancelled, and its process has not stopped it yet if it runs. */
  readonly isCancelled: boolean;
  /** Milliseconds since it was stored. */
  readonly age: number;
  /** Milliseconds since 1970, as the following ones. */
  readonly created: number;
  readonly started: number | undefined;
  readonly ended: number | undefined;
  readonly expires: number | undefined;
  readonly request: JsonObject;
  readonly progress: object | undefined;
  readonly result: object | undefined;
  /** Why it failed, for administrators. */
  readonly failure: string | undefined;
  /** The HTTP status of a request's answer. */
  readonly status: number | undefined;
}

/**
 * The kind of a job `j`. Exports and imports, of which a space may have several open ones, are stored as `export/{id}`: the index
 * `job_open` allows one of a stored kind.
 */
export const JOB_KIND = sql`split_part(j.kind, '/', 1)`;

/** How a job was cancelled: it is removed, it had not begun, or its process stops it at its next heartbeat. */
export type Cancelled = 'removed' | 'cancelled' | 'told';

/** Identifies a job among all spaces. */
export interface JobKey {
  readonly space: number;
  readonly id: string;
}

const ADD = defineStatement(
  template(sql`
    select andiron.add_job(${bind('space')}::int, ${bind('id')}, ${bind('kind')}, ${bind('most_runs')}::int,
      ${bind('kept')}::bigint, ${bind('most')}::int, ${bind('request')}::jsonb, ${bind('body')}::text,
      ${bind('content')}::bytea)`),
  { named: false },
);

/** Returns the answer of `ADD` if the job exists. */
const FIND_ADDED = defineStatement(
  template(sql`
    select j.id from andiron.job j
    where j.space = ${bind('space')}::int and j.id = ${bind('id')} limit 1`),
  { named: false },
);

const STATES = sql`
  select j.id, ${JOB_KIND}, j.state, j.cancelled, floor(extract(epoch from now() - j.created) * 1000)::bigint,
         floor(extract(epoch from j.created) * 1000)::bigint, floor(extract(epoch from j.started) * 1000)::bigint,
         floor(extract(epoch from j.ended) * 1000)::bigint, floor(extract(epoch from j.expires) * 1000)::bigint
  from andiron.job j
  where j.space = ${bind('space')}::int and ${JOB_KIND} = any (${bind('kinds')}::text[])
    and (j.expires is null or j.expires > now())`;

const FIND = defineStatement(template(sql`${STATES} and j.id = ${bind('id')} limit 1`));
const LIST = defineStatement(
  template(sql`${STATES} order by j.created desc, j.id limit ${bind('limit')}::int`),
);

const CONTENTS = defineStatement(
  template(sql`
    select c.id, c.request, c.progress, c.result, c.failure, c.status from andiron.job_content c
    where c.space = ${bind('space')}::int and c.id = any (${bind('ids')}::text[]) limit ${bind('limit')}::int`),
);

const CANCEL = defineStatement(
  template(sql`
    select andiron.cancel_job(${bind('space')}::int, ${bind('id')}, ${bind('kinds')}::text[],
      ${bind('removed')}::boolean)`),
);

const READ_ANSWER = defineStatement(
  template(
    selectInPieces(sql`
      select c.answer from andiron.job_content c
      where c.space = ${bind('space')}::int and c.id = ${bind('id')} and c.answer is not null limit 1`),
  ),
  { named: false },
);

const PIECE_BYTES = 1024 * 1024;
const READ_PIECE = defineStatement(
  template(sql`
    select substring(c.content from ${bind('start')}::int + 1 for ${sql.lit(PIECE_BYTES)})
    from andiron.job_content c
    where c.space = ${bind('space')}::int and c.id = ${bind('id')} and c.content is not null limit 1`),
);

/**
 * Adds a job. Returns its id, or that of the open job of the kind that the space has; undefined: the tenant has `most` requests
 * already. **Throws** notStored, maybeStored.
 */
export async function addJob(
  database: Pick<PrimaryConnections, 'write'>,
  space: number,
  { id, kind, request, body, content, mostRuns, keptMs, most }: NewStoredJob,
): Promise<string | undefined> {
  const bound = {
    ...{ space, id, kind, most, body: body ?? null, content: content ?? null },
    most_runs: mostRuns,
    kept: keptMs ?? null,
    request: JSON.stringify(request),
  };
  const [row] = await database.write('search', space, { statement: ADD, bound, find: FIND_ADDED });
  const added = row?.[0];
  return typeof added === 'string' ? added : undefined;
}

/** Finds a job of one of the kinds. **Cost**: two statements. */
export async function findJob(
  database: Database,
  { space, id }: JobKey,
  kinds: readonly string[],
): Promise<StoredJob | undefined> {
  const rows = await database.run({ lane: 'search', space }, FIND, { space, id, kinds });
  return (await withContents(database, space, rows))[0];
}

/** The newest first. **Cost**: two statements. */
export async function listJobs(
  database: Database,
  space: number,
  kinds: readonly string[],
  limit: number,
): Promise<readonly StoredJob[]> {
  const rows = await database.run({ lane: 'search', space }, LIST, { space, kinds, limit });
  return withContents(database, space, rows);
}

/** Reads the contents after the states: that of a job that is done has its result. */
async function withContents(database: Database, space: number, states: readonly Row[]): Promise<StoredJob[]> {
  if (states.length === 0) return [];
  const ids = states.map(([id]) => String(id));
  const bound = { space, ids, limit: ids.length };
  const contents = new Map(
    (await database.run({ lane: 'search', space }, CONTENTS, bound)).map((row) => [row[0], row]),
  );
  return states.flatMap((state) => {
    const content = contents.get(state[0]);
    // Undefined: it was removed meanwhile.
    return content === undefined ? [] : [toJob(state, content)];
  });
}

function toJob(state: Row, content: Row): StoredJob {
  const [id, kind, stored, isCancelled, age, created, started, ended, expires] = state as [
    string,
    string,
    StoredState,
    boolean,
    number,
    number,
    number | null,
    number | null,
    number | null,
  ];
  const [, request, progress, result, failure, status] = content as [
    string,
    JsonObject,
    object | null,
    object | null,
    string | null,
    number | null,
  ];
  return {
    ...{ id, kind, state: stored, isCancelled, age, created, request },
    started: started ?? undefined,
    ended: ended ?? undefined,
    expires: expires ?? undefined,
    progress: progress ?? undefined,
    result: result ?? undefined,
    failure: failure ?? undefined,
    status: status ?? undefined,
  };
}

/**
 * Cancels a job of one of the kinds, or removes one that has ended. `isRemoved`: removes it in any state; a process that runs it
 * notices and stops. Undefined: there is no such job.
 */
export async function cancelJob(
  database: Database,
  { space, id }: JobKey,
  kinds: readonly string[],
  isRemoved: boolean,
): Promise<Cancelled | undefined> {
  const bound = { space, id, kinds, removed: isRemoved };
  const [row] = await database.run({ lane: 'search', space }, CANCEL, bound);
  return (row?.[0] as Cancelled | null | undefined) ?? undefined;
}

/** Returns the bytes of the answer to a request; undefined: there is none. */
export async function readAnswer(database: Database, { space, id }: JobKey): Promise<Buffer | undefined> {
  return joinPieces(await database.run({ lane: 'search', space }, READ_ANSWER, { space, id }));
}

/** Yields the content of a job, or its bytes from `start` to before `end`, in pieces of a megabyte; nothing where it has none. */
export async function* readContent(
  database: Database,
  { space, id }: JobKey,
  start = 0,
  end = Infinity,
): AsyncGenerator<Buffer, void> {
  for (let at = start; at < end; at += PIECE_BYTES) {
    const [row] = await database.run({ lane: 'search', space }, READ_PIECE, { space, id, start: at });
    const piece = row?.[0];
    if (!Buffer.isBuffer(piece) || piece.length === 0) return;
    yield piece.subarray(0, end - at);
  }
}
