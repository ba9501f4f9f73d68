/**
 * The deliveries of Subscriptions (docs/use/subscriptions.md): what `$status` and `$events` do not say. They show no
 * resource, no header, and of an endpoint only scheme and host.
 */
import {
  fhirError,
  isRelease,
  type Core,
  type DeliveryPage,
  type SubscriptionDelivery,
  type SubscriptionPlace,
} from '../../core';
import type { SUBSCRIPTION_ROUTES } from './routes';
import { found, toInstant, type HandlersOf } from './serve-routes';
import type { Value } from './schema-kinds';
import type { DeliveryAnswer, DeliveryList, DescribedDelivery } from './subscription-schemas';

export function subscriptionHandlers({
  tenants: { subscriptions },
}: Core): HandlersOf<typeof SUBSCRIPTION_ROUTES> {
  const describe = async (
    tenant: string,
    place: SubscriptionPlace,
  ): Promise<Value<typeof DescribedDelivery>> => {
    const { delivery, events } = found(await subscriptions.find(tenant, place));
    const recent = events.map(({ number, made, isDelivered }) => ({
      ...{ number, made: toInstant(made), delivered: isDelivered },
    }));
    return { ...toAnswer(delivery), recent };
  };
  return {
    listSubscriptions: async ({ params: { tenant }, query: { status, cursor: after } }) => ({
      status: 200,
      answer: toList(await subscriptions.list({ tenant, status, after })),
    }),
    getSubscription: async ({ params: { tenant, ...params } }) => ({
      status: 200,
      answer: await describe(tenant, placeOf(params)),
    }),
    changeSubscription: async ({ params: { tenant, ...params }, body: { status } }) => {
      const place = placeOf(params);
      found(await subscriptions.find(tenant, place));
      await (status === 'off'
        ? subscriptions.switchOff(tenant, place)
        : subscriptions.switchOn(tenant, place));
      return { status: 200, answer: await describe(tenant, place) };
    },
    listAllSubscriptions: async ({ query: { status, cursor: after } }) => ({
      status: 200,
      answer: toList(await subscriptions.list({ status, after })),
    }),
  };
}

interface PlaceInAddress {
  readonly fhirRelease: string;
  readonly subscription: string;
}

function placeOf({ fhirRelease: release, subscription }: PlaceInAddress): SubscriptionPlace {
  if (!isRelease(release)) throw fhirError('noSuchAddress');
  return { release, id: subscription };
}

function toList({ subscriptions, next }: DeliveryPage): Value<typeof DeliveryList> {
  return { subscriptions: subscriptions.map(toAnswer), next };
}

function toAnswer(delivery: SubscriptionDelivery): DeliveryAnswer {
  const { failingSince, nextAttempt, lastArrival, canResume, ...rest } = delivery;
  return {
    ...rest,
    ...(failingSince === undefined ? {} : { failingSince: toInstant(failingSince) }),
    ...(nextAttempt === undefined ? {} : { nextAttempt: toInstant(nextAttempt) }),
    ...(lastArrival === undefined ? {} : { lastArrival: toInstant(lastArrival) }),
    resumable: canResume,
  };
}
