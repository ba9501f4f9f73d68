import fastifyCors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addVary } from '../responses/vary';

/** Headers of responses that a script may read, besides those that are always readable. */
const EXPOSED_HEADERS = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Location',
  'Content-Range',
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

/** Seconds for which a browser may cache a preflight response. */
const PREFLIGHT_AGE = 600;

/**
 * Allows scripts of the listed origins (`*`: of all) to use the server: REST, GraphQL and errors alike. Credentials
 * that a browser sends by itself are never requested. With an empty list there are no CORS headers, and browsers
 * refuse.
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

/** Sets the same headers on the response to an invalid address, which no hook runs for. */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void {
  const { origin } = request.headers;
  if (origins.length > 0) addVary(reply, 'Origin');
  if (origin === undefined) return;
  if (origins.includes('*')) reply.header('access-control-allow-origin', '*');
  else if (origins.includes(origin)) reply.header('access-control-allow-origin', origin);
}

/**
 * Lets scripts of every origin read a public document, as SMART requires of discovery
 * (https://hl7.org/fhir/smart-app-launch/app-launch.html#considerations-for-cross-origin-resource-sharing-cors-support).
 */
export function allowEveryOrigin(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
}
