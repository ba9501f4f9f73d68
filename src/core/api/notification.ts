/** The content of notifications of Subscriptions, and of answers of `$status` and `$events`. */

import { type NotificationContent } from '../fhir/subscription/subscription-request';
import { type StoredVersion } from './version';

/** A resource in a notification. */
export interface NotifiedResource {
  /** `{root}/Type/id` */
  readonly fullUrl: string;
  /** `Type/id` */
  readonly reference: string;
  /** JSON text of the resource, used by `full-resource`; undefined for a deletion. */
  readonly text?: string;
}

/** The resource whose change is an event. */
export interface NotifiedFocus extends NotifiedResource {
  readonly change: 'create' | 'update' | 'delete';
  /** The version that has `text`, for readers that need no JSON. */
  readonly version?: StoredVersion;
}

/** An event of a subscription. */
export interface NotifiedEvent {
  /** Counts the events of the subscription, from 1. */
  readonly number: number;
  /** An instant. */
  readonly timestamp: string;
  /** Undefined: the resource was erased, or the subscriber may no longer see it. */
  readonly focus?: NotifiedFocus;
  /** Further resources that the topic includes; omitted for an event without focus. */
  readonly context?: readonly NotifiedResource[];
}

/** The content of a notification, or of one answer of `$status`. */
export interface Notification {
  readonly type: 'handshake' | 'heartbeat' | 'event-notification' | 'query-status' | 'query-event';
  readonly status: 'requested' | 'active' | 'error' | 'off';
  readonly subscription: {
    /** `{root}/Subscription/{id}` */
    readonly fullUrl: string;
    readonly id: string;
  };
  /** Canonical of the topic; undefined for the classic kind. */
  readonly topic: string | undefined;
  readonly content: NotificationContent;
  /** Number of all events until now. */
  readonly eventsSinceStart: number;
  /** Ignored for a handshake and a heartbeat. */
  readonly events: readonly NotifiedEvent[];
  /** Reason of the status `error`, without data of patients. */
  readonly error?: string;
}
