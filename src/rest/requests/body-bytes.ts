import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { errorOf, fhirError, type FhirError, type HeldBytes } from '../../core';
import { CollectedBytes, type BodyBlocks } from './collected-bytes';
import { createDecoder } from './content-coding';

/** Bytes beyond the limit that are still read and dropped, so that the client receives the refusal. */
const DRAINED_SIZE = 16 * 1024 * 1024;

/** The headers of a body before it is read, and the counter of its bytes. */
export interface CountedBody {
  readonly headers: IncomingHttpHeaders;
  readonly logEntry: { readonly bytes: HeldBytes };
}

/**
 * Reads the whole body, decompressed; a long one in blocks. libuv's threads decompress it, never beyond the limit.
 * Errors, passed to `done`: `bodyTooLarge` over `limit` bytes, sent or decompressed; `unsupportedCoding` for an unknown
 * `Content-Encoding`; `invalidCoding` for bytes that do not fit the coding; `invalidJson` for an incomplete body; the
 * errors of `HeldBytes.addBody`. Bytes are counted when they arrive, so that a declared length alone reserves no
 * memory.
 */
export function readBytes(
  source: Readable,
  { headers, logEntry }: CountedBody,
  limit: number,
  done: (error: Error | null, bytes?: Buffer | BodyBlocks) => void,
): void {
  const coding = headers['content-encoding'];
  const declared = Number(headers['content-length'] ?? 0);
  const created = createDecoder(coding);
  const decoder = created === 'unknown' ? undefined : created;
  let refusal =
    declared > limit
      ? fhirError('bodyTooLarge', { limit })
      : created === 'unknown'
        ? fhirError('unsupportedCoding', { coding: (coding ?? '').slice(0, 100) })
        : errorOf(() => logEntry.bytes.requireRoomForBody(declared));
  if (declared > limit + DRAINED_SIZE) {
    done(refusal ?? null);
    return;
  }
  const collected = new CollectedBytes();
  let sent = 0;
  let inflated = 0;
  let hasEnded = false;
  const finish = (error: Error | null): void => {
    source.off('data', collect).off('end', conclude).off('error', breakOff).off('close', breakOff);
    decoder?.removeAllListeners().on('error', ignore).destroy();
    if (error !== null) done(error);
    else done(null, collected.take());
  };
  const refuse = (error: FhirError): FhirError => {
    collected.drop();
    logEntry.bytes.release();
    return (refusal ??= error);
  };
  const store = (chunk: Buffer): boolean => {
    const full = errorOf(() => logEntry.bytes.addBody(chunk.length));
    if (full === undefined) collected.add(chunk);
    else refuse(full);
    return full === undefined;
  };
  const collect = (chunk: Buffer): void => {
    sent += chunk.length;
    if (sent > limit) refuse(fhirError('bodyTooLarge', { limit }));
    if (refusal === undefined) {
      if (decoder === undefined) store(chunk);
      else decoder.write(chunk);
    }
    if (sent > limit + DRAINED_SIZE) finish(refusal ?? null);
  };
  const conclude = (): void => {
    hasEnded = true;
    source.off('close', breakOff);
    if (refusal !== undefined || decoder === undefined || sent === 0) finish(refusal ?? null);
    else decoder.end();
  };
  const breakOff = (): void => finish(fhirError('invalidJson', { reason: 'it breaks off' }));
  decoder
    ?.on('data', (chunk: Buffer) => {
      inflated += chunk.length;
      if (refusal !== undefined) return;
      if (store(chunk) && inflated <= limit) return;
      const refused = refuse(fhirError('bodyTooLarge', { limit }));
      decoder.destroy();
      if (hasEnded) finish(refused);
    })
    .on('end', () => finish(refusal ?? null))
    .on('error', () => {
      const refused = refuse(fhirError('invalidCoding', { coding: (coding ?? '').slice(0, 100) }));
      if (hasEnded) finish(refused);
    });
  source.on('data', collect).on('end', conclude).on('error', breakOff).on('close', breakOff);
  source.resume();
}

function ignore(): void {
  // A destroyed decoder may still emit an error.
}
