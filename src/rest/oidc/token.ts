/** POST /w/{tenant}/oidc/token: https://www.rfc-editor.org/rfc/rfc6749#section-4.4. Answers are those of OAuth 2.0. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, OAuthError, parseQueryText, type TenantSpace, type TokenAnswer } from '../../core';
import type { Edge } from '../edge';
import { FORM_TYPES, requireContentType } from '../body';
import { sendJson } from '../send-json';

/** Nothing that a client sends here is long. */
const LONGEST_FORM = 64 * 1024;

export async function token(
  edge: Edge,
  request: FastifyRequest<{ Body: string | undefined }>,
  reply: FastifyReply,
  space: TenantSpace,
): Promise<FastifyReply> {
  requireContentType(request.headers, FORM_TYPES, space.release);
  const answer = await grant(edge, request, space);
  if (!(answer instanceof OAuthError))
    return sendJson(request, reply.header('pragma', 'no-cache'), 200, answer);
  const isUnproven = answer.code === 'invalid_client';
  if (isUnproven) reply.header('www-authenticate', `Basic realm="${space.tenant}"`);
  return sendJson(request, reply, isUnproven ? 401 : 400, {
    error: answer.code,
    error_description: answer.message,
  });
}

async function grant(
  { core, addresses }: Edge,
  request: FastifyRequest<{ Body: string | undefined }>,
  space: TenantSpace,
): Promise<TokenAnswer | OAuthError> {
  try {
    return await core.tokens.grant({
      space,
      base: addresses.base(request),
      parameters: readForm(request.body ?? ''),
      authorization: request.headers.authorization,
      address: request.ip,
    });
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
}

function readForm(text: string): ReadonlyMap<string, string> {
  if (text.length > LONGEST_FORM) throw fhirError('bodyTooLarge', { limit: LONGEST_FORM });
  const form = new Map<string, string>();
  for (const [name, value] of parseQueryText(text)) {
    if (form.has(name)) throw new OAuthError('invalid_request', 'A parameter was sent twice');
    // RFC 6749, section 3.2: what has no value counts as not sent.
    if (value !== '') form.set(name, value);
  }
  return form;
}
