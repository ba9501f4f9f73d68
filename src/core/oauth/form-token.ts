/** The tokens of the forms of the sign-in pages: each depends on the address of the page and on the browser's cookie. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignInVisit } from '../api/sign-in';

export function isToken(cookie: string | undefined): cookie is string {
  return cookie !== undefined && /^[\w-]{43}$/.test(cookie);
}

/**
 * Returns the form token for this address and browser: other sites do not have the cookie, and other addresses have
 * other tokens.
 */
export function tokenFor({ query }: SignInVisit, cookie: string): string {
  return createHmac('sha256', cookie).update(query).digest('base64url');
}

/**
 * Before sign-in, the form cookie is accepted too; afterwards only the session cookie, which other sites cannot set.
 */
export function isOurs(visit: SignInVisit, token: string, step: string): boolean {
  const { formCookie, sessionCookie } = visit;
  const cookies = ['sign-in', 'deny'].includes(step) ? [formCookie, sessionCookie] : [sessionCookie];
  const sent = Buffer.from(token);
  return cookies.filter(isToken).some((cookie) => {
    const expected = Buffer.from(tokenFor(visit, cookie));
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}
