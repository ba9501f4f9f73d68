/** The tokens of the forms of the sign-in pages: each depends on the address of the page and on the browser's cookie. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignInStep, SignInVisit } from '../api/sign-in';

/** A browser that has sent a form. */
type FormVisit = Pick<SignInVisit, 'query' | 'formCookie' | 'sessionCookie'>;

export function isToken(cookie: string | undefined): cookie is string {
  return cookie !== undefined && /^[\w-]{43}$/.test(cookie);
}

/**
 * Returns the form token for this address and browser: other sites do not have the cookie, and other addresses have
 * other tokens.
 */
export function tokenFor({ query }: Pick<SignInVisit, 'query'>, cookie: string): string {
  return createHmac('sha256', cookie).update(query).digest('base64url');
}

/**
 * Before sign-in, the form cookie is accepted too; afterwards only the session cookie, which other sites cannot set.
 */
export function isOurs(visit: FormVisit, token: string, step: string): boolean {
  const { formCookie, sessionCookie } = visit;
  const cookies = ['sign-in', 'code', 'enrol', 'remove', 'deny'].includes(step)
    ? [formCookie, sessionCookie]
    : [sessionCookie];
  const sent = Buffer.from(token);
  return cookies.filter(isToken).some((cookie) => {
    const expected = Buffer.from(tokenFor(visit, cookie));
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}

/** The answer to a form whose token is not ours. */
export const NOT_OURS: SignInStep = {
  kind: 'refused',
  status: 403,
  reason:
    'The form does not belong to a page that this server has shown in this browser. Start again from the app',
};
