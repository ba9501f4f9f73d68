/**
 * Refuses writes by web pages of other sites: browsers send such requests even when the page may not read the response.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fhirError, isLoopback, loopbackAddresses } from '../../core';
import { announcesBody } from '../requests/body';
import { PAGE_ADDRESSES } from '../oidc/routes';
import type { RestSettings } from '../settings';
import { READING_METHODS } from '../observation/request-log-entry';

/**
 * Refuses possible writes that come from a page of another site (`forbidden`), unless the page's origin is in
 * CORS_ORIGINS or is an address of this server. A request without the headers of a page comes from a program.
 * Cost: two look-ups of headers.
 */
export function refuseCrossSiteWrites(
  server: FastifyInstance,
  { corsOrigins, publicUrls, host }: Pick<RestSettings, 'corsOrigins' | 'publicUrls' | 'host'>,
): void {
  if (corsOrigins.includes('*')) return;
  const listed = new Set([...corsOrigins, ...publicUrls.map((url) => new URL(url).origin)]);
  const isOnLoopback = isLoopback(host);
  server.addHook('onRequest', (request, _reply, done) => {
    const { origin, 'sec-fetch-site': site } = request.headers;
    if ((origin === undefined && site !== 'cross-site') || !mayWrite(request)) return done();
    // The browser sets this header, and no script can. It is also right behind a proxy that uses another host, such as
    // Vite's.
    if (site === 'same-origin' || (origin !== undefined && listed.has(origin))) return done();
    const port = request.socket.localPort ?? 0;
    if (isOnLoopback && origin !== undefined && loopbackAddresses(port).includes(origin)) return done();
    if (site !== 'cross-site' && origin !== undefined && hostOf(origin) === request.host.toLowerCase())
      return done();
    done(
      fhirError('forbidden', {
        reason: 'Pages of this origin may not write; CORS_ORIGINS lists the origins that may',
      }),
    );
  });
}

/**
 * True when a request may write. A WebSocket carries any message after its handshake; a GET with a body may be a patch.
 * Sign-in pages have a check of their own.
 */
function mayWrite({ method, headers, routeOptions }: FastifyRequest): boolean {
  if (PAGE_ADDRESSES.includes(routeOptions.url)) return false;
  return !READING_METHODS.includes(method) || headers.upgrade !== undefined || announcesBody(headers);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
