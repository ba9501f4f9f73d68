/**
 * Content codings of HTTP (RFC 9110, section 8.4): the choice of the coding of a response, and decompression of bodies.
 */
import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createGunzip,
  createGzip,
  createInflate,
} from 'node:zlib';

/** Codings of responses, the preferred one first. */
const ANSWER_CODINGS = ['br', 'gzip'] as const;
export type AnswerCoding = (typeof ANSWER_CODINGS)[number];

/** About as fast as gzip, and a fifth smaller; higher levels take several times as long. */
const BROTLI_QUALITY = 4;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  deflate: () => createInflate(),
};

/** Value of `Accept-Encoding` in a 415: the codings of a body (RFC 9110, section 15.5.16). */
export const BODY_CODINGS = 'gzip, br, deflate, identity';

/**
 * Returns the coding for a response: the one of `codings` with the higher quality, and the first where they are equal.
 * Undefined where the client accepts neither, or prefers no coding (`identity`). A client that accepts nothing at all
 * gets the response without coding.
 */
export function chooseCoding(
  acceptEncoding: string | undefined,
  codings: readonly AnswerCoding[] = ANSWER_CODINGS,
): AnswerCoding | undefined {
  if (acceptEncoding === undefined || acceptEncoding === '') return undefined;
  const qualities = readQualities(acceptEncoding);
  const any = qualities.get('*') ?? 0;
  const quality = (coding: string): number => qualities.get(coding) ?? any;
  let best: AnswerCoding | undefined;
  for (const coding of codings) {
    if (quality(coding) > (best === undefined ? 0 : quality(best))) best = coding;
  }
  if (best === undefined) return undefined;
  return (qualities.get('identity') ?? 0) > quality(best) ? undefined : best;
}

function readQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const element of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = element.split(';').map((part) => part.trim());
    if (coding === '') continue;
    const written = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const quality = written === undefined ? 1 : Number(written);
    qualities.set(coding === 'x-gzip' ? 'gzip' : coding, quality >= 0 && quality <= 1 ? quality : 0);
  }
  return qualities;
}

/** Returns a stream that compresses, in libuv's threads and not in the event loop. */
export function createEncoder(coding: AnswerCoding, size: number): Transform {
  if (coding === 'gzip') return createGzip();
  return createBrotliCompress({
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: size,
    },
  });
}

/**
 * Returns a stream that decodes a `Content-Encoding`. Undefined for none; `unknown` for an unsupported one, or for
 * several.
 */
export function createDecoder(contentEncoding: string | undefined): Transform | 'unknown' | undefined {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return undefined;
  return (Object.hasOwn(DECODERS, coding) ? DECODERS[coding]?.() : undefined) ?? 'unknown';
}
