import type { RequestContext } from '../context';
import { parseStoredObject } from '../fhir/json';
import { mayKnowSecrets } from '../authorization/require-author';
import { atEntry } from '../preparation/entry-refusal';
import type { PreparedVersion } from '../preparation/prepare';
import { SUBSCRIPTION } from '../fhir/type-names';
import type { WriteServices } from '../ports';
import { changeSubscription } from '../storage/notifications/subscription-state';
import type { SubscriptionChange } from '../storage/notifications/subscription-change';
import type { PlannedVersion, WriteAspect } from './write-aspect';

/** The state of a Subscription, which a write of its resource changes. */
export const subscriptions: WriteAspect = {
  plan(services, context, version, members) {
    if (version.type !== SUBSCRIPTION) return undefined;
    return (async () => {
      members.subscription = version.status ?? (await changeOf(services, context, version));
    })();
  },
  async planTransaction(services, context, versions) {
    const own = versions.filter(({ version }) => version.type === SUBSCRIPTION);
    if (own.length === 0) return undefined;
    const changes: SubscriptionChange[] = [];
    for (const { version, entry } of own) {
      if (entry?.changesNothing === true) continue;
      const { type, typeNumber, key, id, index, replaced } = version;
      try {
        const change = await changeOf(services, context, {
          ...{ id, own: { type: typeNumber, key } },
          isNew: replaced === undefined,
          prepared: entry,
        });
        if (change !== undefined) changes.push(change);
      } catch (error) {
        throw atEntry(error, index, type);
      }
    }
    return {
      async complete(run) {
        for (const change of changes) await changeSubscription(run, context.space.number, change);
      },
    };
  },
};

/** A version of a Subscription; `prepared` is undefined for a deletion. */
interface SubscriptionVersion extends Pick<PlannedVersion, 'own' | 'id' | 'isNew'> {
  readonly prepared: Pick<PreparedVersion, 'text' | 'subscription'> | undefined;
}

/**
 * Returns what a version changes in the state of a Subscription; undefined: nothing. Throws ruleViolated where the server
 * cannot do what it requests. Cost: some searches for a topic of the tenant.
 */
async function changeOf(
  services: WriteServices,
  context: RequestContext,
  { own, id, isNew, prepared }: SubscriptionVersion,
): Promise<SubscriptionChange | undefined> {
  if (prepared === undefined) return { ...own, id, to: 'off' };
  const { text, subscription } = prepared;
  if (subscription === undefined) return undefined;
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
