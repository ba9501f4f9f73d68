/** The cookies of the sign-in pages: of one tenant, only for its addresses, not readable by scripts. */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** `session`: the signed-in user. `form`: the sign-in page that a form belongs to. */
export type CookieName = 'session' | 'form';

const VALUE = /^[\w-]{43}$/;

/** Returns the value of a cookie. Undefined: there is none, or several. */
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

/** Sets a cookie for the addresses below `path` until the browser is closed; null removes it. */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, name, value }: { readonly path: string; readonly name: CookieName; readonly value: string | null },
): void {
  const isSecure = request.protocol === 'https';
  const parts = [
    `${fullName(name, isSecure)}=${value ?? ''}`,
    `Path=${path}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
    ...(value === null ? ['Max-Age=0'] : []),
  ];
  reply.header('set-cookie', parts.join('; '));
}

/** With TLS, browsers enforce the prefix of the name. */
function fullName(name: CookieName, isSecure: boolean): string {
  return `${isSecure ? '__Secure-' : ''}andiron-${name}`;
}
