/** The JSON of the deliveries of Subscriptions as TypeBox schemas (schemas.ts). */
import { Type } from '@sinclair/typebox';
import {
  count,
  flag,
  instant,
  listOf,
  object,
  oneOf,
  optional,
  RELEASE,
  text,
  type Value,
} from './schema-kinds';

const STATUSES = ['requested', 'active', 'error', 'off'] as const;
/** The parameters of a list. */
export const SubscriptionQuery = Type.Object(
  optional({
    status: oneOf(STATUSES, 'Only those with this status'),
    cursor: text('The `next` of an earlier answer'),
  }),
  { additionalProperties: false },
);
export const Delivery = object(
  {
    ...{ tenant: text(), release: RELEASE, id: text('That of the Subscription') },
    status: oneOf(STATUSES),
    endpoint: Type.Optional(text('Scheme and host; none for a WebSocket')),
    events: count('All events since the Subscription was requested'),
    delivered: count(),
    waiting: count('Events that are not delivered'),
    attempts: count('Attempts that have failed since the last delivery'),
    ...optional({
      failingSince: instant(),
      nextAttempt: instant(),
      failure: text('Why the last attempt failed, or why it has its status'),
      lastArrival: instant('When a notification arrived last'),
    }),
    resumable: flag('True: it is off, and an administrator may request it again'),
  },
  { $id: 'Delivery' },
);
export const DeliveryList = object(
  {
    subscriptions: listOf(Delivery),
    next: Type.Optional(text('There may be more: `cursor` of the next request')),
  },
  { $id: 'DeliveryList' },
);
export const DescribedDelivery = object(
  {
    ...Delivery.properties,
    recent: listOf(
      object({ number: count(), made: instant(), delivered: flag('True: it arrived') }),
      'The last 100 events that are kept, the newest first; what they are about is in $events',
    ),
  },
  { $id: 'DescribedDelivery' },
);
export const DeliveryChange = object(
  {
    status: oneOf(
      ['requested', 'off'],
      'requested: deliver now; begin again after an error, or after an administrator switched it off',
    ),
  },
  { $id: 'DeliveryChange' },
);
export type DeliveryAnswer = Value<typeof Delivery>;
