/** Who may do what in a tenant, and why. */
import type { Log, TenantAdministration } from '../../core';
import type { ACCESS_ROUTES } from './access-routes';
import type { Mount } from './mounts';
import type { HandlersOf } from './serve-routes';
import { callerOf } from './tenant-transfer';

export function accessHandlers(
  { access }: Pick<TenantAdministration, 'access'>,
  { mount, log }: { readonly mount: Mount; readonly log: Log },
): HandlersOf<typeof ACCESS_ROUTES> {
  return {
    explainAccess: async ({ params: { tenant }, body, request }) => {
      const { release = 'r4', resource, ...given } = body;
      const asked = { ...given, content: resource && JSON.stringify(resource) };
      const asker = {
        ...{ address: request.ip, requestId: request.id, log },
        caller: mount.name === 'operator' ? undefined : callerOf(request),
      };
      return { status: 200, answer: await access.explain({ tenant, release, ...asked, ...asker }) };
    },
  };
}
