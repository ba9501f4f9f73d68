import type { FastifyReply } from 'fastify';
import { type Admission, requireAdmitted } from '../core';

/**
 * Tells in the answer which limits there are and what is left of each (draft-ietf-httpapi-ratelimit-headers). Throws
 * tooManyRequests where this request is refused.
 */
export function requireAdmission(admission: Admission, reply: FastifyReply): void {
  tellLimits(admission, reply);
  if (!admission.isAdmitted) void reply.header('retry-after', String(admission.retryAfterSeconds));
  requireAdmitted(admission);
}

/** As they are now. */
export function tellLimits(admission: Admission, reply: FastifyReply): void {
  const limits = admission.limits();
  if (limits.length === 0) return;
  const policies = limits.map(({ name, quota, windowSeconds }) =>
    windowSeconds === undefined
      ? `"${name}";q=${quota};qu="concurrent-requests"`
      : `"${name}";q=${quota};w=${windowSeconds}`,
  );
  const states = limits.map(
    ({ name, remaining, resetSeconds }) =>
      `"${name}";r=${remaining}${resetSeconds === undefined ? '' : `;t=${resetSeconds}`}`,
  );
  void reply.header('ratelimit-policy', policies.join(', ')).header('ratelimit', states.join(', '));
}
