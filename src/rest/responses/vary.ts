import type { FastifyReply } from 'fastify';

/** Adds a request header to `Vary` (RFC 9110, section 12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  const present = String(reply.getHeader('vary') ?? '');
  if (present === '') reply.header('vary', name);
  else if (
    !present
      .toLowerCase()
      .split(/\s*,\s*/)
      .includes(name.toLowerCase())
  )
    reply.header('vary', `${present}, ${name}`);
}
