/** Asynchronous requests (docs/use/http.md): the statements of a request in its own space. */
import { sql } from 'kysely';
import type { Space } from '../../context';
import type { Connections } from '../connection/connections';
import type { Database } from '../connection/database';
import { joinPieces, selectInPieces } from '../connection/long-text';
import { bind, defineStatement, template } from '../connection/statement';

/** A request in the form in which its edge can run it later. */
export interface JobRequest {
  /** Values for the edge, stored as JSON. */
  readonly details: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** Text, or its bytes in UTF-8. */
  readonly body?: string | Buffer;
  /** True if a repeated run changes nothing. */
  readonly isRepeatable: boolean;
}

export interface NewJob {
  readonly id: string;
  readonly owner: string;
  readonly request: JobRequest;
  /** Limit on the jobs of the tenant. */
  readonly most: number;
  /** Milliseconds until it expires, done or not. */
  readonly retentionMs: number;
}

/** A request as it is stored, with the bytes of its body. */
export interface StoredRequest extends JobRequest {
  readonly body?: Buffer;
}

/** The result: the HTTP status and the resource of the answer, as text or its bytes in UTF-8. */
export interface JobOutcome {
  readonly status: number;
  readonly body: string | Buffer;
}

/** A job without its answer, and its owner as given to `addJob`. */
export interface OwnedJob {
  readonly state: Waiting | Done;
  readonly owner: string | undefined;
}

interface Waiting {
  readonly state: 'waiting' | 'running';
  /** Milliseconds since it was accepted. */
  readonly age: number;
}

interface Done {
  readonly state: 'done';
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly status: number;
}

export type JobState = Waiting | (Done & { readonly body: Buffer });

const ADD = defineStatement(
  template(sql`
    select andiron.add_async_job(${bind('space')}::int, ${bind('id')}, ${bind('repeatable')}::boolean,
      ${bind('kept')}::int, ${bind('most')}::int, ${bind('request')}::jsonb, ${bind('body')}::text)`),
);

const FIND = defineStatement(
  template(sql`
    select j.state, floor(extract(epoch from now() - j.created) * 1000)::bigint,
           floor(extract(epoch from j.expires) * 1000)::bigint, j.status, j.request ->> 'owner'
    from andiron.async_job j
    where j.space = ${bind('space')}::int and j.id = ${bind('id')} and j.expires > now() limit 1`),
);

/** Returns the answer of `ADD` if the job exists. */
const FIND_ADDED = defineStatement(
  template(sql`
    select true from andiron.async_job j
    where j.space = ${bind('space')}::int and j.id = ${bind('id')} limit 1`),
  { named: false },
);

const READ_ANSWER = defineStatement(
  template(
    selectInPieces(sql`
      select coalesce(j.answer, '') from andiron.async_job j
      where j.space = ${bind('space')}::int and j.id = ${bind('id')} and j.expires > now() limit 1`),
  ),
  { named: false },
);

const REMOVE = defineStatement(
  template(sql`select andiron.remove_async_job(${bind('space')}::int, ${bind('id')})`),
);

/**
 * Adds a job. Returns false if the tenant has `most` jobs already. **Throws** notStored, maybeStored.
 */
export async function addJob(
  database: Pick<Connections, 'write'>,
  space: Space,
  { id, owner, request: { details, body, isRepeatable }, most, retentionMs }: NewJob,
): Promise<boolean> {
  const bound = {
    space: space.number,
    id,
    repeatable: isRepeatable,
    kept: retentionMs,
    most,
    request: JSON.stringify({ ...details, owner }),
    body: body ?? null,
  };
  const [row] = await database.write('search', space.number, { statement: ADD, bound, find: FIND_ADDED });
  return row?.[0] === true;
}

export async function findJob(database: Database, space: Space, id: string): Promise<OwnedJob | undefined> {
  const rows = await database.run({ lane: 'search', space: space.number }, FIND, { space: space.number, id });
  const [row] = rows as [(Waiting | Done)['state'], number, number, number | null, string | null][];
  if (row === undefined) return undefined;
  const [state, age, expires, status, owner] = row;
  return {
    state: state === 'done' ? { state, expires, status: status ?? 500 } : { state, age },
    owner: owner ?? undefined,
  };
}

/** Returns the bytes of a finished job's answer; undefined if the job was removed. */
export async function readAnswer(database: Database, space: Space, id: string): Promise<Buffer | undefined> {
  const bound = { space: space.number, id };
  return joinPieces(await database.run({ lane: 'search', space: space.number }, READ_ANSWER, bound));
}

/** Removes a job; a process that runs it notices and stops. Returns false if it does not exist. */
export async function removeJob(database: Database, space: Space, id: string): Promise<boolean> {
  const [row] = await database.run({ lane: 'search', space: space.number }, REMOVE, {
    space: space.number,
    id,
  });
  return row?.[0] === true;
}

const ANY = defineStatement(template(sql`select andiron.have_async_jobs()`));

export async function haveJobs(database: Database): Promise<boolean> {
  const [row] = await database.run({ lane: 'search', space: undefined }, ANY, {});
  return row?.[0] === true;
}
