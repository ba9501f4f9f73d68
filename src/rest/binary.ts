/**
 * Binary, the only type that FHIR sends and accepts in its own content type (https://hl7.org/fhir/R4/binary.html#rest).
 */
import type { FastifyRequest } from 'fastify';
import {
  fhirError,
  JSON_TYPES,
  UNKNOWN_TYPE,
  stringifyJson,
  type Core,
  type JsonObject,
  type Release,
  fitsRelease,
  parseMediaRange,
  parseMediaRanges,
  type MediaRange,
} from '../core';
import { RESOURCE_TYPES } from './requests/body';
import { FHIR_ROOT } from './interaction-names';

export const BINARY = 'Binary';

/** Routes where a body may be the content of a Binary: create, update, and conditional update. */
const RAW_ADDRESSES: readonly string[] = [
  `POST ${FHIR_ROOT}/:type`,
  `PUT ${FHIR_ROOT}/:type/:id`,
  `PUT ${FHIR_ROOT}/:type`,
];

/** Bytes for the other members of the resource that the content becomes. */
const ENVELOPE_BYTES = 4096;

/** True when the body of a request is the content of a Binary in another type than FHIR's. */
export function isContentOfBinary(request: FastifyRequest): boolean {
  const { params } = request;
  if (typeof params !== 'object' || params === null || !('type' in params) || params.type !== BINARY)
    return false;
  if (!RAW_ADDRESSES.includes(`${request.method} ${request.routeOptions.url}`)) return false;
  return !isJsonType(request.headers['content-type'] ?? '');
}

function isJsonType(header: string): boolean {
  const range = parseMediaRange(header);
  return range !== undefined && RESOURCE_TYPES.some((name) => name === `${range.type}/${range.subtype}`);
}

/** Returns the largest content, in bytes, whose resource does not exceed the limit of a resource. */
export function largestContent(resourceLimit: number): number {
  return Math.max(0, Math.floor(((resourceLimit - ENVELOPE_BYTES) * 3) / 4));
}

/** Returns the JSON text of the Binary of some content; `id` undefined: it has none yet. */
export function writeBinary(
  base64: string,
  id: string | undefined,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string {
  const securityContext = headers['x-security-context'];
  const resource: JsonObject = {
    resourceType: BINARY,
    ...(id === undefined ? {} : { id }),
    contentType: String(headers['content-type'] ?? UNKNOWN_TYPE).trim(),
    ...(securityContext === undefined ? {} : { securityContext: { reference: String(securityContext) } }),
  };
  // The base64 text needs no escapes. FHIR allows no empty value.
  const text = stringifyJson(resource, false);
  return base64 === '' ? text : `${text.slice(0, -1)},"data":"${base64}"}`;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * True when a Binary is sent as a resource: the client accepts a content type of FHIR by name, with at least the
 * quality of the content's type. Otherwise the content is sent in its own type. Throws `notAcceptable` where the client
 * accepts neither.
 */
export function wantsResource(
  accept: string | undefined,
  format: string | undefined,
  contentType: string,
  release: Release,
): boolean {
  const wanted = format ?? accept ?? '';
  const ranges = format === undefined ? parseMediaRanges(wanted) : toRanges(format);
  if (ranges.length === 0 && format === undefined) return false;
  const own = parseMediaRange(contentType);
  const ofResource = Math.max(
    0,
    ...ranges.filter((range) => isFhirRange(range, own, release)).map(({ quality }) => quality),
  );
  const ofContent = own === undefined ? 0 : qualityOf(own, ranges);
  if (ofResource > 0 && ofResource >= ofContent) return true;
  if (ofContent > 0) return false;
  throw fhirError('notAcceptable', { offered: `${contentType}, ${JSON_TYPES}`, accept: wanted });
}

/** True when the client accepts content in its own type, which alone large content is sent in. */
export function acceptsContent(
  accept: string | undefined,
  format: string | undefined,
  contentType: string,
): boolean {
  const ranges = format === undefined ? parseMediaRanges(accept ?? '') : toRanges(format);
  if (ranges.length === 0 && format === undefined) return true;
  const own = parseMediaRange(contentType);
  return own !== undefined && qualityOf(own, ranges) > 0;
}

function toRanges(format: string): MediaRange[] {
  const written = format
    .trim()
    .toLowerCase()
    .replace(/ (?=json|fhir|xml)/, '+');
  const range = parseMediaRange(written === 'json' ? RESOURCE_TYPES[0] : written);
  return range === undefined ? [] : [range];
}

/**
 * True for a type of FHIR by name, without wildcards. `application/json` means the content where the content has that
 * type.
 */
function isFhirRange(range: MediaRange, own: MediaRange | undefined, release: Release): boolean {
  const name = `${range.type}/${range.subtype}`;
  if (!RESOURCE_TYPES.some((type) => type === name) || !fitsRelease(range, release)) return false;
  return name === RESOURCE_TYPES[0] || own === undefined || name !== `${own.type}/${own.subtype}`;
}

/** Returns the quality that the most specific range gives to a type. */
function qualityOf(own: MediaRange, ranges: readonly MediaRange[]): number {
  let best = -1;
  let quality = 0;
  for (const range of ranges) {
    const specificity =
      range.type === '*'
        ? 0
        : range.type !== own.type
          ? -1
          : range.subtype === '*'
            ? 1
            : range.subtype === own.subtype
              ? 2
              : -1;
    if (specificity < 0 || specificity < best) continue;
    quality = specificity > best ? range.quality : Math.max(quality, range.quality);
    best = specificity;
  }
  return quality;
}

/** Types that browsers display without executing any part of them; all others are sent as attachments. */
const SHOWN =
  /^(?:image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain|application\/pdf)\s*(?:;|$)/i;

/** Value of `Content-Disposition`: stored HTML must not open as a page of this server. */
export function dispositionOf(contentType: string): 'inline' | 'attachment' {
  return SHOWN.test(contentType) ? 'inline' : 'attachment';
}

/**
 * Returns the policy for stored content that a browser opens: it may only be displayed. Viewers of PDFs do not open one in a
 * sandbox; what runs in a PDF runs in the viewer, which has no rights of this origin. The console shows PDFs in a frame.
 */
export function contentPolicyOf(contentType: string): string {
  return /^application\/pdf\s*(?:;|$)/i.test(contentType)
    ? "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'"
    : "default-src 'none'; sandbox; frame-ancestors 'none'";
}

/** True when JSON text that was sent to Binary is a Binary resource, and not content of type JSON. */
export async function isBinaryResource(core: Core, text: string, maxDepth: number): Promise<boolean> {
  if (!text.includes(BINARY)) return false;
  const { value } = await core.interactions.outline(text, { maxDepth, levels: 1 });
  return isObject(value) && value['resourceType'] === BINARY;
}
