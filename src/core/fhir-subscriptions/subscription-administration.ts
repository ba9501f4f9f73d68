import { SERVER_ACTOR } from '../versions/stored-version';
import type { SubscriptionAdministration, SubscriptionDelivery } from '../api/subscription';
import type { RetryingWriter } from '../interactions/retrying-writer';
import type { Log, TenantSpace } from '../context';
import { workContext } from './delivery/work-context';
import { fhirError } from '../errors';
import type { Release } from '../fhir/release';
import { setSubscriptionStatus } from '../interactions/subscription-status';
import { SUBSCRIPTION } from '../fhir/type-names';
import type { WriteServices } from '../ports';
import type { DatabaseOptions } from '../storage/connection/database';
import { OwnerSession } from '../storage/connection/owner-session';
import {
  hastenDelivery,
  readDeliveries,
  type DeliveryRow,
  type DeliveryScope,
} from '../storage/notifications/operator-work';
import { SubscriptionRewritten } from '../storage/notifications/subscription-state';
import type { TenantStore } from '../storage/tenants/tenants';

export interface SubscriptionAdministrationOptions {
  readonly services: WriteServices;
  readonly database: DatabaseOptions;
  readonly store: Pick<TenantStore, 'find'>;
  readonly write: RetryingWriter;
  readonly log: Log;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
}

/** Operators' view of deliveries, and their changes to them; the server processes that have the Subscriptions deliver. */
export function createSubscriptionAdministration(
  options: SubscriptionAdministrationOptions,
): SubscriptionAdministration {
  return {
    async list(scope = {}) {
      const rows = (await read(options, scope)).map(toDelivery);
      return rows.sort((one, other) => compare(placeOf(one), placeOf(other)));
    },
    async retry(tenant, { release, id } = {}) {
      const retried = [];
      for (const row of await read(options, { tenant, release, id })) {
        const status = await retry(options, row);
        if (status !== undefined) retried.push({ release: row.release, id: row.id, status });
      }
      return retried;
    },
  };
}

async function read(
  { database, store }: SubscriptionAdministrationOptions,
  scope: DeliveryScope,
): Promise<readonly DeliveryRow[]> {
  const { tenant } = scope;
  if (tenant !== undefined && (await store.find(tenant)) === undefined) throw fhirError('unknownTenant');
  const session = await OwnerSession.open(database);
  try {
    const rows: DeliveryRow[] = [];
    for await (const row of readDeliveries(session, scope)) rows.push(row);
    return rows;
  } finally {
    await session.close();
  }
}

async function retry(
  { services, write, findSpace, log }: SubscriptionAdministrationOptions,
  { tenant, release, space: number, id, version, status, attempts }: DeliveryRow,
): Promise<'requested' | 'active' | undefined> {
  if (status === 'active' && attempts > 0)
    return (await hastenDelivery(services.database, { space: number, id })) ? 'active' : undefined;
  if (status !== 'error') return undefined;
  const space = await findSpace(tenant, release);
  if (space === undefined) throw fhirError('unknownTenant');
  const context = workContext(log, space, { actor: SERVER_ACTOR });
  try {
    await write(context, SUBSCRIPTION, (current) =>
      setSubscriptionStatus(services, current, { id, of: version, status: 'requested', error: undefined }),
    );
    return 'requested';
  } catch (error) {
    // Its client has written it meanwhile, and decides.
    if (error instanceof SubscriptionRewritten) return undefined;
    throw error;
  }
}

function toDelivery(row: DeliveryRow): SubscriptionDelivery {
  const { tenant, release, id, status, endpoint, numbered, delivered, attempts } = row;
  const { failingSince, nextAttempt, failure } = row;
  return {
    ...{ tenant, release, id, status },
    endpoint: endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint).origin : undefined,
    ...{ events: numbered, delivered, waiting: numbered - delivered, attempts },
    ...{ failingSince, nextAttempt, failure },
  };
}

function placeOf({ tenant, release, id }: SubscriptionDelivery): string {
  return `${tenant} ${release} ${id}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
