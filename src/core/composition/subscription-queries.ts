import { OPERATIONS } from '../operations';
import { ElementRedaction } from '../authorization/element-redaction';
import { requireInvocation } from '../authorization/operation-rule';
import { permissionsOf } from '../authorization/visibility';
import type { Notification, NotifiedEvent } from '../api/notification';
import type { SubscriptionEventsRequest } from '../api/notification-stream';
import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext } from '../context';
import { read } from '../versions/read';
import { vread } from '../versions/vread';
import {
  subscriptionEvents,
  subscriptionStatuses,
  type QueryTools,
} from '../fhir-subscriptions/query-subscription';
import type { SearchServices } from '../ports';
import { SUBSCRIPTION } from '../fhir/type-names';
import { searchAny } from '../search-execution/system-search';
import type { RequestServices } from './request-services';

/** Returns the tools of `$status` and `$events`; elements that are hidden from the caller are removed before they are read. */
export function createQueryTools(
  services: SearchServices,
  context: RequestContext,
  rootOf: QueryTools['rootOf'],
): QueryTools {
  const permissions = permissionsOf(services, context);
  const answers = permissions && new ElementRedaction(permissions.elements);
  const shown = (version: StoredVersion): StoredVersion => answers?.version(version) ?? version;
  return {
    services,
    rootOf,
    interactions: {
      read: async (of, type, id) => shown(await read(services, of, type, id)),
      vread: async (of, type, id, versionId) => shown(await vread(services, of, { type, id, versionId })),
      async search(of, request) {
        const page = await searchAny(services, of, request);
        return answers?.page(page) ?? page;
      },
    },
  };
}

/** Parts of core with which Subscriptions are queried. */
export interface SubscriptionQueryParts {
  readonly requests: RequestServices;
  readonly rootOf: QueryTools['rootOf'];
}

/** The same answer as that of the operation `$status`, with the same rights, as a plain value. */
export async function queryStatus(
  parts: SubscriptionQueryParts,
  context: RequestContext,
  id: string,
): Promise<Notification> {
  const [found] = await subscriptionStatuses(toolsFor(parts, context, id, 'status'), context, { id });
  if (found === undefined) throw new Error('a Subscription was read without its status');
  return found;
}

/** The same for `$events`. */
export async function queryEvents(
  parts: SubscriptionQueryParts,
  context: RequestContext,
  request: SubscriptionEventsRequest,
): Promise<readonly NotifiedEvent[]> {
  return (await subscriptionEvents(toolsFor(parts, context, request.id, 'events'), context, request)).events;
}

function toolsFor(
  { requests, rootOf }: SubscriptionQueryParts,
  context: RequestContext,
  id: string,
  code: 'status' | 'events',
): QueryTools {
  const services = requests.of(context);
  requireInvocation(services, context, {
    operations: OPERATIONS,
    invocation: { level: 'instance', type: SUBSCRIPTION, id, code, safe: true },
  });
  return createQueryTools(services, context, rootOf);
}
