/**
 * Administration of a tenant's policies (docs/run/access-rules.md), for administrators only (administrator.ts), below
 * /w/system/api/v1/tenants/{tenant}. `policies` (GET) lists all; `policies/{name}` (GET, PUT, DELETE) is one, with an
 * ETag for `If-Match`. `If-None-Match: *` only creates a policy. A change takes effect at once in this process, and
 * within 2 s in all others.
 */
import type { FastifyInstance } from 'fastify';
import { fhirError, type Core } from '../../core';
import { addAdministration, found, readObject } from './administration';
import { readGuardOfMatch } from '../requests/precondition';
import { sendJson } from '../responses/send-json';

/** Registers the routes in `scope`, which only administrators reach. */
export function registerPolicyRoutes(scope: FastifyInstance, { policies }: Core): void {
  addAdministration(scope, '/policies', {
    GET: async (request, reply) => {
      const all = Object.entries(await policies.list(request.params.name));
      const list = all.map(([name, definition]) => ({ name, ...definition }));
      return sendJson(request, reply, { status: 200, answer: { policies: list } });
    },
  });
  addAdministration(scope, '/policies/:policy', {
    GET: async (request, reply) => {
      const { name, policy } = request.params;
      const { definition, tag } = found(await policies.find(name, policy));
      return sendJson(request, reply.header('etag', `"${tag}"`), { status: 200, answer: definition });
    },
    PUT: async (request, reply) => {
      const { name, policy } = request.params;
      const guard = readGuardOfMatch(request);
      const { created, definition, tag } = await policies.put(name, policy, readObject(request), guard);
      return sendJson(request, reply.header('etag', `"${tag}"`), {
        status: created ? 201 : 200,
        answer: definition,
      });
    },
    DELETE: async (request, reply) => {
      const { name, policy } = request.params;
      if (!(await policies.delete(name, policy, readGuardOfMatch(request)))) throw fhirError('noSuchAddress');
      return sendJson(request, reply, { status: 200, answer: { removed: policy } });
    },
  });
}
