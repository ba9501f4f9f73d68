import fastifyCors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addVary } from './vary';

/** Headers of answers that a script may read beside those that it always may. */
const EXPOSED_HEADERS = [
  'Allow',
  'Content-Disposition',
  'Content-Location',
  'ETag',
  'Last-Modified',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Issues',
  'X-Progress',
  'X-Request-Id',
  'X-Security-Context',
];

/** Seconds for which a browser need not ask again whether it may. */
const PREFLIGHT_AGE = 600;

/**
 * Lets scripts of the listed origins (`*`: of all) use the server: REST, GraphQL and errors alike. Credentials that a
 * browser sends by itself are never asked for. With an empty list no answer says anything of it, and browsers refuse.
 */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  server.register(fastifyCors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_AGE,
    strictPreflight: false,
  });
}

/** The same for the answer to an address that cannot be understood, which no hook sees. */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void {
  const { origin } = request.headers;
  if (origins.length > 0) addVary(reply, 'Origin');
  if (origin === undefined) return;
  if (origins.includes('*')) reply.header('access-control-allow-origin', '*');
  else if (origins.includes(origin)) reply.header('access-control-allow-origin', origin);
}
