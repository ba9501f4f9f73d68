/** The header Host: its valid forms, and the names under which the server responds. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fhirError, isLoopback } from '../../core';
import { HEALTH_ADDRESSES } from '../observation/health';
import type { RestSettings } from '../settings';

const HOST = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/;
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

interface Host {
  /** Name in lower case, without the port. */
  readonly name: string;
  readonly port: string | undefined;
}

/** Parses a host; undefined when it is not a valid host of a URL. */
export function parseHost(text: string): Host | undefined {
  const [, name, port] = HOST.exec(text) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), port };
}

/** Removes the scheme and host with which a request line may begin (RFC 9112, section 3.2.2). */
export function toOriginForm(url: string): string {
  const [start = ''] = ABSOLUTE.exec(url) ?? [];
  const rest = url.slice(start.length);
  return start === '' || rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Refuses requests without a host, or with several: `invalidValue`. In open mode on a loopback address, only loopback
 * names and those of PUBLIC_URL are allowed: `misdirected`. Otherwise a web page whose host name was made to point here
 * could read and write everything. Health checks are always allowed.
 */
export function checkHosts(
  server: FastifyInstance,
  { authMode, host, publicUrls }: Pick<RestSettings, 'authMode' | 'host' | 'publicUrls'>,
): void {
  const publicNames = new Set(publicUrls.map((url) => new URL(url).hostname));
  const isLimited = authMode === 'open' && isLoopback(host);
  const isOwn = (text: string): boolean => {
    const name = parseHost(text)?.name;
    return name !== undefined && (isLoopback(name) || publicNames.has(name));
  };
  server.addHook('onRequest', (request, _reply, done) => {
    const fault = findFault(request);
    if (fault !== undefined) return done(fhirError('invalidValue', { reason: fault }));
    if (!isLimited || HEALTH_ADDRESSES.includes(request.routeOptions.url ?? '')) return done();
    const { headers } = request;
    // With TRUST_PROXY the host of the request comes from a header of the proxy, which a script may set as well.
    if (isOwn(headers.host ?? '') && isOwn(request.host)) return done();
    done(fhirError('misdirected'));
  });
}

/**
 * Returns the fault of the hosts of a request. RFC 9112, section 3.2 requires one Host, equal to that of the request
 * line if it has one.
 */
function findFault({ raw, originalUrl }: FastifyRequest): string | undefined {
  const { rawHeaders, headers } = raw;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  if (count > 1) return 'The request has several Host headers';
  const host = headers.host === undefined ? undefined : parseHost(headers.host);
  // HTTP/1.0 does not require one; Node refuses HTTP/1.1 without one.
  if (headers.host !== undefined && host === undefined) return 'The Host header does not name a host';
  const target = ABSOLUTE.exec(originalUrl)?.[1];
  if (target === undefined) return undefined;
  const named = parseHost(target);
  if (named === undefined) return 'The request line does not name a host';
  const isSamePort = host?.port === undefined || named.port === undefined || host.port === named.port;
  return host === undefined || (host.name === named.name && isSamePort)
    ? undefined
    : 'The request line names another host than the Host header';
}
