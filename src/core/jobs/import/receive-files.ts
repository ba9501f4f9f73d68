/** Receives the files of an import: their lines are stored as chunks before any is written. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ImportSource } from '../../api/imports';
import { fhirError, FhirError, toIssue, type Issue } from '../../errors';
import { mayNotify } from '../../limits/notification-hosts';
import { OutboundError, type Outbound } from '../../outbound/outbound';
import type { Database } from '../../storage/connection/database';
import { addChunk } from '../../storage/jobs/import-chunks';
import {
  addFiles,
  forgetChunks,
  noteReceived,
  readFiles,
  requireImportSpace,
} from '../../storage/jobs/import-files';
import { readContent, type JobKey } from '../../storage/jobs/jobs';
import { AtOnce } from './at-once';
import { refusedLine } from './refused-line';
import { gunzipped, LineTooLong, splitLines, TooManyLines, type LinesOfFile } from './split-lines';

export interface ReceiveTools {
  readonly database: Database;
  readonly outbound: Outbound;
  readonly signal: AbortSignal;
  /** Longest line in bytes. */
  readonly longestLine: number;
  /** Hosts that the tenant may call; undefined: all that the server may. */
  readonly hosts: readonly string[] | undefined;
  /** Makes chunks of the bytes of a file; default: of its lines. */
  readonly split?: typeof splitLines;
  /** Bytes that all files may have, without their coding; default 100 GB. */
  readonly mostBytes?: number;
  /** Counts an outgoing request for the tenant. False: it has sent too many within a minute. */
  admitFetch(): Promise<boolean>;
}

/** Of all files of an import, without their coding. */
const MOST_BYTES = 100 * 1024 ** 3;
const ATTEMPTS = 3;
const IDLE_MS = 60_000;
/** Chunks that are stored at the same time. */
const CHUNKS_AT_ONCE = 4;
/** Bytes of chunks after which the quota of the tenant is checked again. */
const CHECKED_BYTES = 4 * 1024 * 1024;
const compress = promisify(gzip);

/** A file that cannot be received gets an error of its own; the others are imported. */
class FileError extends Error {}

/** Another process stores the same file. */
export class FileTaken extends Error {
  constructor() {
    super('Another process stores the files of this import');
  }
}

/**
 * Receives the files that are not received yet. False: the files of a command that has not sent them. Throws FhirErrors of the
 * server, and the reason of `signal`.
 */
export async function receiveFiles(
  tools: ReceiveTools,
  job: JobKey,
  sources: readonly ImportSource[],
): Promise<boolean> {
  const { database, mostBytes = MOST_BYTES } = tools;
  await addFiles(
    database,
    job,
    sources.map(({ name }) => name),
  );
  const files = await readFiles(database, job);
  let bytes = files.reduce((sum, file) => sum + (file.isReceived ? file.bytes : 0), 0);
  let start = 0;
  for (const [file, source] of sources.entries()) {
    const { bytes: length = 0, url } = source;
    const end = start + length;
    if (files[file]?.isReceived !== true) {
      if (url === undefined && source.bytes === undefined) return false;
      bytes +=
        url === undefined
          ? await receiveSent(tools, job, { file, source, start, end, room: mostBytes - bytes })
          : await receiveFetched(tools, job, { file, source, url, room: mostBytes - bytes });
    }
    start = end;
  }
  return true;
}

interface FileToReceive {
  readonly file: number;
  readonly source: ImportSource;
  /** Bytes that it may have. */
  readonly room: number;
}

/** A file among the bytes of the request. */
async function receiveSent(
  tools: ReceiveTools,
  job: JobKey,
  { file, source, room, start, end }: FileToReceive & { readonly start: number; readonly end: number },
): Promise<number> {
  return receiveBytes(tools, job, { file, source, room }, readContent(tools.database, job, start, end));
}

type StoreTools = Pick<ReceiveTools, 'database' | 'signal' | 'longestLine' | 'split' | 'mostBytes'>;

/** Stores the lines of a file that need not be fetched, and returns its bytes. */
export async function receiveBytes(
  tools: StoreTools,
  job: JobKey,
  of: FileToReceive,
  body: AsyncIterable<Buffer>,
): Promise<number> {
  try {
    return await storeLines(tools, job, of, body);
  } catch (error) {
    return failFile(tools, job, of, error);
  }
}

async function receiveFetched(
  tools: ReceiveTools,
  job: JobKey,
  { url, file, source, room }: FileToReceive & { readonly url: string },
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (!mayNotify(tools.hosts, url))
        throw new FileError('this tenant calls no such host (notification-hosts)');
      if (!(await tools.admitFetch()))
        throw fhirError('tooManyRequests', { reason: 'Too many files were fetched' });
      return await fetchFile(tools, job, { url, file, source, room });
    } catch (error) {
      tools.signal.throwIfAborted();
      const isFinal = error instanceof FileError || error instanceof FhirError || attempt === ATTEMPTS;
      if (isFinal) return failFile(tools, job, { file, source }, error);
    }
  }
}

function fetchFile(
  tools: ReceiveTools,
  job: JobKey,
  { url, ...of }: FileToReceive & { readonly url: string },
): Promise<number> {
  const { outbound, signal } = tools;
  const accept = tools.split === undefined ? 'application/fhir+ndjson, application/ndjson' : '*/*';
  const request = { url, accept, signal, idleMs: IDLE_MS };
  return outbound.download(request, async (status, body) => {
    if (status >= 500) throw new OutboundError(`it answers with status ${status}`);
    if (status !== 200) throw new FileError(`its address answers with status ${status}`);
    return storeLines(tools, job, of, body);
  });
}

/** Notes that a file cannot be had. Throws an error that says nothing about the file. */
async function failFile(
  { database }: Pick<ReceiveTools, 'database'>,
  job: JobKey,
  { file, source }: Pick<FileToReceive, 'file' | 'source'>,
  error: unknown,
): Promise<0> {
  if (error instanceof FhirError) throw error;
  const reason = reasonOf(error);
  if (reason === undefined) throw error;
  await forgetChunks(database, job, file);
  const issues: Issue[] = [
    toIssue('invalidValue', { reason: `The file ${source.name} cannot be read: ${reason}` }),
  ];
  const { outcome } = refusedLine(source.name, 0, issues);
  if (!(await noteReceived(database, job, { file, bytes: 0, chunks: 0, failure: outcome })))
    throw new FileTaken();
  return 0;
}

/** Undefined: the error is none of the file. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof FileError || error instanceof TooManyLines || error instanceof LineTooLong)
    return error.message;
  if (!(error instanceof OutboundError)) return undefined;
  // The rest of the text names settings of the server.
  return error.message.startsWith('it may not be called') ? 'its address may not be called' : error.message;
}

/** The bytes of a file, decompressed. Throws FileError for damaged ones. */
async function* decompressed(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield* gunzipped(body);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw code.startsWith('Z_') ? new FileError('it is not valid gzip') : error;
  }
}

/** Stores the lines of a file, from its beginning, and returns its bytes. Throws quotaExceeded, and FileTaken. */
async function storeLines(
  { database, signal, longestLine, split = splitLines, mostBytes = MOST_BYTES }: StoreTools,
  job: JobKey,
  { file, source, room }: FileToReceive,
  body: AsyncIterable<Buffer>,
): Promise<number> {
  await forgetChunks(database, job, file);
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Buffer, void> {
    for await (const piece of decompressed(body)) {
      signal.throwIfAborted();
      bytes += piece.length;
      if (bytes > room) throw new FileError(`an import may have ${mostBytes} bytes`);
      yield piece;
    }
  };
  const storing = new AtOnce(CHUNKS_AT_ONCE);
  let number = 0;
  let unchecked = CHECKED_BYTES;
  const store = async ({ firstLine, text, places, tooLong }: LinesOfFile, of: number): Promise<void> => {
    const refused = tooLong.map((line) =>
      refusedLine(source.name, line, [toIssue('bodyTooLarge', { limit: longestLine })]),
    );
    const content = await compress(text, { level: 1 });
    unchecked += content.length;
    if (unchecked > CHECKED_BYTES) {
      unchecked = 0;
      await requireImportSpace(database, job.space, content.length);
    }
    if (!(await addChunk(database, job, { file, number: of, firstLine, places, content, refused })))
      throw new FileTaken();
  };
  try {
    for await (const lines of split(counted(), longestLine)) {
      if (lines.places.length === 0 && lines.tooLong.length === 0) continue;
      const of = number++;
      await storing.enter(() => store(lines, of));
    }
  } finally {
    await storing.end();
  }
  if (!(await noteReceived(database, job, { file, bytes, chunks: number }))) throw new FileTaken();
  return bytes;
}
