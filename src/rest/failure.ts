import type { FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, toFhirError, toOutcome, type Core, type FhirError, type Log } from '../core';
import { nameContentType } from './body';
import { BODY_CODINGS } from './content-coding';
import { indentJson } from './json-layout';
import { FHIR_JSON } from './negotiation';

/** `Allow` of the 405s that core throws without knowing HTTP. */
const ALLOWED: Readonly<Partial<Record<FhirError['key'], string>>> = {
  operationChangesState: 'POST',
  baseResourceReadOnly: 'GET, HEAD, PUT',
};

/** Seconds after which a client should try again when the server could not serve it. */
const RETRY_AFTER = '1';

/** Records and answers anything that was thrown, by us, by core or by Fastify, as an OperationOutcome, and logs what is a fault. */
export async function sendFailure(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { core, log }: { readonly core: Core; readonly log: Log },
): Promise<FastifyReply> {
  const error = translate(thrown, request);
  await request.visit.recordRefusal(core, request, error);
  if (error.key === 'internal')
    log.error({ requestId: request.id, ...describeFault(thrown) }, 'a request failed');
  const allowed = error.allowed ?? ALLOWED[error.key];
  if (error.status === 405 && allowed !== undefined) reply.header('allow', allowed);
  if (isToBeRepeated(error, request.method) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', String(error.retryAfterSeconds ?? RETRY_AFTER));
  if (error.status === 401) reply.header('www-authenticate', challengeOf(request));
  if (error.key === 'unsupportedCoding') reply.header('accept-encoding', BODY_CODINGS);
  if (error.key === 'unsupportedMediaType' && request.method === 'PATCH') {
    reply.header('accept-patch', 'application/json-patch+json, application/json, application/fhir+json');
  }
  return reply
    .code(error.status)
    .header('content-type', FHIR_JSON)
    .header('x-content-type-options', 'nosniff')
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .send(isPretty(request.url) ? indentJson(toOutcome(error.issues)) : toOutcome(error.issues));
}

/** Methods of which a request that is carried out twice does what it does once. */
const IDEMPOTENT_METHODS: readonly string[] = ['GET', 'HEAD', 'PUT', 'DELETE'];

/** Whether a client should send the same again after a while. */
function isToBeRepeated({ status, isUncertain }: FhirError, method: string): boolean {
  return (status === 503 || status === 429) && (!isUncertain || IDEMPOTENT_METHODS.includes(method));
}

/**
 * How to get in (RFC 6750, section 3). Browsers are not asked for a password, which they would send with whatever page of
 * another site asks for it.
 */
function challengeOf({ headers }: FastifyRequest): string {
  const wasSent = headers.authorization !== undefined;
  const bearer = `Bearer realm="andiron"${wasSent ? ', error="invalid_token"' : ''}`;
  const isBrowser = headers['sec-fetch-mode'] !== undefined || headers.accept?.includes('text/html') === true;
  return isBrowser ? bearer : `${bearer}, Basic realm="andiron", charset="UTF-8"`;
}

/** What went wrong may be the query itself, so that it is not parsed. */
function isPretty(url: string): boolean {
  return /[?&]_pretty=true(?:[&#]|$)/.test(url);
}

/** Fastify's own refusals have a `code` that begins with FST_ERR_; those with a 4xx status are the client's doing. */
function translate(thrown: unknown, request: FastifyRequest): FhirError {
  const code = codeOf(thrown);
  if (code === undefined || !code.startsWith('FST_ERR_')) return toFhirError(thrown, request.id);
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return fhirError('unsupportedMediaType', {
        contentType: nameContentType(request.headers),
        allowed: 'send application/fhir+json',
      });
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fhirError('bodyTooLarge', { limit: request.routeOptions.bodyLimit });
    case 'FST_ERR_BAD_URL':
      return fhirError('invalidValue', { reason: 'The percent-encoding of the address is not valid' });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return fhirError('noSuchAddress');
    default:
      return isClientError(thrown)
        ? fhirError('invalidValue', { reason: 'The request is not one that can be understood' })
        : toFhirError(thrown, request.id);
  }
}

function isClientError(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return false;
  return typeof thrown.statusCode === 'number' && thrown.statusCode >= 400 && thrown.statusCode < 500;
}

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** Where it happened and what kind it is; never the message, for it may quote what a client sent. */
function describeFault(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { fault: typeof thrown };
  const frames = (thrown.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return { fault: thrown.name, code: codeOf(thrown), stack: frames.join('\n') };
}
