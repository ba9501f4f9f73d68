/**
 * Administration of tenants. A change sets settings (null: back to the default of the server), the status and the display
 * name. A removal deletes a tenant with all its data: 200 with a report when it is done, 202 when it takes longer, to be
 * sent again (docs/run/tenants.md).
 */
import { fhirError, type Core, type Tenant, type TenantAdministration } from '../../core';
import { refuse } from './read-request';
import type { SETTING_ROUTES, TENANT_ROUTES } from './routes';
import type { Value } from './schema-kinds';
import type * as schemas from './schemas';
import { toInstant, type HandlersOf } from './serve-routes';

/** Milliseconds after which the response to a removal is its progress. */
const REMOVAL_MS = 20_000;
/** Tenants in one list. */
const MOST_LISTED = 1_000;

/** `tenants`: what the operator does with all of them; `administration`: what the administrators of one do with it. */
export function tenantHandlers(
  { tenants }: Core,
  administration: TenantAdministration,
): HandlersOf<typeof TENANT_ROUTES> {
  const describe = async (name: string): Promise<Value<typeof schemas.DescribedTenant>> => {
    const tenant = known(await administration.describe(name));
    const { settings, own, usage } = tenant;
    return { ...toAnswer(tenant), settings, own, usage };
  };
  return {
    listTenants: async ({ query: { after = '', status, contains } }) => {
      const found = await tenants.list({ after, most: MOST_LISTED + 1, status, contains });
      const listed = found.slice(0, MOST_LISTED);
      const next = found.length > MOST_LISTED ? listed.at(-1)?.name : undefined;
      return { status: 200, answer: { tenants: listed.map(toAnswer), next } };
    },
    createTenant: async ({ body: { name, settings = {}, display } }) => {
      return { status: 201, answer: toAnswer(await tenants.create(name, settings, display)) };
    },
    getTenant: async ({ params: { tenant } }) => ({ status: 200, answer: await describe(tenant) }),
    changeTenant: async ({ params: { tenant }, body }) => {
      const { settings, display, status } = body;
      if (settings === undefined && display === undefined && status === undefined)
        refuse('The body must have "settings", "status" or "display"');
      known(await administration.change(tenant, body));
      return { status: 200, answer: await describe(tenant) };
    },
    deleteTenant: async ({ params: { tenant }, query: { confirm } }) => {
      if (confirm !== tenant) refuse('This deletes the tenant with all its data; confirm with ?confirm=name');
      const removal = known(await tenants.remove(tenant, REMOVAL_MS));
      return { status: removal.isComplete ? 200 : 202, answer: removal };
    },
  };
}

export function settingHandlers(administration: TenantAdministration): HandlersOf<typeof SETTING_ROUTES> {
  return {
    listSettings: async () => {
      const settings = administration.settings().map(({ isFixed, isOfOperator, ...setting }) => ({
        ...setting,
        fixed: isFixed,
        operator: isOfOperator,
      }));
      return { status: 200, answer: { mail: administration.users.canMail, settings } };
    },
  };
}

/** Returns the value, or throws `unknownTenant` when there is none. */
function known<Known>(value: Known | undefined | false): Known {
  if (value === undefined || value === false) throw fhirError('unknownTenant');
  return value;
}

function toAnswer({ name, display, status, created }: Tenant): Value<typeof schemas.Tenant> {
  return { name, display, status, created: toInstant(created) };
}
