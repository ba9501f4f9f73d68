/**
 * Exports of bulk data (https://hl7.org/fhir/uv/bulkdata/export.html): `$export` of the system, of all Patients or of a Group
 * begins one, `_bulk/{job}` has its state, and `_bulk/{job}/{file}` its files.
 */
import type { FastifyReply } from 'fastify';
import {
  exportLines,
  fhirError,
  formatInstant,
  sequenceExtension,
  toOutcome,
  type ExportFileInfo,
  type ExportKickOff,
  type ExportManifest,
  type ExportState,
} from '../../core';
import type { Exchange } from '../exchange';
import { RESOURCE_TYPES } from '../requests/body';
import { NDJSON } from '../requests/negotiation';
import { parsePreference } from '../requests/prefer';
import { sendJobFile, sendStoredFile } from './send-job-file';

/** Seconds after which a client may ask for the state again. */
const RETRY_AFTER = '1';
const MANIFEST_TYPE = 'http://hl7.org/fhir/uv/bulkdata/StructureDefinition/BulkDataManifest';
/** Files that one process sends at a time, and of them those of one tenant: slow readers keep theirs. */
const MOST_SENT = 8;
const MOST_SENT_OF_TENANT = 4;

export const exportSystem = (exchange: Exchange): Promise<FastifyReply> => kickOff(exchange, 'system');
export const exportPatients = (exchange: Exchange): Promise<FastifyReply> => kickOff(exchange, 'patient');
export const exportGroup = (exchange: Exchange): Promise<FastifyReply> => kickOff(exchange, 'group');

async function kickOff(exchange: Exchange, level: ExportKickOff['level']): Promise<FastifyReply> {
  const { restContext, request, context, query, root, reply } = exchange;
  const { isAsync, handling, hasSeparateStatus } = parsePreference(request.headers.prefer);
  if (!isAsync)
    throw fhirError('invalidValue', {
      reason: 'An export is made later: send the header Prefer: respond-async',
    });
  const { body, headers } = request;
  const hasBody = request.method === 'POST' && body !== undefined && body !== '';
  const id = await restContext.core.interactions.exportData(context, {
    level,
    group: request.params.id,
    url: restContext.addresses.base(request) + request.url,
    root,
    query: query.parameters,
    input: hasBody ? restContext.read(body, headers, RESOURCE_TYPES, context.space.release) : undefined,
    isLenient: handling === 'lenient',
    hasSeparateStatus,
  });
  const applied = hasSeparateStatus ? 'respond-async, separate-export-status' : 'respond-async';
  reply.header('content-location', `${root}/_bulk/${id}`).header('preference-applied', applied);
  return exchange
    .forbidCaching()
    .send(202, informationOf('The export was accepted; its state is at the address in Content-Location'));
}

function informationOf(diagnostics: string): string {
  return toOutcome([{ severity: 'information', code: 'informational', diagnostics }]);
}

/** GET _bulk/{job}: 202 until the export is made, then its manifest. */
export async function exportStatus(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context } = exchange;
  const { job = '' } = request.params;
  const state = await restContext.core.interactions.exportStatus(context, job);
  if (state === undefined) throw fhirError('unknownJob');
  exchange.forbidCaching();
  return sendState(exchange, state);
}

function sendState(exchange: Exchange, state: ExportState): FastifyReply {
  const { request, reply, root } = exchange;
  const send = (status: number, body: string, contentType?: string): FastifyReply => {
    if (!state.hasSeparateStatus) return exchange.send(status, body, contentType);
    reply.header('x-export-status', String(status));
    return exchange.send(200, body, contentType);
  };
  if ('progress' in state) {
    reply.header('x-progress', state.progress).header('retry-after', RETRY_AFTER);
    return send(202, informationOf(`The export is ${state.progress}`));
  }
  reply.header('expires', new Date(state.expires).toUTCString());
  if ('body' in state) return send(state.status, state.body);
  const address = `${root}/_bulk/${request.params.job ?? ''}`;
  return send(200, JSON.stringify(toManifest(exchange, state.manifest, address)), 'application/json');
}

function toManifest(
  { restContext: { settings } }: Exchange,
  { transactionTime, sequence, extensionBase, request, isSigned, output, deleted, error }: ExportManifest,
  address: string,
): object {
  const toFile = ({ type, name, count, size, address: signed }: ExportFileInfo): object => ({
    type,
    url: signed ?? `${address}/${name}`,
    count,
    ...(size === undefined ? {} : { fileSize: size }),
  });
  return {
    transactionTime: formatInstant(transactionTime),
    request,
    requiresAccessToken: !isSigned && settings.authMode === 'enforced',
    manifestType: MANIFEST_TYPE,
    outputFormat: NDJSON,
    output: output.map(toFile),
    ...(deleted.length === 0 ? {} : { deleted: deleted.map(toFile) }),
    error: error.map(toFile),
    extension: [sequenceExtension(sequence, extensionBase)],
  };
}

/** DELETE _bulk/{job}: 202. An export under way is stopped; its files are gone at once. */
export async function cancelExport(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context } = exchange;
  if (!(await restContext.core.interactions.cancelExport(context, request.params.job ?? '')))
    throw fhirError('unknownJob');
  return exchange.forbidCaching().send(202, informationOf('The export is cancelled, and its files removed'));
}

const sent = new Map<number, number>();

/** Counts a file that is sent; the result ends that. Throws tooManyRequests. */
function beginSending(tenant: number): () => void {
  const own = sent.get(tenant) ?? 0;
  const all = [...sent.values()].reduce((sum, count) => sum + count, 0);
  if (all >= MOST_SENT || own >= MOST_SENT_OF_TENANT) {
    const reached =
      own >= MOST_SENT_OF_TENANT ? `${MOST_SENT_OF_TENANT} files of this tenant` : `${MOST_SENT} files`;
    throw fhirError('tooManyRequests', {
      reason: `${reached} are being sent from exports, which is the limit: try again later`,
    }).after(5);
  }
  sent.set(tenant, own + 1);
  return () => {
    const left = (sent.get(tenant) ?? 1) - 1;
    if (left === 0) sent.delete(tenant);
    else sent.set(tenant, left);
  };
}

/** GET _bulk/{job}/{file}: the lines of a file. */
export async function exportFile(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context, root } = exchange;
  const { job = '', file: name = '' } = request.params;
  const endSending = beginSending(context.space.tenantNumber);
  let isSending = false;
  try {
    const file = await restContext.core.interactions.exportedFile(context, job, name);
    if (file === undefined) throw fhirError('unknownJob');
    isSending = true;
    const fileName = `${name}.ndjson`;
    return file.kind === 'stored'
      ? await sendStoredFile(exchange, fileName, file, endSending)
      : await sendJobFile(exchange, fileName, exportLines(file, root), endSending);
  } finally {
    if (!isSending) endSending();
  }
}
