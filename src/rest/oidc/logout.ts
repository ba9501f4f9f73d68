/**
 * /w/{tenant}/oidc/logout: a client sends the browser of its user here to sign out (OpenID Connect RP-Initiated Logout
 * 1.0). The request is in the address of a GET or in the body of a POST.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TenantSpace } from '../../core';
import { FORM_TYPES, requireContentType } from '../requests/body';
import type { RestContext } from '../rest-context';
import { homeOf, sendStep } from './authorize';
import { readCookie } from './cookies';
import { LONGEST_REQUEST, requireShort } from './form';

type LogoutRequest = FastifyRequest<{ Body: string | undefined }>;

export async function logout(
  { core, addresses }: RestContext,
  request: LogoutRequest,
  reply: FastifyReply,
  space: TenantSpace,
): Promise<FastifyReply> {
  const isPosted = request.method === 'POST';
  if (isPosted) requireContentType(request.headers, FORM_TYPES, space.release);
  const at = request.url.indexOf('?');
  const query = isPosted ? (request.body ?? '') : at === -1 ? '' : request.url.slice(at + 1);
  if (isPosted) requireShort(query, LONGEST_REQUEST);
  const base = addresses.base(request);
  const step = await core.access.signIn.signOut({
    ...{ space, query, isPosted, base },
    sessionCookie: readCookie(request, 'session'),
    ...{ address: request.ip, requestId: request.id },
  });
  return sendStep(request, reply, homeOf(base, space), step);
}
