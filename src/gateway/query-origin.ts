/**
 * Refuses queries that a page of another site causes without being able to read the answer: by an image, a script or a
 * form. A mutation cannot be sent so (a GET is never one, and a body must be JSON), but a query costs time.
 */
import type { FastifyRequest } from 'fastify';
import { fhirError } from '../core/index';

/**
 * Throws `forbidden` for a GET that a browser sends for another site, unless a script sends it that may read the answer
 * if the site is in CORS_ORIGINS. Programs send none of these headers.
 */
export function refuseBlindQueries({ method, headers }: FastifyRequest): void {
  if (method !== 'GET' || headers['sec-fetch-site'] !== 'cross-site' || headers['sec-fetch-mode'] === 'cors')
    return;
  throw fhirError('forbidden', {
    reason: 'Pages of other sites may send queries by scripts only; CORS_ORIGINS lists the origins that may',
  });
}
