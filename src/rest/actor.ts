import type { FastifyRequest } from 'fastify';
import type { Log } from '../core';

const WARNING_INTERVAL_MS = 60_000;
const ANONYMOUS = 'anonymous';

/**
 * The function that says whom a request's changes are attributed to. In open mode that is `anonymous`; credentials
 * are accepted and ignored, with one warning a minute.
 */
export function createActorReader(log: Log): (request: FastifyRequest) => string {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return (request) => {
    if (request.headers.authorization !== undefined) {
      const now = performance.now();
      if (now - warnedAt >= WARNING_INTERVAL_MS) {
        warnedAt = now;
        log.warn({}, 'requests carry an Authorization header, which is ignored in open mode');
      }
    }
    return ANONYMOUS;
  };
}
