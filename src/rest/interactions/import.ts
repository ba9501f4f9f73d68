/** Imports of NDJSON (docs/use/import.md): `POST {fhir_root}/$import`, and the state and the errors of the job that it begins. */
import type { FastifyReply } from 'fastify';
import {
  fhirError,
  joinInTurns,
  parseJson,
  toOutcome,
  type FhirError,
  type ImportState,
  type NewImport,
} from '../../core';
import type { Exchange } from '../exchange';
import { hasContentType, nameContentType, toText, type Body } from '../requests/body';
import { NDJSON_TYPES, readManifest } from '../requests/import-manifest';
import { readMultipart } from '../requests/multipart';
import { NDJSON } from '../requests/negotiation';
import { parsePreference } from '../requests/prefer';
import { sendJobFile } from './send-job-file';

const JSON_TYPES = ['application/json', 'application/fhir+json', 'application/json+fhir'];
const MULTIPART = 'multipart/form-data';
/** Longest manifest in bytes. */
const LONGEST_MANIFEST = 1024 * 1024;
/** Seconds after which a client may ask again. */
const RETRY_AFTER = '1';

/** POST $import: 202 with the address of the job. Throws invalidValue, unsupportedMediaType, forbidden, tooManyImports. */
export async function startImport(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context, root, reply } = exchange;
  if (!parsePreference(request.headers.prefer).isAsync)
    throw fhirError('invalidValue', { reason: 'An import needs the header Prefer: respond-async' });
  const { core } = restContext;
  const source = readSource(exchange.query);
  const files = await readFiles(exchange, request.body ?? '');
  const given = { source, ...files, request: `${root}/$import` };
  const id = await core.access.recordAsOneAccess(
    context,
    '$import',
    (recorded) => core.jobs.imports.submit(recorded, given),
    () => 202,
  );
  reply.header('content-location', `${root}/_bulk/${id}`).header('preference-applied', 'respond-async');
  return exchange
    .forbidCaching()
    .send(202, informationOf('The import was accepted; its state is at the address in Content-Location'));
}

/** Returns the parameter `inputSource`. A manifest has it as a member, which replaces it. */
function readSource({ parameters }: Exchange['query']): string | undefined {
  const [unknown] = parameters.filter(([name]) => name !== 'inputSource');
  if (unknown !== undefined || parameters.length > 1)
    throw fhirError('invalidValue', { reason: 'An import takes one parameter in its address: inputSource' });
  return parameters[0]?.[1];
}

async function readFiles(
  { request: { headers }, context, restContext }: Exchange,
  body: Body,
): Promise<Pick<NewImport, 'files' | 'content' | 'source'>> {
  const { release } = context.space;
  const has = (types: readonly string[]): boolean => hasContentType(headers, types, release);
  if (has(JSON_TYPES)) {
    const bytes = await bytesOf(body);
    if (bytes.length > LONGEST_MANIFEST) throw fhirError('bodyTooLarge', { limit: LONGEST_MANIFEST });
    return readManifest(parseJson(toText([bytes]), { maxDepth: restContext.settings.maxDepth }).value);
  }
  if (has(NDJSON_TYPES)) {
    const content = await bytesOf(body);
    return { files: [{ name: 'body', bytes: content.length }], content };
  }
  if (has([MULTIPART])) {
    const parts = readMultipart(headers['content-type'] ?? '', await bytesOf(body));
    const files = parts.map(({ name, bytes }, place) => {
      if (name === undefined)
        throw fhirError('invalidValue', {
          reason: `Part ${place + 1} of the body is no file: it needs a filename`,
        });
      return { name: nameOf(name, place), bytes: bytes.length };
    });
    return { files, content: Buffer.concat(parts.map(({ bytes }) => bytes)) };
  }
  throw unsupported(headers);
}

function unsupported(headers: Exchange['request']['headers']): FhirError {
  return fhirError('unsupportedMediaType', {
    contentType: nameContentType(headers),
    allowed: `send a manifest as application/json, lines as ${NDJSON}, or files as ${MULTIPART}`,
  });
}

async function bytesOf(body: Body): Promise<Buffer> {
  return typeof body === 'string' ? Buffer.from(body) : joinInTurns(body);
}

/** A name for messages; it never is a path. */
function nameOf(name: string, place: number): string {
  const short = name
    .replace(/^.*[\\/]/, '')
    .replace(/\p{Cc}/gu, '')
    .slice(0, 200);
  return short === '' ? `file ${place + 1}` : short;
}

/** Sends an answer; a FastifyReply itself cannot be awaited before it is sent. */
type Send = () => FastifyReply;

/** The state of an import: 202 until it is done, then its result. Undefined: the caller has no such job. */
export async function importStatus(exchange: Exchange, id: string): Promise<Send | undefined> {
  const { restContext, context, reply, root } = exchange;
  const state = await restContext.core.jobs.imports.find(context, id);
  if (state === undefined || state.state === 'cancelled') return undefined;
  exchange.forbidCaching();
  if (state.state === 'queued' || state.state === 'running') {
    const progress = progressOf(state);
    reply.header('x-progress', progress).header('retry-after', RETRY_AFTER);
    return () => exchange.send(202, informationOf(`The import is under way: ${progress}`));
  }
  if (state.expires !== undefined) reply.header('expires', new Date(state.expires).toUTCString());
  const { failure } = state;
  if (failure !== undefined) return () => exchange.send(failure.status, failure.outcome);
  const needsToken = restContext.settings.authMode === 'enforced';
  const result = JSON.stringify(toResult(state, `${root}/_bulk/${id}`, needsToken));
  return () => exchange.send(200, result, 'application/json');
}

/** Stops an import and forgets it. Undefined: the caller has no such job. */
export async function cancelImport(exchange: Exchange, id: string): Promise<Send | undefined> {
  const { restContext, context } = exchange;
  const { core } = restContext;
  if ((await core.jobs.imports.find(context, id)) === undefined) return undefined;
  const isCancelled = await core.access.recordAsOneAccess(
    context,
    `_bulk/${id}`,
    (recorded) => core.jobs.imports.cancel(recorded, id),
    (found) => (found ? 202 : 404),
  );
  if (!isCancelled) return undefined;
  return () =>
    exchange.forbidCaching().send(202, informationOf('The import is cancelled; what it has written stays'));
}

const ERROR_FILE = /^errors-(\d{1,6})\.ndjson$/;

/** The refused lines of a file of an import. Undefined: the caller has no such file. */
export async function importErrors(exchange: Exchange, id: string, name: string): Promise<Send | undefined> {
  const { restContext, context } = exchange;
  const [, file] = ERROR_FILE.exec(name) ?? [];
  if (file === undefined) return undefined;
  const { core } = restContext;
  // What is wrong with a line may say something of its patient.
  if ((await core.jobs.imports.find(context, id)) === undefined) return undefined;
  const lines = await core.access.recordAsOneAccess(
    context,
    `_bulk/${id}/${name}`,
    (recorded) => core.jobs.imports.errors(recorded, id, Number(file)),
    (found) => (found === undefined ? 404 : 200),
  );
  if (lines === undefined) return undefined;
  return () => sendJobFile(exchange, name, lines);
}

function progressOf({ state, files }: ImportState): string {
  if (state === 'queued') return 'waiting';
  const missing = files.filter(({ isReceived }) => !isReceived).length;
  if (missing > 0) return `received ${files.length - missing} of ${files.length} files`;
  const sum = (of: (file: ImportState['files'][number]) => number): number =>
    files.reduce((total, file) => total + of(file), 0);
  return `${sum(({ written, failed }) => written + failed)} of ${sum(({ lines }) => lines)} lines`;
}

/** As the answer of an export: what was written of each file, and where its errors are. */
function toResult({ created, request, files }: ImportState, address: string, needsToken: boolean): object {
  const named = ({ name, type, url }: ImportState['files'][number]): object => ({
    ...(type === undefined ? {} : { type }),
    ...(url === undefined ? { inputName: name } : { inputUrl: url }),
  });
  return {
    transactionTime: new Date(created).toISOString(),
    request,
    requiresAccessToken: needsToken,
    output: files.map((file) => ({ ...named(file), count: file.written })),
    error: files
      .filter(({ failed }) => failed > 0)
      .map((each) => ({
        ...named(each),
        type: 'OperationOutcome',
        url: `${address}/errors-${each.file}.ndjson`,
        count: each.failed,
      })),
  };
}

function informationOf(diagnostics: string): string {
  return toOutcome([{ severity: 'information', code: 'informational', diagnostics }]);
}
