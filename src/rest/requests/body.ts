import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  decodeUtf8,
  FhirError,
  fhirError,
  inNextTurn,
  joinInTurns,
  RELEASES,
  textOf,
  type Release,
  fitsRelease,
  parseMediaRange,
} from '../../core';
import { readBytes, type CountedBody } from './body-bytes';
import type { BodyBlocks } from './collected-bytes';

export const RESOURCE_TYPES = ['application/fhir+json', 'application/json', 'application/json+fhir'] as const;
export const PATCH_TYPES = ['application/json-patch+json', ...RESOURCE_TYPES] as const;
export const FORM_TYPES = ['application/x-www-form-urlencoded'] as const;

/** The parsed `Content-Type`, cached by header text. */
interface ContentType {
  readonly name: string;
  readonly isUtf8: boolean;
  readonly releases: Readonly<Record<Release, boolean>>;
}

const CACHE_SIZE = 256;
const CACHED_LENGTH = 256;
const contentTypes = new Map<string, ContentType>();

/** True when the headers announce a body; a chunked one may still be empty. */
export function announcesBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

/**
 * True when the body has one of the `allowed` types, is in UTF-8, and is of this release where it names one.
 * Cost: one look-up in a map for a header in the cache.
 */
export function hasContentType(
  headers: IncomingHttpHeaders,
  allowed: readonly string[],
  release: Release,
): boolean {
  const contentType = parseContentType(headers['content-type'] ?? '');
  if (contentType === undefined || !contentType.isUtf8 || !contentType.releases[release]) return false;
  return allowed.includes(contentType.name);
}

/** Throws `unsupportedMediaType` where `hasContentType` is false. */
export function requireContentType(
  headers: IncomingHttpHeaders,
  allowed: readonly string[],
  release: Release,
): void {
  if (hasContentType(headers, allowed, release)) return;
  throw fhirError('unsupportedMediaType', {
    contentType: nameContentType(headers),
    allowed: `send ${allowed.join(', ')} in UTF-8, with fhirVersion ${RELEASES[release].mimeVersion} or without`,
  });
}

/** Returns the value of the header for a message, or `not stated`. */
export function nameContentType(headers: IncomingHttpHeaders): string {
  const { 'content-type': stated = '' } = headers;
  return stated === '' ? 'not stated' : stated;
}

function parseContentType(header: string): ContentType | undefined {
  const cached = contentTypes.get(header);
  if (cached !== undefined) return cached;
  const range = parseMediaRange(header);
  if (range === undefined) return undefined;
  const charset = range.parameters.get('charset');
  const contentType: ContentType = {
    name: `${range.type}/${range.subtype}`,
    isUtf8: charset === undefined || charset === 'utf-8' || charset === 'utf8',
    releases: { r4: fitsRelease(range, 'r4'), r4b: fitsRelease(range, 'r4b') },
  };
  if (contentTypes.size >= CACHE_SIZE) contentTypes.clear();
  if (header.length <= CACHED_LENGTH) contentTypes.set(header, contentType);
  return contentType;
}

/** A body: text, or bytes where `readLongBody` read a long one. */
export type Body = string | BodyBlocks;

/**
 * Reads the whole body as text. Errors, passed to `done`: those of `readBytes`, `invalidJson` for bytes that are not
 * UTF-8.
 */
export function readBody(
  source: Readable,
  counted: CountedBody,
  limit: number,
  done: (error: Error | null, text?: string) => void,
): void {
  readLongBody(source, counted, limit, (error, body) => {
    if (body === undefined || typeof body === 'string') {
      done(error, body);
      return;
    }
    // Joining, decoding and passing on megabytes each take a turn of the event loop.
    const bytes = Buffer.concat(body);
    inNextTurn(() => decode(bytes, (failure, text) => inNextTurn(() => done(failure, text))));
  });
}

/** Like `readBody`, but a body of more than LONG_BODY bytes stays in blocks and is decoded where it is parsed. */
export function readLongBody(
  source: Readable,
  counted: CountedBody,
  limit: number,
  done: (error: Error | null, body?: Body) => void,
): void {
  readBytes(source, counted, limit, (error, bytes = NO_BYTES) => {
    if (error !== null) done(error);
    else if (Buffer.isBuffer(bytes)) decode(bytes, done);
    else done(null, bytes);
  });
}

function decode(bytes: Buffer, done: (error: Error | null, text?: string) => void): void {
  let text: string;
  try {
    text = decodeUtf8(bytes);
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    done(error);
    return;
  }
  done(null, text);
}

/**
 * Returns a body for storage: text, or the bytes of a long one, which are joined in turns of the event loop. Throws
 * `invalidJson` for bytes that are not UTF-8.
 */
export async function toStored(body: Body): Promise<string | Buffer> {
  if (typeof body === 'string') return body;
  const bytes = await joinInTurns(body);
  if (!isUtf8(bytes)) throw fhirError('invalidJson', { reason: 'its bytes are not UTF-8' });
  await nextTurn();
  return bytes;
}

const NO_BYTES = Buffer.alloc(0);

/** Returns a body as text. Throws `invalidJson` for bytes that are not UTF-8. Cost: decoding, for a long body. */
export function toText(body: Body): string {
  return typeof body === 'string' ? body : textOf({ blocks: body });
}
