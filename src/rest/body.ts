import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { fhirError, RELEASES, type Release } from '../core';
import { readBytes } from './body-bytes';
import { parseMediaRange } from './media-range';
import { fitsRelease } from './negotiation';

export const RESOURCE_TYPES = ['application/fhir+json', 'application/json', 'application/json+fhir'] as const;
export const PATCH_TYPES = ['application/json-patch+json', ...RESOURCE_TYPES] as const;
export const FORM_TYPES = ['application/x-www-form-urlencoded'] as const;

/** What a `Content-Type` says, judged once per header text. */
interface ContentType {
  readonly name: string;
  readonly isUtf8: boolean;
  readonly releases: Readonly<Record<Release, boolean>>;
}

const CACHE_SIZE = 256;
const CACHED_LENGTH = 256;
const contentTypes = new Map<string, ContentType>();

/** Whether the headers announce a body; a chunked one may still turn out empty. */
export function announcesBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

/**
 * Whether the body is of one of the `allowed` types, in UTF-8, and of this release where it names one. Cost: one
 * look-up in a map for a header that was seen before.
 */
export function hasContentType(
  headers: IncomingHttpHeaders,
  allowed: readonly string[],
  release: Release,
): boolean {
  const contentType = judgeContentType(headers['content-type'] ?? '');
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

/** For a message: what the header says, where it says something. */
export function nameContentType(headers: IncomingHttpHeaders): string {
  const { 'content-type': stated = '' } = headers;
  return stated === '' ? 'not stated' : stated;
}

function judgeContentType(header: string): ContentType | undefined {
  const known = contentTypes.get(header);
  if (known !== undefined) return known;
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

/** The whole body as text. Errors, given to `done`: those of `readBytes`, `invalidJson` for bytes that are not UTF-8. */
export function readBody(
  source: Readable,
  headers: IncomingHttpHeaders,
  limit: number,
  done: (error: Error | null, text?: string) => void,
): void {
  readBytes(source, headers, limit, (error, bytes = NO_BYTES) => {
    if (error !== null) done(error);
    else if (!isUtf8(bytes))
      done(fhirError('invalidJson', { reason: `${placeOfBadByte(bytes)}: its bytes are not UTF-8` }));
    else done(null, bytes.toString('utf8'));
  });
}

const NO_BYTES = Buffer.alloc(0);

const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

/** Line and column, as the parser counts them, of the first byte that is not UTF-8. */
function placeOfBadByte(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  let position = text.indexOf(REPLACEMENT);
  let offset = Buffer.byteLength(text.slice(0, position));
  // A replacement character that the client sent is one in the bytes as well.
  while (bytes.subarray(offset, offset + REPLACEMENT_BYTES.length).equals(REPLACEMENT_BYTES)) {
    const next = text.indexOf(REPLACEMENT, position + 1);
    offset += Buffer.byteLength(text.slice(position, next));
    position = next;
  }
  const before = text.slice(0, position);
  return `line ${before.split('\n').length}, column ${position - before.lastIndexOf('\n')}`;
}
