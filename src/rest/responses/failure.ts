import type { FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, toFhirError, toOutcome, type Core, type FhirError, type Log } from '../../core';
import { nameContentType } from '../requests/body';
import { BODY_CODINGS } from '../requests/content-coding';
import { indentJson } from './json-layout';
import { FHIR_JSON } from '../requests/negotiation';
import { toOAuthAnswer } from '../oidc/oauth-answer';

/** `Allow` of the 405 errors of core, which does not know HTTP methods. */
const ALLOWED: Readonly<Partial<Record<FhirError['key'], string>>> = {
  operationChangesState: 'POST',
  baseResourceReadOnly: 'GET, HEAD, PUT',
};

/** Seconds after which a client should retry when the server could not execute its request. */
const RETRY_AFTER = '1';

/**
 * Records any thrown error, sends it as an OperationOutcome (as JSON of OAuth where the route says so), and logs faults.
 * It may come from this server's code or from Fastify.
 */
export async function sendFailure(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { core, log }: { readonly core: Core; readonly log: Log },
): Promise<FastifyReply> {
  const error = translate(thrown, request);
  await request.logEntry.recordRefusal(core, request, error);
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
  const isOAuth = request.routeOptions.config.hasOAuthErrors === true;
  return reply
    .code(error.status)
    .header('content-type', isOAuth ? 'application/json; charset=utf-8' : FHIR_JSON)
    .header('x-content-type-options', 'nosniff')
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .send(isOAuth ? JSON.stringify(toOAuthAnswer(error)) : outcomeOf(error, request));
}

function outcomeOf(error: FhirError, request: FastifyRequest): string {
  const text = toOutcome(error.issues);
  return isPretty(request.url) ? indentJson(text) : text;
}

/** Idempotent methods: repeating a request has no further effect. */
const IDEMPOTENT_METHODS: readonly string[] = ['GET', 'HEAD', 'PUT', 'DELETE'];

/** True when a client should retry the same request after a while. */
function isToBeRepeated({ status, isUncertain }: FhirError, method: string): boolean {
  return (status === 503 || status === 429) && (!isUncertain || IDEMPOTENT_METHODS.includes(method));
}

/**
 * Returns the challenge of a 401 (RFC 6750, section 3). Browsers get no Basic challenge, because they would then send
 * the password with requests that pages of other sites cause.
 */
function challengeOf({ headers }: FastifyRequest): string {
  const wasSent = headers.authorization !== undefined;
  const bearer = `Bearer realm="andiron"${wasSent ? ', error="invalid_token"' : ''}`;
  const isBrowser = headers['sec-fetch-mode'] !== undefined || headers.accept?.includes('text/html') === true;
  return isBrowser ? bearer : `${bearer}, Basic realm="andiron", charset="UTF-8"`;
}

/** Searches the text, because the query itself may be malformed. */
function isPretty(url: string): boolean {
  return /[?&]_pretty=true(?:[&#]|$)/.test(url);
}

/**
 * Converts an error. Fastify's own refusals have a `code` that begins with FST_ERR_; those with a 4xx status are errors
 * of the client.
 */
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
        ? fhirError('invalidValue', { reason: 'The request is not valid' })
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

/** Returns the place and the kind of a fault for the log; never the message, which may quote what a client sent. */
function describeFault(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { fault: typeof thrown };
  const frames = (thrown.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return { fault: thrown.name, code: codeOf(thrown), stack: frames.join('\n') };
}
