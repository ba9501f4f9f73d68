/** A body that is not read before the request is allowed: long content of a Binary, or content of unknown length. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FhirError, fhirError } from '../../core';
import { admitSlowBody } from '../connections/connection-limits';
import { createDecoder } from './content-coding';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined: the body was read, or there is none. */
    upload: UploadedContent | undefined;
  }
}

/** Bytes of a refused body that are still read and dropped, so that the client receives the refusal. */
const DRAINED_SIZE = 16 * 1024 * 1024;
/** Milliseconds without a byte after which nothing more is dropped. */
const DRAIN_MS = 1_000;
/** Milliseconds for which it is read at most, however slowly it comes. */
const LONGEST_DRAIN_MS = 30_000;

export class UploadedContent {
  /** Bytes that the headers announce; undefined: they do not, or in another coding. */
  readonly declared: number | undefined;
  /** The coding of the body that is not known here. */
  readonly unknownCoding: string | undefined;
  private readonly decoder: Transform | undefined;
  private hasEnded = false;

  constructor(
    private readonly source: IncomingMessage,
    private readonly idleMs: number,
  ) {
    const { 'content-encoding': coding, 'content-length': length } = source.headers;
    const decoder = createDecoder(coding);
    this.unknownCoding = decoder === 'unknown' ? (coding ?? '') : undefined;
    this.decoder = decoder === 'unknown' ? undefined : decoder;
    this.declared = decoder === undefined && length !== undefined ? Number(length) : undefined;
  }

  /** True: nothing of the body is left to read. */
  get isRead(): boolean {
    return this.hasEnded;
  }

  /**
   * Yields the body, decompressed, as it arrives. Throws `uploadIdle` when nothing arrives for too long, `invalidCoding`, and
   * `invalidValue` where the client breaks off.
   */
  pieces(): AsyncGenerator<Buffer> {
    const sent = this.sent(this.idleMs, () =>
      fhirError('uploadIdle', { seconds: Math.ceil(this.idleMs / 1000) }),
    );
    return this.decoder === undefined ? sent : decode(sent, this.decoder);
  }

  /** Reads and drops some of what is left, so that a client that only sends reads the answer next. Never rejects. */
  async drain(longestMs = LONGEST_DRAIN_MS): Promise<void> {
    const end = performance.now() + longestMs;
    let dropped = 0;
    try {
      for await (const piece of this.sent(DRAIN_MS, () => fhirError('uploadIdle'))) {
        dropped += piece.length;
        if (dropped > DRAINED_SIZE || performance.now() > end) return;
      }
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
    }
  }

  private async *sent(idleMs: number, onIdle: () => FhirError): AsyncGenerator<Buffer> {
    if (this.hasEnded) return;
    const pieces = this.source.iterator({ destroyOnReturn: false });
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const idle = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(onIdle()), idleMs);
      });
      // Both promises may reject; the later one is of no interest.
      const arriving = pieces.next().catch(() => {
        throw fhirError('invalidValue', { reason: 'The body breaks off' });
      });
      arriving.catch(() => undefined);
      try {
        const next = await Promise.race([arriving, idle]);
        if (next.done === true) {
          this.hasEnded = true;
          return;
        }
        yield next.value as Buffer;
      } finally {
        clearTimeout(timer);
      }
    }
  }
}

async function* decode(pieces: AsyncIterable<Buffer>, decoder: Transform): AsyncGenerator<Buffer> {
  let fault: Error | undefined;
  const feed = async (): Promise<void> => {
    for await (const piece of pieces) if (!decoder.write(piece)) await once(decoder, 'drain');
    decoder.end();
  };
  const fed = feed().catch((error: unknown) => {
    fault = error instanceof Error ? error : new Error('the body broke off');
    decoder.destroy();
  });
  try {
    for await (const piece of decoder) yield piece as Buffer;
  } catch (error) {
    throw fault instanceof FhirError
      ? fault
      : fhirError('invalidCoding', { coding: String(codingOf(error)) });
  } finally {
    decoder.destroy();
  }
  await fed;
  if (fault !== undefined) throw fault;
}

function codingOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'of the body';
}

/**
 * Leaves the body unread. Throws `bodyTooLarge` where it announces more than `limit` bytes, `unsupportedCoding`.
 */
export function leaveUnread(
  request: FastifyRequest,
  { limit, idleMs }: { readonly limit: number; readonly idleMs: number },
): void {
  const upload = new UploadedContent(request.raw, idleMs);
  request.upload = upload;
  admitSlowBody(request.raw);
  const coding = upload.unknownCoding;
  if (coding !== undefined) throw fhirError('unsupportedCoding', { coding: coding.slice(0, 100) });
  if (upload.declared !== undefined && upload.declared > limit) throw fhirError('bodyTooLarge', { limit });
}

/** Closes the connection of a request whose body was not read to its end, after the answer. */
export function endUnreadBodies(server: FastifyInstance): void {
  server.decorateRequest('upload', undefined);
  server.addHook('onSend', async (request, reply, payload) => {
    const { upload } = request;
    if (upload === undefined || upload.isRead) return payload;
    reply.header('connection', 'close');
    await upload.drain();
    return payload;
  });
}
