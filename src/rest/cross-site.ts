/** Web pages of other sites may not write here: browsers send what a page asks for, whether it may read the answer or not. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fhirError, isLoopback, loopbackAddresses } from '../core';
import { announcesBody } from './body';
import { AUTHORIZE_ADDRESS } from './oidc/routes';
import type { RestSettings } from './settings';
import { READING_METHODS } from './request-log-entry';

/**
 * Refuses what may write and comes from a page of another site (`forbidden`), unless the page's origin is one of CORS_ORIGINS or
 * of our own addresses. A request that says nothing of a page comes from a program. Cost: two look-ups of headers.
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
    // The browser itself says so, and no script can: also behind a proxy that names another host, such as that of Vite.
    if (site === 'same-origin' || (origin !== undefined && listed.has(origin))) return done();
    const port = request.socket.localPort ?? 0;
    if (isOnLoopback && origin !== undefined && loopbackAddresses(port).includes(origin)) return done();
    if (site !== 'cross-site' && origin !== undefined && hostOf(origin) === request.host.toLowerCase())
      return done();
    done(
      fhirError('forbidden', {
        reason: 'Pages of this origin may not write here; CORS_ORIGINS lists those that may',
      }),
    );
  });
}

/** A WebSocket carries whatever comes after its handshake; a GET with a body may be a patch. Sign-in pages check it themselves. */
function mayWrite({ method, headers, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.url === AUTHORIZE_ADDRESS) return false;
  return !READING_METHODS.includes(method) || headers.upgrade !== undefined || announcesBody(headers);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
