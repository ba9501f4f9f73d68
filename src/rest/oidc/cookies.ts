/** The cookies of a browser in which people sign in: of one tenant, for its addresses alone, unreadable for scripts. */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Who is signed in, and what a sign-in page goes with. */
export type CookieName = 'session' | 'form';

const VALUE = /^[\w-]{43}$/;

/** Undefined: there is none, or several. */
export function readCookie({ headers, protocol }: FastifyRequest, name: CookieName): string | undefined {
  const wanted = `${fullName(name, protocol === 'https')}=`;
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(wanted))
    .map((pair) => pair.slice(wanted.length));
  const [value] = values;
  return values.length === 1 && value !== undefined && VALUE.test(value) ? value : undefined;
}

/** Until the browser is closed; null: it goes. */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    tenant,
    name,
    value,
  }: { readonly tenant: string; readonly name: CookieName; readonly value: string | null },
): void {
  const isSecure = request.protocol === 'https';
  const parts = [
    `${fullName(name, isSecure)}=${value ?? ''}`,
    `Path=/w/${tenant}/oidc`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
    ...(value === null ? ['Max-Age=0'] : []),
  ];
  reply.header('set-cookie', parts.join('; '));
}

/** With TLS browsers hold the name to what it promises. */
function fullName(name: CookieName, isSecure: boolean): string {
  return `${isSecure ? '__Secure-' : ''}andiron-${name}`;
}
