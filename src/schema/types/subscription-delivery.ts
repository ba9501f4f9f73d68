/** The delivery of Subscriptions, with the same types in all releases: FHIR has a type for it in R4B, and none in R4. */
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { canonicalScalar, instantScalar } from '../scalars';
import { ChangeKind } from './history';
import { Resource } from './resource';

export const DeliveryStatus = {
  REQUESTED: 'requested',
  ACTIVE: 'active',
  ERROR: 'error',
  OFF: 'off',
} as const;
export type DeliveryStatus = (typeof DeliveryStatus)[keyof typeof DeliveryStatus];
registerEnumType(DeliveryStatus, {
  name: 'DeliveryStatus',
  description:
    'The status of a Subscription. REQUESTED: its endpoint has not answered the handshake yet. ERROR: events are counted and not delivered.',
});

export const DeliveryContent = {
  EMPTY: 'empty',
  ID_ONLY: 'id-only',
  FULL_RESOURCE: 'full-resource',
} as const;
export type DeliveryContent = (typeof DeliveryContent)[keyof typeof DeliveryContent];
registerEnumType(DeliveryContent, {
  name: 'DeliveryContent',
  description:
    'What the events of a Subscription tell. EMPTY: that something has changed. ID_ONLY: also what. FULL_RESOURCE: also the resource.',
});

@ObjectType({ description: 'A change of which a Subscription notifies.' })
export class SubscriptionEvent {
  @Field(() => Int, { description: 'Counts the events of the Subscription from 1, without gaps.' })
  number!: number;

  @Field(() => instantScalar, { description: 'The moment of the change.' })
  timestamp!: string;

  @Field(() => ChangeKind, {
    nullable: true,
    description:
      'Null where the resource was erased or is hidden from the client, and where the Subscription tells no more than numbers.',
  })
  change?: ChangeKind;

  @Field(() => String, {
    nullable: true,
    description: 'The reference to the changed resource, such as `Patient/1`; null where `change` is.',
  })
  focus?: string;

  @Field(() => Resource, {
    nullable: true,
    description:
      'The version that the change made. Null where `focus` is, for a deletion, and where the Subscription is not of FULL_RESOURCE.',
  })
  resource?: Resource;
}

@ObjectType({
  description: 'The delivery of a Subscription: its status, and what it has notified or will notify of.',
})
export class SubscriptionDelivery {
  @Field(() => ID, { description: 'The id of the Subscription.' })
  id!: string;

  @Field(() => DeliveryStatus)
  status!: DeliveryStatus;

  @Field(() => canonicalScalar, {
    nullable: true,
    description: 'Null where the criteria of the Subscription are a search.',
  })
  topic?: string;

  @Field(() => DeliveryContent, {
    description: 'What the events tell at most; EMPTY where the Subscription cannot run.',
  })
  content!: DeliveryContent;

  @Field(() => Int, { description: 'Number of all events until now; the last event has this number.' })
  eventsSinceStart!: number;

  @Field(() => String, { nullable: true, description: 'The reason of the status ERROR.' })
  error?: string;
}
