import { type GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, ID, Info, Int, Query, Resolver, Root } from 'type-graphql';
import { fhirError, type Notification, type NotifiedEvent } from '../core/index';
import { selects } from '../schema/selection';
import { SubscriptionDelivery, SubscriptionEvent } from '../schema/types/subscription-delivery';
import type { GatewayContext } from './context';
import { orNothing } from './misses';
import { toResource } from './resource-source';

@Resolver(() => SubscriptionDelivery)
export class SubscriptionResolver {
  @Query(() => SubscriptionDelivery, {
    nullable: true,
    description:
      'The status and the events of a Subscription, as the operations $status and $events have them; null when it does not exist or was deleted.',
  })
  async subscriptionDelivery(
    @Ctx() { core, request }: GatewayContext,
    @Arg('id', () => ID, { description: 'The id of the Subscription.' }) id: string,
  ): Promise<SubscriptionDelivery | undefined> {
    const found = await orNothing(core.interactions.subscriptionStatus(request, id));
    return found && toDelivery(found);
  }

  @FieldResolver(() => [SubscriptionEvent], {
    nullable: true,
    description:
      'The events in their order, for the author of the Subscription and administrators. At most 500, and 1,000,000 characters of ' +
      'resources: request the others by `since`, with the number after the last one. Older numbers than those that are kept are an error.',
  })
  async events(
    @Ctx() context: GatewayContext,
    @Root() { id }: SubscriptionDelivery,
    @Info() info: GraphQLResolveInfo,
    @Arg('since', () => Int, {
      nullable: true,
      description: 'The first number. Default: the first that is kept.',
    })
    since: number | null | undefined,
    @Arg('until', () => Int, {
      nullable: true,
      description: 'The last number, included. Default: that of the last event.',
    })
    until: number | null | undefined,
  ): Promise<SubscriptionEvent[]> {
    if (typeof until === 'number' && until < Math.max(0, since ?? 0))
      throw fhirError('invalidValue', { reason: "'until' must not be less than 'since'" });
    const events = await context.core.interactions.subscriptionEvents(context.request, {
      id,
      since: typeof since === 'number' ? Math.max(1, since) : undefined,
      until: until ?? undefined,
      content: contentOf(info),
      omitsContext: true,
    });
    return events.map((event) => toEvent(event, context));
  }
}

/** Nothing is read for what is not selected. */
function contentOf(info: GraphQLResolveInfo): Notification['content'] {
  if (selects(info, 'resource')) return 'full-resource';
  return selects(info, 'focus') || selects(info, 'change') ? 'id-only' : 'empty';
}

function toDelivery(found: Notification): SubscriptionDelivery {
  const { subscription, status, topic, content, eventsSinceStart, error } = found;
  return {
    ...{ id: subscription.id, status, content, eventsSinceStart },
    ...(topic === undefined ? {} : { topic }),
    ...(error === undefined ? {} : { error }),
  };
}

function toEvent({ number, timestamp, focus }: NotifiedEvent, context: GatewayContext): SubscriptionEvent {
  if (focus === undefined) return { number, timestamp };
  const { change, reference, version } = focus;
  return {
    ...{ number, timestamp, change, focus: reference },
    ...(version === undefined ? {} : { resource: toResource(version, context, true) }),
  };
}
