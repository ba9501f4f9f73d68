import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sends JSON that is not a FHIR resource. By default it is not cached (`cacheControl`). */
export function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    status,
    answer,
    cacheControl = 'no-store',
  }: { readonly status: number; readonly answer: object; readonly cacheControl?: string },
): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', cacheControl)
    .header('x-content-type-options', 'nosniff')
    .header('x-request-id', request.id)
    .send(JSON.stringify(answer));
}
