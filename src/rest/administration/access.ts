/** Who may do what in a tenant, and why. */
import type { Log, TenantAdministration } from '../../core';
import type { ACCESS_ROUTES } from './access-routes';
import type { HandlersOf } from './serve-routes';

export function accessHandlers(
  { access }: Pick<TenantAdministration, 'access'>,
  log: Log,
): HandlersOf<typeof ACCESS_ROUTES> {
  return {
    explainAccess: async ({ params: { tenant }, body, request }) => {
      const { release = 'r4', ...asked } = body;
      const question = { tenant, release, ...asked, requestId: request.id, log };
      return { status: 200, answer: await access.explain(question) };
    },
  };
}
