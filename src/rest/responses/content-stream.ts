/** Responses of large content: streamed with constant memory, until the client stops to read or loses its access. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { isRelease } from '../../core';
import { watchCaller } from '../connections/caller-watch';
import type { RestContext } from '../rest-context';
import type { FhirRequest } from '../requests/fhir-request';

/** Characters of the largest piece; the budget of memory counts each three times. */
const PIECE_SIZE = 1024 * 1024;

/** The content of a response to HEAD. */
export const NOTHING: readonly Buffer[] = [];

/** Counts the memory of a response in pieces, until it ends. Call it before the headers are set. Throws `memoryFull`. */
export function holdPiece({ logEntry }: FhirRequest): void {
  logEntry.bytes.addAnswer(PIECE_SIZE);
}

/** Sends pieces whose number of bytes is in the header `content-length`. */
export function sendStream(
  {
    restContext,
    request,
    reply,
  }: { readonly restContext: RestContext; readonly request: FhirRequest; readonly reply: FastifyReply },
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
): FastifyReply {
  const { tenant, release } = request.params;
  const { caller } = request.logEntry;
  // It ends by its pauses, and not at the deadline. Node resets this timeout after the response.
  request.logEntry.deadline = Infinity;
  request.raw.socket.setTimeout(restContext.settings.transfers.idleMs);
  // One piece at a time: each is read when the one before was written.
  const stream = Readable.from(pieces, { objectMode: true, highWaterMark: 1 });
  if (caller !== undefined && isRelease(release)) {
    const watch = watchCaller(restContext.core, tenant, release, caller);
    watch.signal.addEventListener('abort', () =>
      stream.destroy(new Error('the access of the client has ended')),
    );
    stream.once('close', () => watch.end());
  }
  return reply.send(stream);
}
