/**
 * Imports of NDJSON (docs/use/import.md) and of code systems (docs/use/import-terminology.md): `POST {fhir_root}/$import` and
 * `CodeSystem/$import`, and the state and the errors of the jobs that they begin.
 */
import type { FastifyReply } from 'fastify';
import {
  fhirError,
  joinInTurns,
  parseJson,
  toOutcome,
  type FhirError,
  type ImportState,
  type JsonValue,
  type NewImport,
} from '../../core';
import type { Exchange } from '../exchange';
import { hasContentType, nameContentType, toText, type Body } from '../requests/body';
import { NDJSON_TYPES, readCodeSystemParameters, readManifest } from '../requests/import-manifest';
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
  const { request } = exchange;
  requireAsync(exchange);
  const source = readSource(exchange.query);
  const files = await readFiles(exchange, request.body ?? '');
  return submit(exchange, '$import', { source, ...files });
}

/** POST CodeSystem/$import: the same for a code system, which is in one file at an address. */
export async function importCodeSystem(exchange: Exchange): Promise<FastifyReply> {
  const { request, query } = exchange;
  requireAsync(exchange);
  if (query.parameters.length > 0)
    throw fhirError('invalidValue', {
      reason: 'An import of a code system takes no parameter in its address',
    });
  if (!hasContentType(request.headers, JSON_TYPES, exchange.context.space.release))
    throw unsupported(request.headers, 'send Parameters as application/fhir+json');
  return submit(
    exchange,
    'CodeSystem/$import',
    readCodeSystemParameters(await readJson(exchange, request.body ?? '')),
  );
}

function requireAsync({ request }: Exchange): void {
  if (!parsePreference(request.headers.prefer).isAsync)
    throw fhirError('invalidValue', { reason: 'An import needs the header Prefer: respond-async' });
}

async function submit(
  exchange: Exchange,
  address: string,
  of: Omit<NewImport, 'request'>,
): Promise<FastifyReply> {
  const { context, root, reply } = exchange;
  const { core } = exchange.restContext;
  const given = { ...of, request: `${root}/${address}` };
  const id = await core.access.recordAsOneAccess(
    context,
    address,
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

async function readJson({ restContext }: Exchange, body: Body): Promise<JsonValue> {
  const bytes = await bytesOf(body);
  if (bytes.length > LONGEST_MANIFEST) throw fhirError('bodyTooLarge', { limit: LONGEST_MANIFEST });
  return parseJson(toText([bytes]), { maxDepth: restContext.settings.maxDepth }).value;
}

async function readFiles(
  exchange: Exchange,
  body: Body,
): Promise<Pick<NewImport, 'files' | 'content' | 'source'>> {
  const { headers } = exchange.request;
  const { release } = exchange.context.space;
  const has = (types: readonly string[]): boolean => hasContentType(headers, types, release);
  if (has(JSON_TYPES)) return readManifest(await readJson(exchange, body));
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
  throw unsupported(
    headers,
    `send a manifest as application/json, lines as ${NDJSON}, or files as ${MULTIPART}`,
  );
}

function unsupported(headers: Exchange['request']['headers'], allowed: string): FhirError {
  return fhirError('unsupportedMediaType', { contentType: nameContentType(headers), allowed });
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
  const { failure, codeSystem } = state;
  if (failure !== undefined) return () => exchange.send(failure.status, failure.outcome);
  if (codeSystem?.answer !== undefined) {
    const { answer } = codeSystem;
    return () => exchange.send(200, answer.toString('utf8'));
  }
  const needsToken = restContext.settings.authMode === 'enforced';
  const result = JSON.stringify(toResult(state, `${root}/_bulk/${id}`, needsToken));
  return () => exchange.send(200, result, 'application/json');
}

/** Stops an import and forgets it. Undefined: the caller has no such job. */
export async function cancelImport(exchange: Exchange, id: string): Promise<Send | undefined> {
  const { restContext, context } = exchange;
  const { core } = restContext;
  const state = await core.jobs.imports.find(context, id);
  if (state === undefined) return undefined;
  const isCancelled = await core.access.recordAsOneAccess(
    context,
    `_bulk/${id}`,
    (recorded) => core.jobs.imports.cancel(recorded, id),
    (found) => (found ? 202 : 404),
  );
  if (!isCancelled) return undefined;
  const stays =
    state.codeSystem === undefined
      ? 'what it has written stays'
      : 'the code system is as before, or as the import has it if that was whole already';
  return () => exchange.forbidCaching().send(202, informationOf(`The import is cancelled; ${stays}`));
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

function progressOf({ state, files, codeSystem }: ImportState): string {
  if (state === 'queued') return 'waiting';
  if (codeSystem !== undefined) {
    const { read, stored } = codeSystem;
    if (files.some(({ isReceived }) => !isReceived)) return 'receiving the file';
    return stored === 0 ? `${read} concepts read` : `${stored} of ${read} concepts stored`;
  }
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
