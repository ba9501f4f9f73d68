/** Pages of people below /w/{tenant}/oidc that belong to no client: a GET shows one, a POST sends its form. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, type PageVisit, type SignInStep, type TenantSpace } from '../../core';
import { FORM_TYPES, requireContentType } from '../requests/body';
import type { RestContext } from '../rest-context';
import { homeOf, isFromHere, sendStep } from './authorize';
import { readCookie } from './cookies';
import { LONGEST_REQUEST, readForm } from './form';

type PageRequest = FastifyRequest<{ Params: { tenant: string }; Body: string | undefined }>;

export async function showAccountPage(
  { addresses }: RestContext,
  request: PageRequest,
  reply: FastifyReply,
  { space, step }: { readonly space: TenantSpace; step(visit: PageVisit): Promise<SignInStep> },
): Promise<FastifyReply> {
  const base = addresses.base(request);
  const home = homeOf(base, space);
  const isPost = request.method === 'POST';
  if (isPost) {
    requireContentType(request.headers, FORM_TYPES, space.release);
    const reason = 'The form does not come from a page of this server';
    if (!isFromHere(request, base))
      return sendStep(request, reply, home, { kind: 'refused', status: 403, reason });
  }
  const sentTwice = (): Error => fhirError('invalidValue', { reason: 'A field must not be repeated' });
  const next = await step({
    ...{ space, base },
    form: isPost ? readForm(request.body ?? '', sentTwice, LONGEST_REQUEST) : undefined,
    sessionCookie: readCookie(request, 'session'),
    formCookie: readCookie(request, 'form'),
    ...{ address: request.ip, requestId: request.id },
  });
  return sendStep(request, reply, home, next);
}
