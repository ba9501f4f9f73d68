import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { fhirError, type FhirError } from '../core';
import { createDecoder } from './content-coding';

/** Bytes beyond the limit that are still read and dropped, so that the client gets to see the refusal. */
const DRAINED_SIZE = 16 * 1024 * 1024;

/**
 * The whole body, uncompressed; inflated in the threads of libuv and never further than the limit. Errors, given to
 * `done`: `bodyTooLarge` over `limit` bytes, sent or inflated; `unsupportedCoding` for an unknown `Content-Encoding`;
 * `invalidCoding` for bytes that are not what it says; `invalidJson` for a body that breaks off.
 */
export function readBytes(
  source: Readable,
  headers: IncomingHttpHeaders,
  limit: number,
  done: (error: Error | null, bytes?: Buffer) => void,
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
        : undefined;
  if (declared > limit + DRAINED_SIZE) {
    done(refusal ?? null);
    return;
  }
  let chunks: Buffer[] = [];
  let sent = 0;
  let inflated = 0;
  let hasEnded = false;
  const finish = (error: Error | null): void => {
    source.off('data', collect).off('end', conclude).off('error', breakOff).off('close', breakOff);
    decoder?.removeAllListeners().on('error', ignore).destroy();
    if (error !== null) done(error);
    else done(null, chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
  };
  const refuse = (error: FhirError): FhirError => {
    chunks = [];
    return (refusal ??= error);
  };
  const collect = (chunk: Buffer): void => {
    sent += chunk.length;
    if (sent > limit) refuse(fhirError('bodyTooLarge', { limit }));
    if (refusal === undefined) {
      if (decoder === undefined) chunks.push(chunk);
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
      chunks.push(chunk);
      if (inflated <= limit) return;
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
  // A decoder that is destroyed on its way may still tell of it.
}
