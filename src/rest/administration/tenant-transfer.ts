/**
 * Transfers a whole tenant over HTTP, for administrators only (administrator.ts; docs/run/tenants.md, "Export and import").
 *
 * GET /w/system/api/v1/tenants/acme/export streams lines of JSON; with `?current=true` only the current versions. POST
 * /w/system/api/v1/tenants/acme-2/import takes the lines of the former, and responds with 201 when the tenant is made;
 * sent again after an interruption it resumes. Both stop when the caller loses its administrator rights. Neither holds
 * more than some lines in memory. Each process executes two at a time; further ones get 429.
 */
import { PassThrough, type Writable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, type Caller, type Core, type ExportLine } from '../../core';
import { nameContentType } from '../requests/body';
import { watchCaller } from '../connections/caller-watch';
import { refuseOtherMethods } from '../requests/method';
import { readTextLines } from '../responses/text-lines';

type NamedRequest = FastifyRequest<{ Params: { name: string }; Querystring: { current?: unknown } }>;

const PATH = '/w/system/api/v1/tenants/:name';
const SYSTEM = 'system';
const LINES = 'application/x-ndjson';
/** Limit on simultaneous exports and imports of a process. */
const AT_ONCE = 2;
/** A line is one version: the text of the largest resource, which JSON may have to escape, and its metadata. */
const LINE_FACTOR = 2;

export function registerTenantTransfer(
  server: FastifyInstance,
  core: Core,
  {
    largestResource,
    stallMs,
  }: {
    readonly largestResource: number;
    /** Milliseconds after which an export is cancelled whose client reads nothing. */
    readonly stallMs: number;
  },
): void {
  let underWay = 0;
  const enter = (): void => {
    if (underWay >= AT_ONCE)
      throw fhirError('tooManyRequests', {
        reason: `${AT_ONCE} exports or imports are in progress, which is the limit: try again later`,
      });
    underWay += 1;
  };
  const leave = (): void => void (underWay -= 1);

  server.addContentTypeParser(LINES, (_request, payload, done) => done(null, payload));

  refuseOtherMethods(server, `${PATH}/export`, ['GET']);
  refuseOtherMethods(server, `${PATH}/import`, ['POST']);

  server.get(`${PATH}/export`, async (request: NamedRequest, reply) => {
    const { current = 'false' } = request.query;
    if (current !== 'true' && current !== 'false')
      throw fhirError('invalidValue', { reason: 'The parameter current must be true or false' });
    enter();
    const lines = await core.tenants
      .export(request.params.name, current === 'true' ? 'current' : 'all')
      .catch((error: unknown) => {
        leave();
        throw error;
      });
    const watch = watchCaller(core, SYSTEM, 'r4', callerOf(request));
    const done = (): void => {
      watch.end();
      leave();
    };
    if (lines !== undefined) return sendLines(request, reply, until(lines, watch.signal), { stallMs, done });
    watch.end();
    leave();
    throw fhirError('unknownTenant');
  });

  server.post(
    `${PATH}/import`,
    { bodyLimit: Number.MAX_SAFE_INTEGER },
    async (request: NamedRequest, reply) => {
      const { body } = request;
      if (!isReadable(body)) {
        const contentType = nameContentType(request.headers);
        throw fhirError('unsupportedMediaType', { contentType, allowed: `send ${LINES}` });
      }
      enter();
      // An import takes as long as its lines arrive.
      request.logEntry.deadline = Infinity;
      const watch = watchCaller(core, SYSTEM, 'r4', callerOf(request));
      try {
        const lines = until(readTextLines(body, LINE_FACTOR * largestResource), watch.signal);
        const imported = await core.tenants.import(request.params.name, lines);
        return await reply
          .code(201)
          .header('content-type', 'application/json; charset=utf-8')
          .header('cache-control', 'no-store')
          .header('x-request-id', request.id)
          .send(JSON.stringify(imported));
      } finally {
        watch.end();
        leave();
      }
    },
  );
}

function isReadable(body: unknown): body is NodeJS.ReadableStream & AsyncIterable<Buffer> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function callerOf({ logEntry }: FastifyRequest): Caller {
  if (logEntry.caller === undefined) throw new Error('the administrator was not identified');
  return logEntry.caller;
}

/** Yields the same lines; throws the reason of the signal when it is aborted. */
async function* until<Line>(lines: AsyncIterable<Line>, signal: AbortSignal): AsyncGenerator<Line> {
  for await (const line of lines) {
    signal.throwIfAborted();
    yield line;
  }
}

/** Sends the lines. An error closes the connection before the last line, without which the file cannot be imported. */
function sendLines(
  request: NamedRequest,
  reply: FastifyReply,
  lines: AsyncIterable<ExportLine>,
  { stallMs, done }: { readonly stallMs: number; readonly done: () => void },
): FastifyReply {
  const output = new PassThrough();
  const write = async (): Promise<void> => {
    for await (const { text } of lines) {
      if (output.destroyed) return;
      if (!output.write(`${text}\n`)) await drained(output, stallMs);
    }
    output.end();
  };
  write()
    .catch((error: unknown) => output.destroy(error instanceof Error ? error : new Error('it failed')))
    .finally(done);
  return reply
    .code(200)
    .header('content-type', LINES)
    .header('content-disposition', `attachment; filename="${request.params.name}.ndjson"`)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('x-request-id', request.id)
    .send(output);
}

/** Resolves when more can be written, or the output is closed. Rejects when the client reads nothing for `stallMs`. */
function drained(output: Writable, stallMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (then: () => void): void => {
      clearTimeout(timer);
      output.off('drain', go).off('close', go);
      then();
    };
    const go = (): void => end(resolve);
    const timer = setTimeout(
      () => end(() => reject(new Error('the client does not read the export'))),
      stallMs,
    );
    output.once('drain', go).once('close', go);
  });
}
