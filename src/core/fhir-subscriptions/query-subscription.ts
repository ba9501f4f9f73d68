/** The data of `$status` and `$events`, with the rights of the caller. */
import type { Interactions } from '../api/interactions';
import type { StoredVersion } from '../storage/read/stored-version';
import { permissionsOf } from '../authorization/visibility';
import type { RequestContext } from '../context';
import { FhirError, fhirError } from '../errors';
import { parseStoredObject, type JsonObject } from '../fhir/json';
import type { SubscriptionStatusRequest } from '../operation-types/environment';
import type { SubscriptionEventsRequest } from '../api/notification-stream';
import { SUBSCRIPTION } from '../fhir/type-names';
import { eventsBetween } from '../storage/notifications/events';
import { querySubscriptions, type QueriedSubscription } from '../storage/notifications/subscription-query';
import { keyText } from '../storage/read/version-row';
import { findTopic } from '../topics/find-topic';
import type { Notification } from '../api/notification';
import { MOST_EVENTS, MOST_TEXT } from './notification-size';
import { requireAuthor } from '../authorization/require-author';
import { readEvents, type EventTools } from './delivery/read-events';
import {
  readSubscription,
  type NotificationContent,
  type SubscriptionRequest,
} from '../fhir/subscription/subscription-request';
import type { Topic } from '../topics/topic';

export interface QueryTools extends EventTools {
  readonly interactions: Pick<Interactions, 'read' | 'vread' | 'search'>;
}

/** The most Subscriptions in one answer of `$status`. */
const MOST_STATUSES = 200;
const MAX_INTEGER = 2_147_483_647;

/** The content levels, each with more than the one before. */
const LEVELS: readonly NotificationContent[] = ['empty', 'id-only', 'full-resource'];

/**
 * Returns the status of Subscriptions as their resources have it, so that a read answers the same. Throws notFound, gone,
 * forbidden, and tooCostly for more than 200. Cost: a read or a search, and one statement.
 */
export async function subscriptionStatuses(
  tools: QueryTools,
  context: RequestContext,
  request: SubscriptionStatusRequest,
): Promise<readonly Notification[]> {
  const { interactions } = tools;
  const versions =
    'id' in request
      ? [await interactions.read(context, SUBSCRIPTION, request.id)]
      : await findSubscriptions(tools, context, request);
  const states = await statesOf(
    tools,
    context,
    versions.map(({ id }) => id),
  );
  return versions.map((version, index) => toNotification(tools, context, version, states[index]));
}

async function findSubscriptions(
  { interactions }: QueryTools,
  context: RequestContext,
  { ids, statuses }: Exclude<SubscriptionStatusRequest, { readonly id: string }>,
): Promise<readonly StoredVersion[]> {
  const { matches, next } = await interactions.search(context, {
    type: SUBSCRIPTION,
    parameters: [
      ...(ids.length === 0 ? [] : [['_id', ids.join(',')] as const]),
      ...(statuses.length === 0 ? [] : [['status', statuses.join(',')] as const]),
      ['_count', String(MOST_STATUSES)],
    ],
    handling: 'strict',
  });
  if (next === undefined) return matches;
  const reason = `More than ${MOST_STATUSES} Subscriptions match: name some of them by 'id', or give a 'status'`;
  throw fhirError('tooCostly', { reason });
}

/**
 * Returns the events in a range of numbers, at most 500 and 1,000,000 characters of resources; the client continues with
 * the next number. Throws notFound, gone, forbidden for others than its author and administrators, and ruleViolated for
 * numbers that are no longer kept. Cost: that of `readEvents`, and three statements.
 */
export async function subscriptionEvents(
  tools: QueryTools,
  context: RequestContext,
  { id, since, until, content, omitsContext = false }: SubscriptionEventsRequest,
): Promise<Notification> {
  const version = await tools.interactions.read(context, SUBSCRIPTION, id);
  const [state] = await statesOf(tools, context, [id]);
  requireReader(context, state, id);
  const found = toNotification(tools, context, version, state);
  const { firstKept = found.eventsSinceStart + 1 } = state ?? {};
  if (since !== undefined && since < firstKept && since <= found.eventsSinceStart) {
    const reason = `The events of this Subscription are kept from number ${firstKept} on`;
    throw fhirError('ruleViolated', { reason });
  }
  const { services } = tools;
  const place = { space: context.space.number, key: keyText(services.keys.keyOf(SUBSCRIPTION, id)) };
  const stored = await eventsBetween(services.database, place, {
    since: Math.min(since ?? firstKept, MAX_INTEGER),
    until: Math.min(until ?? found.eventsSinceStart, found.eventsSinceStart),
    limit: MOST_EVENTS,
  });
  const level = lowerOf(content ?? found.content, found.content);
  const events = await readEvents(tools, context, stored, {
    content: level,
    topic: level === 'empty' || omitsContext ? undefined : await topicOf(tools, context, found.topic),
    most: MOST_TEXT,
  });
  return { ...found, type: 'query-event', content: level, events };
}

/** The events tell which resources have changed when, which others than the author may not have been meant to learn. */
function requireReader(context: RequestContext, state: QueriedSubscription | undefined, id: string): void {
  if (context.access === undefined || context.access.isAdministrator) return;
  if (state?.author === undefined)
    throw fhirError('forbidden', {
      reason: 'Only administrators can request the events of a Subscription that is off',
    });
  requireAuthor(context, state.author, id);
}

/** In the order of the ids; undefined: no client has requested it. */
async function statesOf(
  { services }: QueryTools,
  { space }: RequestContext,
  ids: readonly string[],
): Promise<readonly (QueriedSubscription | undefined)[]> {
  const keys = ids.map((id) => keyText(services.keys.keyOf(SUBSCRIPTION, id)));
  const states = await querySubscriptions(services.database, space.number, keys);
  return keys.map((key) => states.get(key));
}

function toNotification(
  tools: QueryTools,
  context: RequestContext,
  { id, text }: StoredVersion,
  state: QueriedSubscription | undefined,
): Notification {
  const resource = parseStoredObject(text);
  const { error } = resource;
  const request = requestOf(context, resource);
  return {
    type: 'query-status',
    status: statusOf(context, tools, resource),
    subscription: { fullUrl: `${tools.rootOf(context.space)}/${SUBSCRIPTION}/${id}`, id },
    topic: request?.topic,
    content: request?.content ?? 'empty',
    eventsSinceStart: state?.numbered ?? 0,
    events: [],
    ...(typeof error === 'string' ? { error } : {}),
  };
}

/** Undefined: it cannot run, or what it requests is hidden from the caller. */
function requestOf({ space }: RequestContext, resource: JsonObject): SubscriptionRequest | undefined {
  const read = readSubscription(resource, space.release);
  return 'request' in read ? read.request : undefined;
}

function statusOf(
  context: RequestContext,
  { services }: QueryTools,
  { status }: JsonObject,
): Notification['status'] {
  switch (status) {
    case 'requested':
    case 'active':
    case 'error':
    case 'off':
      return status;
    default:
      permissionsOf(services, context)?.requireElements(SUBSCRIPTION, 'The status of a Subscription');
      throw new Error('a stored Subscription has no valid status');
  }
}

/** Undefined: the Subscription has none, or it can no longer be served, so that events have no further resources. */
async function topicOf(
  { services }: QueryTools,
  context: RequestContext,
  canonical: string | undefined,
): Promise<Topic | undefined> {
  if (canonical === undefined) return undefined;
  try {
    return await findTopic(services, context, canonical);
  } catch (error) {
    if (error instanceof FhirError && error.key === 'ruleViolated') return undefined;
    throw error;
  }
}

function lowerOf(one: NotificationContent, other: NotificationContent): NotificationContent {
  return LEVELS.indexOf(one) < LEVELS.indexOf(other) ? one : other;
}
