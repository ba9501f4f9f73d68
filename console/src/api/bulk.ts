/** Exports and imports of bulk data, which are jobs of the server: to begin them, ask for their state, and get their files. */
import { fhirPath, type Space } from '../place';
import { toFailure } from './failure';
import { isObject, numberOf, objectsOf, parseJson, textOf, type JsonObject, type JsonValue } from './json';
import { request, send } from './send';
import { upload, type Sending } from './upload';

export interface ExportRequest {
  /** `Patient`: the records of all Patients; `Group`: of the members of a Group. */
  readonly level: 'system' | 'Patient' | 'Group';
  readonly group: string;
  /** None: all that the person may read. */
  readonly types: readonly string[];
  /** An instant; '': everything. */
  readonly since: string;
  /** `Type?search`. */
  readonly filters: readonly string[];
}

/** A file at an address that the server fetches. */
export interface ImportAddress {
  readonly type: string;
  readonly url: string;
}

/** A file of a job. */
export interface BulkFile {
  readonly kind: 'output' | 'deleted' | 'error';
  /** Its last part of the address; undefined: there is none, such as of lines that an import has written. */
  readonly name: string | undefined;
  /** The type of its resources, or the file that was imported. */
  readonly title: string;
  readonly count: number;
}

export type BulkState =
  | { readonly state: 'running'; readonly progress: string }
  | {
      readonly state: 'done';
      readonly files: readonly BulkFile[];
      readonly time: string;
      readonly expires: string;
    }
  /** It has ended and was forgotten, or was removed elsewhere. */
  | { readonly state: 'gone' };

const ASYNC = { prefer: 'respond-async' } as const;

/** The address below the FHIR root that begins an export. */
export function exportAddress({ level, group, types, since, filters }: ExportRequest): string {
  const query = new URLSearchParams();
  if (types.length > 0) query.set('_type', types.join());
  if (since !== '') query.set('_since', since);
  for (const filter of filters) query.append('_typeFilter', filter);
  const place = level === 'system' ? '' : level === 'Patient' ? 'Patient/' : `Group/${group}/`;
  const text = query.toString();
  return `${place}$export${text === '' ? '' : `?${text}`}`;
}

/** The id of the job, from the address that the server answers. */
function jobIn(headers: Headers): string {
  const id = /\/_bulk\/([^/?]+)$/.exec(headers.get('content-location') ?? '')?.[1];
  if (id === undefined) throw toFailure(202, '');
  return id;
}

/** Returns the id of the job. */
export async function startExport(space: Space, asked: ExportRequest): Promise<string> {
  return jobIn((await send(fhirPath(space, exportAddress(asked)), { headers: ASYNC })).headers);
}

/** Returns the id of the job. */
export async function startImport(space: Space, files: readonly File[], sending: Sending): Promise<string> {
  const body = new FormData();
  for (const file of files) body.append('file', file, file.name);
  const headers = { ...ASYNC, accept: 'application/fhir+json' };
  return jobIn((await upload(space, '$import', { ...sending, headers, body })).headers);
}

/** The server fetches the files. Returns the id of the job. */
export async function startImportFrom(space: Space, input: readonly ImportAddress[]): Promise<string> {
  const manifest = {
    inputFormat: 'application/fhir+ndjson',
    inputSource: new URL(input[0]?.url ?? location.href).origin,
    storageDetail: { type: 'https' },
    input,
  };
  const headers = { ...ASYNC, 'content-type': 'application/json' };
  const body = JSON.stringify(manifest);
  return jobIn((await send(fhirPath(space, '$import'), { method: 'POST', headers, body })).headers);
}

const jobPath = (space: Space, job: string, file = ''): string =>
  fhirPath(space, `_bulk/${encodeURIComponent(job)}${file === '' ? '' : `/${encodeURIComponent(file)}`}`);

function fileOf(kind: BulkFile['kind'], entry: JsonObject): BulkFile {
  const [url, type] = [textOf(entry['url']), textOf(entry['type'])];
  const source = textOf(entry['inputName']) ?? textOf(entry['inputUrl']);
  return {
    kind,
    name: url === undefined ? undefined : decodeURIComponent(url.replace(/^.*\//, '')),
    title: source ?? type ?? '',
    count: numberOf(entry['count']) ?? 0,
  };
}

/** What a manifest says of its files. */
export function filesIn(manifest: JsonValue): readonly BulkFile[] {
  if (!isObject(manifest)) return [];
  return (['output', 'deleted', 'error'] as const).flatMap((kind) =>
    objectsOf(manifest[kind]).map((entry) => fileOf(kind, entry)),
  );
}

/** The state of a job of the person. Throws `Failure` where the job has failed. */
export async function readBulkState(space: Space, job: string, signal?: AbortSignal): Promise<BulkState> {
  const response = await request(jobPath(space, job), signal === undefined ? {} : { signal });
  const text = await response.text();
  if (response.status === 404) return { state: 'gone' };
  if (!response.ok) throw toFailure(response.status, text);
  if (response.status === 202)
    return { state: 'running', progress: response.headers.get('x-progress') ?? '' };
  const manifest = parseJson(text);
  const time = isObject(manifest) ? (textOf(manifest['transactionTime']) ?? '') : '';
  return { state: 'done', files: filesIn(manifest), time, expires: response.headers.get('expires') ?? '' };
}

/** Stops a job, and removes what it has made. One that is gone already is no fault. */
export async function removeBulkJob(space: Space, job: string): Promise<void> {
  const response = await request(jobPath(space, job), { method: 'DELETE' });
  if (!response.ok && response.status !== 404) throw toFailure(response.status, await response.text());
}

/** The lines of a file. */
export async function readBulkFile(space: Space, job: string, file: string): Promise<Blob> {
  const response = await request(jobPath(space, job, file), {
    headers: { accept: 'application/fhir+ndjson' },
  });
  if (!response.ok) throw toFailure(response.status, await response.text());
  return response.blob();
}
