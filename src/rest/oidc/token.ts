/**
 * The endpoints of clients without a browser: POST token (RFC 6749, section 3.2), revoke (RFC 7009), introspect (RFC
 * 7662), below /w/{tenant}/oidc. Errors have the form of OAuth 2.0, those of the body too (`hasOAuthErrors`).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAuthError, type TenantSpace, type TokenRequest } from '../../core';
import { FORM_TYPES, requireContentType } from '../requests/body';
import type { RestContext } from '../rest-context';
import { sendJson } from '../responses/send-json';
import { readForm } from './form';
import { oauthAnswer } from './oauth-answer';

type FormRequest = FastifyRequest<{ Body: string | undefined }>;

/** Sends the result of `ask`. */
export async function answerClient(
  { addresses }: RestContext,
  request: FormRequest,
  reply: FastifyReply,
  {
    space,
    perform,
  }: { readonly space: TenantSpace; readonly perform: (request: TokenRequest) => Promise<object> },
): Promise<FastifyReply> {
  requireContentType(request.headers, FORM_TYPES, space.release);
  reply.header('pragma', 'no-cache');
  try {
    const answer = await perform({
      space,
      base: addresses.base(request),
      parameters: readForm(
        request.body ?? '',
        () => new OAuthError('invalid_request', 'A parameter must not be repeated'),
      ),
      authorization: request.headers.authorization,
      address: request.ip,
      requestId: request.id,
    });
    return await sendJson(request, reply, { status: 200, answer });
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const isUnproven = error.code === 'invalid_client';
    if (isUnproven) reply.header('www-authenticate', `Basic realm="${space.tenant}"`);
    return sendJson(request, reply, {
      status: isUnproven ? 401 : 400,
      answer: oauthAnswer(error.code, error.message),
    });
  }
}
