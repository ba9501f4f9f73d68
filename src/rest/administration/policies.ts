/**
 * Administration of a tenant's policies (docs/run/access-rules.md). A policy has an ETag for `If-Match`;
 * `If-None-Match: *` only creates one. A change takes effect at once in this process, and within 2 s in all others.
 */
import type { TenantAdministration } from '../../core';
import { readGuardOfMatch } from '../requests/precondition';
import type { POLICY_ROUTES } from './routes';
import { found, type HandlersOf } from './serve-routes';

export function policyHandlers({ policies }: TenantAdministration): HandlersOf<typeof POLICY_ROUTES> {
  return {
    listPolicies: async ({ params: { tenant } }) => {
      const all = Object.entries(await policies.list(tenant));
      return {
        status: 200,
        answer: { policies: all.map(([name, definition]) => ({ name, ...definition })) },
      };
    },
    getPolicy: async ({ params: { tenant, policy }, reply }) => {
      const { definition, tag } = found(await policies.find(tenant, policy));
      reply.header('etag', `"${tag}"`);
      return { status: 200, answer: definition };
    },
    putPolicy: async ({ params: { tenant, policy }, body, request, reply }) => {
      const guard = readGuardOfMatch(request);
      const { created, definition, tag } = await policies.put(tenant, policy, body, guard);
      reply.header('etag', `"${tag}"`);
      return { status: created ? 201 : 200, answer: definition };
    },
    deletePolicy: async ({ params: { tenant, policy }, request }) => {
      found(await policies.delete(tenant, policy, readGuardOfMatch(request)));
      return { status: 200, answer: { removed: policy } };
    },
  };
}
