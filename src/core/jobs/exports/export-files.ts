/** The files of a finished export, read from the versions that it has. */
import type { ExportFileInfo, ExportManifest, ReadFile } from '../../api/bulk-export';
import { turns } from '../../concurrency/turns';
import { whileBusy } from '../../concurrency/while-busy';
import type { RequestContext } from '../../context';
import type { Definitions } from '../../fhir/definitions';
import { toSubset } from '../../fhir/subset';
import { toOutcome } from '../../outcome';
import { permissionsOf, visibilityOf } from '../../authorization/visibility';
import type { SearchServices } from '../../ports';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { VersionRow } from '../../storage/read/version-row';
import { keepExport, type LeftOut } from '../../storage/jobs/bulk-jobs';
import { readMembers, type MemberPage } from '../../storage/jobs/export-members';
import { readCurrentVersions } from '../../storage/jobs/export-versions';
import type { JobKey } from '../../storage/jobs/jobs';
import { toStoredVersion } from '../../versions/stored-version';
import type { ExportRequest } from './export-request';
import { subsetOf } from './export-types';
import { boundsOf, type ExportResult, type StoredFile } from './first-pass';

/** Versions of one statement. */
const PAGE = 250;
/** An export is kept for this long after a page was read, so that no file ends while it is read. */
export const KEPT_WHILE_READ_MS = 600_000;
/** Pages after which the export is kept anew. */
const KEEP_EVERY = 20;

/** Name of the file of what was ignored or left out. */
export const OUTCOMES = 'outcomes';

/** What the files have left out when they were read, by name. */
export type LeftByFile = Readonly<Record<string, LeftOut>>;

export interface FinishedExport {
  readonly job: JobKey;
  readonly request: ExportRequest;
  readonly result: ExportResult;
  readonly left: LeftByFile;
}

/** A place where a client finds a stored file. */
export interface FilePlace {
  readonly size: number;
  /** A signed address; undefined: the server sends it. */
  readonly address?: string;
}

/** `places`: those of the files by name; undefined: they are not stored. */
export function manifestOf(
  { request, result: { moment, files }, left }: FinishedExport,
  definitions: Definitions,
  extensionBase: string,
  places?: ReadonlyMap<string, FilePlace>,
): ExportManifest {
  const toInfo = (name: string, type: string, count: number): ExportFileInfo => ({
    ...{ name, type, count },
    ...places?.get(name),
  });
  const all = files.map(({ type, count, deleted }, index) => {
    const typeName = deleted ? 'Bundle' : (definitions.typeName(type) ?? '');
    return { deleted, info: toInfo(String(index + 1), typeName, count) };
  });
  // From stored files nothing is left out.
  const outcomes = outcomesOf(request, places === undefined ? left : {});
  return {
    transactionTime: moment.time,
    sequence: moment.sequence,
    extensionBase,
    request: request.url,
    isSigned: [...(places?.values() ?? [])].some(({ address }) => address !== undefined),
    output: all.flatMap(({ deleted, info }) => (deleted ? [] : [info])),
    deleted: all.flatMap(({ deleted, info }) => (deleted ? [info] : [])),
    error: outcomes.length === 0 ? [] : [toInfo(OUTCOMES, 'OperationOutcome', outcomes.length)],
  };
}

/** One OperationOutcome for each reason, without the ids of what it concerns. */
export function outcomesOf({ ignored }: Pick<ExportRequest, 'ignored'>, left: LeftByFile): readonly string[] {
  const sum = (reason: keyof LeftOut): number =>
    Object.values(left).reduce((count, file) => count + file[reason], 0);
  const [erased, forbidden] = [sum('erased'), sum('forbidden')];
  return [
    ...ignored.map((diagnostics) => toOutcome([{ severity: 'warning', code: 'not-supported', diagnostics }])),
    ...(erased === 0 ? [] : [leftOut('deleted', erased, 'were erased since the export was made')]),
    ...(forbidden === 0 ? [] : [leftOut('suppressed', forbidden, 'may not be read by this client any more')]),
  ];
}

function leftOut(code: string, count: number, why: string): string {
  const diagnostics = `${count} of the resources ${why}, and are left out of the files`;
  return toOutcome([{ severity: 'warning', code, diagnostics }]);
}

/** Opens a file by its name; undefined: the export has no such file. */
export function openFile(
  services: SearchServices,
  context: RequestContext,
  finished: FinishedExport,
  name: string,
): ReadFile | undefined {
  const { request, result, left } = finished;
  if (name === OUTCOMES) {
    const lines = outcomesOf(request, left);
    return lines.length === 0 ? undefined : { kind: 'outcomes', lines };
  }
  const file = /^[1-9]\d{0,5}$/.test(name) ? result.files[Number(name) - 1] : undefined;
  if (file === undefined) return undefined;
  const type = services.definitions(context.space.release).typeName(file.type) ?? '';
  // A type that the client may not read any more at all is an error of the request, and not an empty file.
  permissionsOf(services, context)?.require(type, 'r');
  const of = { services, context, finished, file, type, name };
  return file.deleted
    ? { kind: 'deleted', pages: toReferences(readFile(of)) }
    : { kind: 'resources', pages: readFile(of) };
}

interface OpenedFile {
  readonly services: SearchServices;
  readonly context: RequestContext;
  readonly finished: FinishedExport;
  readonly file: StoredFile;
  readonly type: string;
  readonly name: string;
}

/** Yields the versions of a file that exist and that the caller may see. At its end it stores how many it has left out. */
async function* readFile(opened: OpenedFile): AsyncGenerator<readonly StoredVersion[]> {
  const { services, context, finished, file, type, name } = opened;
  const { database, reader } = services;
  const { job } = finished;
  const space = context.space.number;
  const definitions = services.definitions(context.space.release);
  const subset = file.deleted ? undefined : subsetOf(definitions, finished.request);
  let sent = 0;
  let found = 0;
  let pages = 0;
  for await (const page of readPages(opened)) {
    if (pages++ % KEEP_EVERY === 0) await whileBusy(() => keepExport(database, job, KEPT_WHILE_READ_MS));
    const rows: VersionRow[] = [];
    let bytes = 0;
    for await (const row of reader.completeEach(space, page.rows)) {
      if (row === undefined) continue;
      rows.push(row);
      bytes += row.body.length;
      if (bytes < MOST_BYTES) continue;
      found += rows.length;
      const seen = await seenOf(opened, rows.splice(0));
      sent += seen.length;
      yield seen;
      bytes = 0;
    }
    found += rows.length;
    const seen = await seenOf(opened, rows);
    sent += seen.length;
    if (seen.length > 0) yield seen;
  }
  await whileBusy(() =>
    keepExport(database, job, 0, {
      file: name,
      leftOut: { erased: Math.max(0, file.count - found), forbidden: found - sent },
    }),
  );

  async function seenOf(of: OpenedFile, rows: readonly VersionRow[]): Promise<readonly StoredVersion[]> {
    const visibility = visibilityOf(of.services, context);
    const visible = visibility && (await visibility.amongVersions(type, 'r', space, rows));
    const versions: StoredVersion[] = [];
    for (const row of rows) {
      if (visible !== undefined && !visible.has(row)) continue;
      await turns.take();
      const version = toStoredVersion(services, type, row);
      versions.push(
        subset === undefined
          ? version
          : { ...version, text: toSubset(definitions, type, version.text, subset) },
      );
    }
    return versions;
  }
}

/** Yields the rows of a file, and reads each page while the one before is sent. */
async function* readPages({ services, context, finished, file }: OpenedFile): AsyncGenerator<MemberPage> {
  const { database } = services;
  const { job, request, result } = finished;
  const bounds = boundsOf(request, result.moment);
  const read = (after: number): Promise<MemberPage> => {
    const range = { ...file, after };
    return whileBusy(() =>
      file.isListed
        ? readMembers(database, job, range, PAGE)
        : readCurrentVersions(database, context.space.number, { ...range, bounds }, PAGE),
    );
  };
  for (let reading: Promise<MemberPage> | undefined = read(file.after); reading !== undefined;) {
    const page: MemberPage = await reading;
    const { rows, last } = page;
    reading = rows.length < PAGE || last === undefined ? undefined : read(last);
    // Its error is thrown when its turn comes, or by nobody when the reader has gone.
    reading?.catch(() => undefined);
    yield page;
  }
}

/** Characters of texts that are held at a time, beside those of one statement. */
const MOST_BYTES = 4 * 1024 * 1024;

async function* toReferences(
  pages: AsyncIterable<readonly StoredVersion[]>,
): AsyncGenerator<readonly string[]> {
  for await (const page of pages) yield page.map(({ type, id }) => `${type}/${id}`);
}
