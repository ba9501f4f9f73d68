/**
 * Transfers a whole tenant over HTTP (docs/run/tenants.md, "Export and import").
 *
 * An export streams lines of JSON; with `?current=true` only the current versions. An import takes the lines of the former,
 * and responds with 201 when the tenant is made; sent again after an interruption it resumes. Both stop when the caller
 * loses its administrator rights. Neither holds more than some lines in memory. Each process executes two at a time for the
 * operator, and one of each tenant for its administrators; further ones get 429. Those of other tenants do not count.
 */
import type { FastifyRequest } from 'fastify';
import { fhirError, type Caller, type Core, type ExportLine, type TenantAdministration } from '../../core';
import { nameContentType } from '../requests/body';
import { watchCaller } from '../connections/caller-watch';
import { sendLines, until } from '../responses/send-lines';
import { readTextLines } from '../responses/text-lines';
import type { Mount } from './mounts';
import { LINES, type TRANSFER_ROUTES } from './routes';
import type { HandlersOf } from './serve-routes';

/** Limit on simultaneous exports and imports of the operator in a process. */
const AT_ONCE = 2;
/** A line is one version: the text of the largest resource, which JSON may have to escape, and its metadata. */
const LINE_FACTOR = 2;

export interface TransferOptions {
  readonly administration: Pick<TenantAdministration, 'export'>;
  readonly mount: Mount;
  readonly largestResource: number;
  /** Milliseconds after which an export is cancelled whose client reads nothing. */
  readonly stallMs: number;
}

export function transferHandlers(
  core: Core,
  { administration, mount, largestResource, stallMs }: TransferOptions,
): HandlersOf<typeof TRANSFER_ROUTES> {
  const underWay: string[] = [];
  const isOperator = mount.name === 'operator';
  const enter = (tenant: string): void => {
    if (isOperator ? underWay.length >= AT_ONCE : underWay.includes(tenant)) throw tooMany(isOperator);
    underWay.push(tenant);
  };
  const leave = (tenant: string): void => void underWay.splice(underWay.indexOf(tenant), 1);

  return {
    exportTenant: async ({ params: { tenant }, query: { current }, request, reply }) => {
      enter(tenant);
      const lines = await administration
        .export(tenant, current === true ? 'current' : 'all')
        .catch((error: unknown) => {
          leave(tenant);
          throw error;
        });
      const watch = watchCaller(core, mount.adminOf(tenant), 'r4', callerOf(request));
      const done = (): void => {
        watch.end();
        leave(tenant);
      };
      if (lines !== undefined) {
        const file = { contentType: LINES, fileName: `${tenant}.ndjson`, stallMs, done };
        return { sent: sendLines(request, reply, textsOf(until(lines, watch.signal)), file) };
      }
      done();
      throw fhirError('unknownTenant');
    },
    importTenant: async ({ params: { tenant }, request }) => {
      const { body } = request;
      if (!isReadable(body)) {
        const contentType = nameContentType(request.headers);
        throw fhirError('unsupportedMediaType', { contentType, allowed: `send ${LINES}` });
      }
      enter(tenant);
      // An import takes as long as its lines arrive.
      request.logEntry.deadline = Infinity;
      const watch = watchCaller(core, mount.adminOf(tenant), 'r4', callerOf(request));
      try {
        const lines = until(readTextLines(body, LINE_FACTOR * largestResource), watch.signal);
        return { status: 201, answer: await core.tenants.import(tenant, lines) };
      } finally {
        watch.end();
        leave(tenant);
      }
    },
  };
}

function tooMany(isOperator: boolean): Error {
  const running = isOperator ? `${AT_ONCE} exports or imports are` : 'An export of this tenant is';
  return fhirError('tooManyRequests', {
    reason: `${running} in progress, which is the limit: try again later`,
  });
}

function isReadable(body: unknown): body is NodeJS.ReadableStream & AsyncIterable<Buffer> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

export function callerOf({ logEntry }: FastifyRequest): Caller {
  if (logEntry.caller === undefined) throw new Error('the administrator was not identified');
  return logEntry.caller;
}

async function* textsOf(lines: AsyncIterable<ExportLine>): AsyncGenerator<string> {
  for await (const { text } of lines) yield text;
}
