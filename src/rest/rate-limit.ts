import type { FastifyReply } from 'fastify';
import { type Admission, requireAdmitted } from '../core';

/**
 * Tells in the answer which limits there are and what is left of each (draft-ietf-httpapi-ratelimit-headers). Throws
 * tooManyRequests where this request is refused.
 */
export function requireAdmission(admission: Admission, reply: FastifyReply): void {
  const { limits, isAdmitted, retryAfterSeconds } = admission;
  if (limits.length > 0) {
    const policies = limits.map(
      ({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`,
    );
    const states = limits.map(
      ({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`,
    );
    void reply.header('ratelimit-policy', policies.join(', ')).header('ratelimit', states.join(', '));
  }
  if (!isAdmitted) void reply.header('retry-after', String(retryAfterSeconds));
  requireAdmitted(admission);
}
