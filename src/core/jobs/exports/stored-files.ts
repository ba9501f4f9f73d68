/**
 * The files of an export in a folder or a bucket (docs/use/bulk-data.md, Stored files). Only exports whose client reads each resource of
 * their types, with all elements, are stored: the bytes are then the same as those of a download for as long as that is so.
 */
import type { KeptFile } from '../../api/bulk-export';
import { permissionsOf } from '../../authorization/visibility';
import { whileBusy, type RetryPauses } from '../../concurrency/while-busy';
import type { Log, RequestContext } from '../../context';
import { FhirError, fhirError } from '../../errors';
import type { Services } from '../../ports';
import { keepExport } from '../../storage/jobs/bulk-jobs';
import type { StoredContent } from '../../storage/content/contents';
import {
  KEPT_WHILE_READ_MS,
  openFile,
  OUTCOMES,
  outcomesOf,
  type FilePlace,
  type FinishedExport,
} from './export-files';
import { exportLines } from './export-lines';
import type { StoredFile } from './first-pass';

/** Where files of exports are stored. */
export type ExportStore = 'folder' | 'bucket';

/** Characters of lines that become one piece. */
const PIECE = 256 * 1024;
/** Bytes of a stored file after which a download checks that the file still exists. */
const CHECKED_BYTES = 16 * 1024 * 1024;
/** Seconds for which a signed address of a file is valid. */
const ADDRESS_SECONDS = 3_600;
/** Pauses before a file is tried again: some six seconds together, after which the export does without the store. */
const PAUSES: RetryPauses = { firstMs: 100, longestMs: 1_000 };
const CONTENT_TYPE = 'application/fhir+ndjson';

export interface StoringOptions {
  readonly services: Services;
  readonly finished: FinishedExport;
  readonly store: ExportStore;
  /** The absolute address of the FHIR root. */
  readonly root: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Returns the context of the export with the present rights of its client. Throws unauthorized. */
  contextNow(): Promise<RequestContext>;
  report(stored: number, files: number): void;
}

/** The name of a file in the store. It differs when the file has other members, because some were erased. */
function nameOf({ type, deleted, after, to, count }: StoredFile): string {
  return [type, deleted ? 'deleted' : 'current', after, to, count].join('-');
}

/** The files of an export: their names in addresses, their names in the store, and their number of lines. */
function filesOf({ request, result: { files } }: FinishedExport): readonly {
  readonly name: string;
  readonly storedName: string;
  readonly count: number;
}[] {
  const outcomes = outcomesOf(request, {});
  return [
    ...files.map((file, index) => ({
      name: String(index + 1),
      storedName: nameOf(file),
      count: file.count,
    })),
    ...(outcomes.length === 0 ? [] : [{ name: OUTCOMES, storedName: OUTCOMES, count: outcomes.length }]),
  ];
}

/** True if the client reads all resources of the types of the files, with all elements. */
function readsWhole(services: Services, context: RequestContext, { result }: FinishedExport): boolean {
  const permissions = permissionsOf(services, context);
  if (permissions === undefined) return true;
  const definitions = services.definitions(context.space.release);
  const types = new Set(result.files.map(({ type }) => definitions.typeName(type) ?? ''));
  return !permissions.elements.hidesAny && [...types].every((type) => permissions.allowsAll(type, 'r'));
}

/**
 * Writes the files of an export that an earlier run has not written. False: they are not stored, because the client reads only some of
 * the resources, or the store cannot be reached; downloads read the versions then. Throws the reason of the signal. **Cost**: one page
 * of versions and one chunk of the store in memory.
 */
export async function storeFiles(options: StoringOptions): Promise<boolean> {
  const { services, finished, log, signal } = options;
  const { space, id } = finished.job;
  const { contents } = services;
  const files = filesOf(finished);
  const names = files.map(({ storedName }) => storedName);
  await whileBusy(() => contents.keepOfJob(space, id, names), { signal });
  const written = await whileBusy(() => contents.findOfJob(space, id, names), { signal });
  try {
    for (const [index, { name, storedName, count }] of files.entries()) {
      options.report(index, files.length);
      if (written.has(storedName)) continue;
      const lines = await whileBusy(() => writeFile(options, name, storedName), { signal, pauses: PAUSES });
      if (lines === count) continue;
      await contents.keepOfJob(space, id, []);
      return false;
    }
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof FhirError) || error.key !== 'contentUnavailable') throw error;
    log.warn(
      { err: error, job: id },
      'the files of an export could not be stored, and are read from the database',
    );
    await contents.keepOfJob(space, id, []);
    return false;
  }
}

/** Writes one file. Returns its number of lines; undefined: the client may not read all of it. */
async function writeFile(
  { services, finished, store, root, signal, contextNow }: StoringOptions,
  name: string,
  storedName: string,
): Promise<number | undefined> {
  const { space, id } = finished.job;
  const context = await contextNow();
  if (!readsWhole(services, context, finished)) return undefined;
  const file = openFile(services, context, finished, name);
  if (file === undefined) return undefined;
  let lines = 0;
  const pieces = async function* (): AsyncGenerator<Buffer> {
    let texts: string[] = [];
    let length = 0;
    for await (const line of exportLines(file, root)) {
      signal.throwIfAborted();
      lines++;
      texts.push(line, '\n');
      length += line.length + 1;
      if (length < PIECE) continue;
      yield Buffer.from(texts.join(''));
      texts = [];
      length = 0;
    }
    if (length > 0) yield Buffer.from(texts.join(''));
  };
  await services.contents.writeForJob(space, { job: id, file: storedName, store }, pieces(), signal);
  return lines;
}

/** Finds the stored files of an export by their names in addresses; undefined: its files are read from the versions. */
async function findStored(
  services: Services,
  context: RequestContext,
  finished: FinishedExport,
): Promise<ReadonlyMap<string, StoredContent> | undefined> {
  if (finished.result.isStored !== true || !readsWhole(services, context, finished)) return undefined;
  const { space, id } = finished.job;
  const files = filesOf(finished);
  const found = await services.contents.findOfJob(
    space,
    id,
    files.map(({ storedName }) => storedName),
  );
  const stored = new Map<string, StoredContent>();
  for (const { name, storedName } of files) {
    const content = found.get(storedName);
    // An erasure has given up the files.
    if (content === undefined) return undefined;
    stored.set(name, content);
  }
  return stored;
}

/**
 * Returns where the stored files of an export are, and until when their signed addresses are valid in milliseconds since 1970;
 * undefined: they are not stored. `expires`: when the export ends.
 */
export async function placeFiles(
  services: Services,
  context: RequestContext,
  finished: FinishedExport,
  expires: number,
): Promise<
  { readonly places: ReadonlyMap<string, FilePlace>; readonly validTo: number | undefined } | undefined
> {
  const stored = await findStored(services, context, finished);
  if (stored === undefined) return undefined;
  const now = Date.now();
  const seconds = Math.max(1, Math.min(ADDRESS_SECONDS, Math.floor((expires - now) / 1_000)));
  const places = new Map<string, FilePlace>();
  // After a change of the setting some files may be in the folder: then the server sends all.
  const areSigned = stored.size > 0 && [...stored.values()].every(({ store }) => store === 'bucket');
  for (const [name, content] of stored) {
    const { space } = finished.job;
    const address = areSigned
      ? await services.contents.address(space, content, { seconds, contentType: CONTENT_TYPE })
      : undefined;
    places.set(name, { size: content.size, ...(address === undefined ? {} : { address }) });
  }
  return { places, validTo: areSigned ? now + seconds * 1_000 : undefined };
}

/** Opens a stored file by its name in addresses; undefined: it is not stored. */
export async function openStored(
  services: Services,
  context: RequestContext,
  finished: FinishedExport,
  name: string,
): Promise<KeptFile | undefined> {
  const content = (await findStored(services, context, finished))?.get(name);
  if (content === undefined) return undefined;
  const { id, size } = content;
  return { kind: 'stored', id, size, pieces: readStored(services, finished, content) };
}

/** Reads a file as long as it exists: an erasure ends the download. Throws contentUnavailable. */
async function* readStored(
  { contents, database }: Services,
  { job }: FinishedExport,
  content: StoredContent,
): AsyncGenerator<Buffer> {
  let unchecked = CHECKED_BYTES;
  for await (const piece of contents.read(job.space, content)) {
    if (unchecked >= CHECKED_BYTES) {
      unchecked = 0;
      await whileBusy(() => keepExport(database, job, KEPT_WHILE_READ_MS));
      const found = await whileBusy(() => contents.find(job.space, content.id));
      if (found === undefined) throw fhirError('contentUnavailable');
    }
    unchecked += piece.length;
    yield piece;
  }
}
