import type { FastifyReply } from 'fastify';
import type { KeptFile } from '../../core';
import { watchCaller } from '../connections/caller-watch';
import type { Exchange } from '../exchange';
import { NDJSON } from '../requests/negotiation';
import { NOTHING, sendStream } from '../responses/content-stream';
import { sendLines, until } from '../responses/send-lines';

/** Sends the lines of a file of a job as NDJSON, as long as its caller keeps its access; `done` is called at the end. */
export function sendJobFile(
  { restContext, request, reply, context }: Exchange,
  fileName: string,
  lines: AsyncIterable<string>,
  done: () => void = () => undefined,
): FastifyReply {
  const { core, settings } = restContext;
  const { space, actor, access } = context;
  const caller = { actor, ...(access === undefined ? {} : { access }) };
  const watch = watchCaller(core, space.tenant, space.release, caller);
  return sendLines(request, reply, until(lines, watch.signal), {
    ...{ contentType: NDJSON, fileName, stallMs: settings.connection.stallMs, isCompressed: true },
    done() {
      watch.end();
      done();
    },
  });
}

/** Sends a stored file as NDJSON, as long as its caller keeps its access; `done` is called at the end. */
export function sendStoredFile(
  exchange: Exchange,
  fileName: string,
  { id, size, pieces }: KeptFile,
  done: () => void,
): FastifyReply {
  const { request, reply } = exchange;
  reply
    .code(200)
    .header('content-type', NDJSON)
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .header('content-length', size)
    .header('etag', `"${id}"`)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('x-request-id', request.id);
  reply.raw.once('close', done);
  return sendStream(exchange, request.method === 'HEAD' ? NOTHING : pieces);
}
