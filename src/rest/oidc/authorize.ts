/**
 * /w/{tenant}/oidc/authorize: the sign-in pages (RFC 6749, section 3.1; SMART App Launch 2). A client's request is in
 * the address of a GET or in the body of a POST. The forms of the pages are posted to the address of the request.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { signInLimits } from '../../browser-limits';
import { fhirError, type SignInStep, type TenantSpace } from '../../core';
import { FORM_TYPES, requireContentType } from '../requests/body';
import type { RestContext } from '../rest-context';
import { readCookie, setCookie } from './cookies';
import { LONGEST_REQUEST, readForm, requireShort } from './form';
import {
  codePage,
  enrolmentPage,
  INVITATION_SCRIPT,
  invitationPage,
  NEXT_LINK_SCRIPT,
  passwordSetPage,
  recoveryCodesPage,
  secondFactorRemovedPage,
} from './account-pages';
import { policyOf, type PageRights } from './html';
import { consentPage, continuePage, refusalPage, signedOutPage, signInPage } from './pages';

type AuthorizeRequest = FastifyRequest<{ Params: { tenant: string }; Body: string | undefined }>;

export async function authorize(
  { core, addresses, settings, log }: RestContext,
  request: AuthorizeRequest,
  reply: FastifyReply,
  space: TenantSpace,
): Promise<FastifyReply> {
  const home = homeOf(addresses.base(request), space);
  const refuse = (status: 400 | 403, reason: string): FastifyReply =>
    sendStep(request, reply, home, { kind: 'refused', status, reason });
  const at = request.url.indexOf('?');
  const query = at === -1 ? '' : request.url.slice(at + 1);
  const isPost = request.method === 'POST';
  const isPosted = isPost && query === '';
  const body = request.body ?? '';
  const site = request.headers['sec-fetch-site'];
  if (isPost) requireContentType(request.headers, FORM_TYPES, space.release);
  if (isPosted) requireShort(body, LONGEST_REQUEST);
  const form = isPost && !isPosted ? readForm(body, sentTwice, LONGEST_REQUEST) : undefined;
  if (form !== undefined && !form.has('step'))
    return refuse(400, 'The parameters of a POST must be in its body, and none of them in its address');
  if (form !== undefined && !isFromHere(request, addresses.base(request)))
    return refuse(403, 'The form does not come from a page of this server');
  const step = await core.access.signIn.step({
    space,
    base: addresses.base(request),
    query: isPosted ? body : query,
    isPosted,
    isOwnRequest: site === 'same-origin' || site === 'none',
    form,
    sessionCookie: readCookie(request, 'session'),
    formCookie: readCookie(request, 'form'),
    address: request.ip,
    requestId: request.id,
    deadline: Date.now() + settings.requestTimeoutMs,
    log,
  });
  return sendStep(request, reply, home, step);
}

const sentTwice = (): Error => fhirError('invalidValue', { reason: 'A field must not be repeated' });

/**
 * True when the browser's headers say that a form comes from this server. Older browsers send none, and the token of
 * the form decides.
 */
export function isFromHere(
  { headers, protocol, host }: Pick<FastifyRequest, 'headers' | 'protocol' | 'host'>,
  base: string,
): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  return origin === undefined || origin === new URL(base).origin || origin === `${protocol}://${host}`;
}

/** The path below which browsers find the sign-in pages of a tenant. A proxy may have the server below a path of its own. */
export function homeOf(base: string, { tenant }: TenantSpace): string {
  return new URL(`${base}/w/${tenant}/oidc`).pathname;
}

/** Sends a page or a redirect to the browser. `path`: that of the sign-in pages, for which the cookies are. */
export function sendStep(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  step: SignInStep,
): FastifyReply {
  // Apps begin a sign-in in a window of its own too, and wait for its end: redirects and pages leave them their handle.
  reply
    .headers(signInLimits(request))
    .header('cache-control', 'no-store')
    .header('pragma', 'no-cache')
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    // No referrer for other sites. With no-referrer, browsers would also omit the origin of this server's own forms.
    .header('referrer-policy', 'same-origin')
    .header('x-request-id', request.id);
  if ('session' in step && step.session !== undefined)
    setCookie(request, reply, { path, name: 'session', value: step.session });
  if ('formCookie' in step) setCookie(request, reply, { path, name: 'form', value: step.formCookie });
  if ('retryAfterSeconds' in step && step.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(step.retryAfterSeconds));
  const send = (text: string, rights: PageRights = {}): FastifyReply =>
    reply
      .code('status' in step ? step.status : 200)
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policyOf(rights))
      .send(text);
  switch (step.kind) {
    case 'redirect':
      return reply.code(303).header('location', step.to).send();
    case 'refused':
      return send(refusalPage(step.reason));
    case 'signed-out':
      return send(signedOutPage());
    case 'password-set':
      return send(passwordSetPage(step), { script: NEXT_LINK_SCRIPT });
    case 'invitation':
      return send(invitationPage(step), { hasForm: true, script: INVITATION_SCRIPT });
    case 'code':
      return send(codePage(step), { hasForm: true, redirectUri: step.redirectUri });
    case 'enrolment':
      return send(enrolmentPage(step), { hasForm: true, redirectUri: step.redirectUri });
    case 'second-factor-removed':
      return send(secondFactorRemovedPage(step));
    case 'recovery-codes':
      return send(recoveryCodesPage(step));
    case 'sign-in':
      return send(signInPage(step), { hasForm: true, redirectUri: step.redirectUri });
    case 'continue':
      return send(continuePage(step), { hasForm: true, redirectUri: step.redirectUri });
    case 'consent':
      return send(consentPage(step), { hasForm: true, redirectUri: step.redirectUri });
  }
}
