import type { FastifyReply } from 'fastify';
import { type Admission, requireAdmitted } from '../../core';

/**
 * Sets the headers with the limits and the rest of each (draft-ietf-httpapi-ratelimit-headers). Throws tooManyRequests
 * when this request is refused.
 */
export function requireAdmission(admission: Admission, reply: FastifyReply): void {
  setLimitHeaders(admission, reply);
  if (!admission.isAdmitted) void reply.header('retry-after', String(admission.retryAfterSeconds));
  requireAdmitted(admission);
}

/** Sets the headers with the current state of the limits. */
export function setLimitHeaders(admission: Admission, reply: FastifyReply): void {
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
