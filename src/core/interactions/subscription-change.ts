import type { RequestContext } from '../context';
import { parseStoredObject } from '../fhir/json';
import { mayKnowSecrets } from '../authorization/require-author';
import { type PreparedSubscription } from '../fhir/subscription/prepare-subscription';
import { SUBSCRIPTION } from '../fhir/type-names';
import type { WriteServices } from '../ports';
import type { SubscriptionChange } from '../storage/notifications/subscription-change';
import type { ResourceAddress } from '../storage/read/version-address';

/**
 * Returns the change of a Subscription's state by a write of a client; undefined for other resources. Throws ruleViolated
 * where the server cannot do what it requests. Cost: some searches for a topic of the tenant.
 */
export async function subscriptionChange(
  services: WriteServices,
  context: RequestContext,
  written: {
    readonly type: string;
    readonly own: ResourceAddress;
    readonly id: string;
    readonly text: string;
    /** True: it did not exist, or was deleted. */
    readonly isNew: boolean;
    readonly subscription: PreparedSubscription | undefined;
  },
): Promise<SubscriptionChange | undefined> {
  const { type, own, id, text, isNew, subscription } = written;
  if (type !== SUBSCRIPTION || subscription === undefined) return undefined;
  if (!subscription.isRequested) return isNew ? undefined : { ...own, id, to: 'off' };
  await services.requireSubscribable(services, context, parseStoredObject(text));
  const { actor, access } = context;
  const { endpoint, headers } = subscription;
  const author = access === undefined ? { actor } : { actor, access };
  return {
    ...own,
    id,
    to: {
      requested: {
        author,
        endpoint,
        headers,
        mayKeep: (earlier) => mayKnowSecrets(author, earlier),
        most: services.limits.maxTenantSubscriptions,
      },
    },
  };
}
