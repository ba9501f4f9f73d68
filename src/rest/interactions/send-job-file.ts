import type { FastifyReply } from 'fastify';
import { watchCaller } from '../connections/caller-watch';
import type { Exchange } from '../exchange';
import { NDJSON } from '../requests/negotiation';
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
