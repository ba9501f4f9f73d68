/**
 * Writes notifications and answers of `$status` and `$events` as JSON text.
 * Source: https://hl7.org/fhir/uv/subscriptions-backport/notifications.html and payloads.html
 */
import {
  type NotifiedResource,
  type NotifiedFocus,
  type NotifiedEvent,
  type Notification,
} from '../api/notification';
import { randomUUID } from 'node:crypto';
import type { Release } from '../fhir/release';
import type { NotificationContent } from '../fhir/subscription/subscription-request';

const PROFILES = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-subscription-';

const BUNDLE_PROFILES: Readonly<Record<Release, string>> = {
  r4: `${PROFILES}notification-r4`,
  r4b: `${PROFILES}notification`,
};

/** Returns the status of a subscription with a new id: Parameters in R4, SubscriptionStatus in R4B. */
export function statusResource(release: Release, notification: Notification): string {
  return writeStatus(release, notification, randomUUID());
}

/** Returns a history Bundle: first the status, then the resources of the events as far as the content level allows. */
export function notificationBundle(release: Release, notification: Notification): string {
  const id = randomUUID();
  const status = writeStatus(release, notification, id);
  const request = { method: 'GET', url: `${notification.subscription.fullUrl}/$status` };
  const entries = [
    writeEntry({ fullUrl: `urn:uuid:${id}`, resource: status, request, status: '200' }),
    ...writeEvents(eventsOf(notification), notification.content),
  ];
  const head = {
    resourceType: 'Bundle',
    meta: { profile: [BUNDLE_PROFILES[release]] },
    type: 'history',
    timestamp: new Date().toISOString(),
  };
  return `${JSON.stringify(head).slice(0, -1)},"entry":[${entries.join(',')}]}`;
}

/** Returns the answer of `$status`: a searchset Bundle with the status of each subscription, of type `query-status`. */
export function statusBundle(release: Release, notifications: readonly Notification[]): string {
  const entries = notifications.map((notification) => {
    const id = randomUUID();
    const status = writeStatus(release, { ...notification, type: 'query-status' }, id);
    return `{"fullUrl":"urn:uuid:${id}","resource":${status},"search":{"mode":"match"}}`;
  });
  const head = `{"resourceType":"Bundle","type":"searchset","total":${entries.length}`;
  return entries.length === 0 ? `${head}}` : `${head},"entry":[${entries.join(',')}]}`;
}

function eventsOf({ type, events }: Notification): readonly NotifiedEvent[] {
  return type === 'handshake' || type === 'heartbeat' ? [] : events;
}

/** The topic may tell what the subject of an event is, which `empty` must not. */
function topicOf({ topic, content }: Notification): string | undefined {
  return content === 'empty' ? undefined : topic;
}

function writeStatus(release: Release, notification: Notification, id: string): string {
  const resource = release === 'r4' ? toParameters(notification, id) : toSubscriptionStatus(notification, id);
  return JSON.stringify(resource);
}

/** Source: https://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition-backport-subscription-status-r4.html */
function toParameters(notification: Notification, id: string): object {
  const { type, status, subscription, eventsSinceStart, error } = notification;
  const topic = topicOf(notification);
  const parameter: object[] = [
    { name: 'subscription', valueReference: { reference: subscription.fullUrl } },
    ...(topic === undefined ? [] : [{ name: 'topic', valueCanonical: topic }]),
    { name: 'status', valueCode: status },
    { name: 'type', valueCode: type },
    { name: 'events-since-subscription-start', valueString: String(eventsSinceStart) },
  ];
  for (const event of eventsOf(notification)) {
    const { focus, additionalContext } = referencesOf(event, notification.content);
    const part: object[] = [
      { name: 'event-number', valueString: String(event.number) },
      { name: 'timestamp', valueInstant: event.timestamp },
    ];
    if (focus !== undefined) part.push({ name: 'focus', valueReference: focus });
    for (const reference of additionalContext ?? [])
      part.push({ name: 'additional-context', valueReference: reference });
    parameter.push({ name: 'notification-event', part });
  }
  if (error !== undefined) parameter.push({ name: 'error', valueCodeableConcept: { text: error } });
  return { resourceType: 'Parameters', id, meta: { profile: [`${PROFILES}status-r4`] }, parameter };
}

/** Source: https://hl7.org/fhir/R4B/subscriptionstatus.html */
function toSubscriptionStatus(notification: Notification, id: string): object {
  const { type, status, subscription, eventsSinceStart, error, content } = notification;
  const events = eventsOf(notification).map((event) => ({
    eventNumber: String(event.number),
    timestamp: event.timestamp,
    ...referencesOf(event, content),
  }));
  return {
    resourceType: 'SubscriptionStatus',
    id,
    status,
    type,
    eventsSinceSubscriptionStart: String(eventsSinceStart),
    notificationEvent: events.length === 0 ? undefined : events,
    subscription: { reference: subscription.fullUrl },
    topic: topicOf(notification),
    error: error === undefined ? undefined : [{ text: error }],
  };
}

interface EventReferences {
  readonly focus?: { readonly reference: string };
  readonly additionalContext?: readonly { readonly reference: string }[];
}

/** References are absolute, as in the guide: the receiver of a notification need not know the server's address. */
function referencesOf({ focus, context = [] }: NotifiedEvent, content: NotificationContent): EventReferences {
  if (content === 'empty' || focus === undefined) return {};
  const reference = { reference: focus.fullUrl };
  if (context.length === 0) return { focus: reference };
  return { focus: reference, additionalContext: context.map(({ fullUrl }) => ({ reference: fullUrl })) };
}

function writeEvents(events: readonly NotifiedEvent[], content: NotificationContent): string[] {
  if (content === 'empty') return [];
  const resourceOf = ({ text }: NotifiedResource): string | undefined =>
    content === 'full-resource' ? text : undefined;
  const entries: string[] = [];
  // Events often include the same further resource, such as the patient.
  const included = new Set<string>();
  for (const { focus, context = [] } of events) {
    if (focus === undefined) continue;
    const resource = focus.change === 'delete' ? undefined : resourceOf(focus);
    entries.push(writeEntry({ fullUrl: focus.fullUrl, resource, ...interactionOf(focus) }));
    for (const further of context) {
      const request = { method: 'GET', url: further.reference };
      const { fullUrl } = further;
      const entry = writeEntry({ fullUrl, resource: resourceOf(further), request, status: '200' });
      if (!included.has(entry)) entries.push(entry);
      included.add(entry);
    }
  }
  return entries;
}

interface Interaction {
  readonly request: { readonly method: string; readonly url: string };
  readonly status: string;
}

/** Returns the interaction that made the change, with the HTTP status of its response. */
function interactionOf({ change, reference }: NotifiedFocus): Interaction {
  switch (change) {
    case 'create':
      return { request: { method: 'POST', url: reference.split('/', 1)[0] ?? '' }, status: '201' };
    case 'update':
      return { request: { method: 'PUT', url: reference }, status: '200' };
    case 'delete':
      return { request: { method: 'DELETE', url: reference }, status: '204' };
  }
}

interface Entry extends Interaction {
  readonly fullUrl: string;
  /** JSON text. */
  readonly resource: string | undefined;
}

function writeEntry({ fullUrl, resource, request, status }: Entry): string {
  const content = resource === undefined ? '' : `"resource":${resource},`;
  const address = JSON.stringify(fullUrl);
  return `{"fullUrl":${address},${content}"request":${JSON.stringify(request)},"response":{"status":"${status}"}}`;
}
