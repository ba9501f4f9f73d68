import type { FastifyReply } from 'fastify';
import { CONTENT_LIMITS, SHOWN_ELSEWHERE } from '../browser-limits';
import { fhirError, type OpenedBinary, type RequestContext, type StoredVersion } from '../core';
import { contentPolicyOf, dispositionOf } from './binary';
import type { RestContext } from './rest-context';
import { rangeOf } from './responses/byte-range';
import { holdPiece, NOTHING, sendStream } from './responses/content-stream';
import { encodePieces } from './responses/encode-pieces';
import { toEntityTag } from './responses/entity-tag';
import { indentJson } from './responses/json-layout';
import { FHIR_JSON } from './requests/negotiation';
import type { Query } from './requests/query';
import type { FhirRequest } from './requests/fhir-request';
import { signatureOf } from './requests/signed-address';

/**
 * Caches must revalidate: a browser would treat a resource with Last-Modified as fresh for a while. Responses to
 * changes are not cached at all.
 */
const REVALIDATE = 'private, no-cache';
const NO_STORE = 'no-store';

/** Longer texts are encoded at once: Node encodes a joined text far more slowly. */
const ENCODED_FROM = 4096;

/** Longer texts are not indented: indentation would delay other requests. */
const LONGEST_LAID_OUT = 1024 * 1024;

type ExchangeParts = Readonly<Pick<Exchange, 'restContext' | 'request' | 'reply' | 'context' | 'query'>>;

/** One request to a FHIR route with a valid address, and its response. */
export class Exchange {
  readonly restContext: RestContext;
  readonly request: FhirRequest;
  readonly reply: FastifyReply;
  context: RequestContext;
  /** The query of the address; after a search by POST, with the parameters of the form. */
  query: Query;
  /** A concrete type of the release; '' on routes without one. */
  readonly type: string;
  /** An id of valid form; '' on routes without one. */
  readonly id: string;
  #cacheControl = REVALIDATE;

  constructor({ restContext, request, reply, context, query }: ExchangeParts) {
    this.restContext = restContext;
    this.request = request;
    this.reply = reply;
    this.context = context;
    this.query = query;
    this.type = request.params.type ?? '';
    this.id = request.params.id ?? '';
  }

  /** `{fhir_root}` in the form for clients. */
  get root(): string {
    return this.restContext.addresses.root(this.request, this.context.space);
  }

  /** True: the address gives the right to read this version, and to nothing else. */
  get isSigned(): boolean {
    return signatureOf(this.request) !== undefined;
  }

  forbidCaching(): this {
    this.#cacheControl = NO_STORE;
    return this;
  }

  /** Sets ETag and Last-Modified of a version (https://hl7.org/fhir/R4/http.html#versioning). */
  setVersion(version: StoredVersion): this {
    this.reply
      .header('etag', toEntityTag(version.versionId))
      .header('last-modified', new Date(version.lastUpdated).toUTCString());
    return this;
  }

  /**
   * Sends a FHIR resource, or JSON of another type. It is a text, the pieces of a text, or bytes that are sent
   * unchanged.
   */
  send(status: number, resource: string | readonly string[] | Buffer, contentType = FHIR_JSON): FastifyReply {
    this.#setCommonHeaders();
    const body = Buffer.isBuffer(resource) ? resource : encode(resource, this.query.pretty);
    this.request.logEntry.sends(body.length);
    return this.reply.code(status).header('content-type', contentType).send(body);
  }

  /** Lets the time limit of the request begin now: its body has arrived. */
  restart(): void {
    const deadline = Date.now() + this.restContext.settings.requestTimeoutMs;
    const cancellation = this.request.logEntry.waitUntil(deadline);
    this.context = { ...this.context, deadline, cancellation };
  }

  /**
   * Sends the content of a Binary, or the range of it that the client asks for. A browser that opens it may save or display
   * it, and must not execute any part of it. Throws rangeNotSatisfiable, memoryFull.
   */
  sendContent(content: OpenedBinary, version: StoredVersion): FastifyReply {
    const { request, reply } = this;
    const { contentType, securityContext, size } = content;
    if (content.bytes === undefined) holdPiece(request);
    this.#setCommonHeaders();
    reply.header('accept-ranges', 'bytes');
    const range = request.method === 'GET' ? rangeOf(request.headers, version, size) : undefined;
    if (range === 'unsatisfiable') {
      reply.header('content-range', `bytes */${size}`);
      throw fhirError('rangeNotSatisfiable', { size });
    }
    if (securityContext !== undefined) reply.header('x-security-context', securityContext);
    // Front ends that CORS allows, and those that were given a signed address, show it as an image.
    if (this.restContext.settings.corsOrigins.length > 0 || this.isSigned) reply.headers(SHOWN_ELSEWHERE);
    const { start, end } = range ?? { start: 0, end: size };
    if (range !== undefined) reply.header('content-range', `bytes ${start}-${end - 1}/${size}`);
    reply
      .headers(CONTENT_LIMITS)
      .code(range === undefined ? 200 : 206)
      .header('content-type', contentType)
      .header('content-disposition', dispositionOf(contentType))
      .header('content-security-policy', contentPolicyOf(contentType));
    if (content.bytes !== undefined) {
      request.logEntry.sends(end - start);
      return reply.send(content.bytes.subarray(start, end));
    }
    reply.header('content-length', end - start);
    return sendStream(this, request.method === 'HEAD' ? NOTHING : content.read({ start, end }));
  }

  /** Sends a response without a body: 204, 304, or the result of `return=minimal`. */
  sendEmpty(status: number): FastifyReply {
    this.#setCommonHeaders();
    return this.reply.code(status).send();
  }

  #setCommonHeaders(): void {
    this.reply
      .header('cache-control', this.#cacheControl)
      .header('x-content-type-options', 'nosniff')
      .header('x-request-id', this.request.id);
  }
}

function encode(resource: string | readonly string[], isPretty: boolean): string | Buffer {
  if (!isPretty && typeof resource !== 'string') return encodePieces(resource);
  const text = typeof resource === 'string' ? resource : resource.join('');
  const body = isPretty && text.length <= LONGEST_LAID_OUT ? indentJson(text) : text;
  return body.length > ENCODED_FROM ? Buffer.from(body) : body;
}
