import type { FastifyInstance, FastifyReply } from 'fastify';
import { chooseCoding, createEncoder } from '../requests/content-coding';
import { addVary } from './vary';

/** Smaller responses fit into one packet without compression. */
const LEAST_SIZE = 1400;

/** Types that compression makes smaller; compressed formats (images, archives) stay as they are. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript|ndjson)|image\/svg\+xml)/i;

/**
 * Compresses responses in the client's preferred coding, for REST and GraphQL. libuv's threads compress them while they
 * are sent.
 */
export function compressAnswers(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const size = sizeOf(payload);
    if (size < LEAST_SIZE || reply.statusCode === 206 || !isCompressible(reply)) {
      done(null, payload);
      return;
    }
    addVary(reply, 'Accept-Encoding');
    const coding = chooseCoding(headerText(request.headers['accept-encoding']));
    if (coding === undefined) {
      done(null, payload);
      return;
    }
    // A range is one of the bytes as they are stored.
    reply.header('content-encoding', coding).removeHeader('content-length').removeHeader('accept-ranges');
    const encoder = createEncoder(coding, size);
    encoder.end(payload);
    done(null, encoder);
  });
}

/** Returns the size in bytes; -1 for streams, which are sent without compression. */
function sizeOf(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  return Buffer.isBuffer(payload) ? payload.length : -1;
}

function isCompressible(reply: FastifyReply): boolean {
  if (reply.hasHeader('content-encoding')) return false;
  return COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''));
}

function headerText(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' || header === undefined ? header : header.join(',');
}
