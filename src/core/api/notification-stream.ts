/** Notifications of Subscriptions with the channel websocket, for the connection of one client. */
import type { Caller } from './access';
import type { RequestContext, TenantSpace } from '../context';
import type { NotificationContent } from '../fhir/subscription/subscription-request';

/** A token with which a client binds Subscriptions to a connection. */
export interface BindingToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** The ids of the Subscriptions. */
  readonly subscriptions: readonly string[];
}

/** A binding token, and the address of the connections that take it. */
export interface IssuedToken extends BindingToken {
  /** ws:// or wss:// */
  readonly url: string;
}

/**
 * Why the server ends a stream.
 * - over: no bound Subscription sends anything any more
 * - denied: the author of a bound Subscription has lost access
 * - slow: the client reads too slowly; the reason names the first event that was not sent
 * - stopped: the server stops
 */
export interface StreamEnd {
  readonly kind: 'over' | 'denied' | 'slow' | 'stopped';
  /** At most 120 ASCII characters. */
  readonly reason: string;
}

/** The messages of one connection: notification Bundles of topic-based Subscriptions, words of classic ones. */
export interface NotificationStream {
  /**
   * Binds the Subscriptions of a token, which can be used once. `sender`: the caller that opened the connection, where it
   * has sent credentials. Throws unauthorized, ruleViolated, tooManySubscriptions.
   */
  bindToken(token: string, sender?: Caller): Promise<void>;
  /**
   * Binds a Subscription of the caller. Throws unauthorized, forbidden, notFound, gone, ruleViolated,
   * tooManySubscriptions.
   */
  bind(context: RequestContext, id: string): Promise<void>;
  /** True from the first successful call of `bind` or `bindToken`. */
  readonly isBound: boolean;
  /** The next message as soon as there is one, or the end. Must not be called while another call is pending. */
  next(): Promise<string | StreamEnd>;
  /** Called when the connection is gone. */
  close(): void;
}

export interface SocketCounts {
  /** Bindings of Subscriptions to connections of this process. */
  readonly bound: number;
}

export interface StreamRequest {
  readonly space: TenantSpace;
  /** Limit on the Subscriptions of the connection. */
  readonly most: number;
}

/** Events of a Subscription by their numbers, which are from 1 on and inclusive. */
export interface SubscriptionEventsRequest {
  readonly id: string;
  /** Undefined: from the first one that is kept. */
  readonly since: number | undefined;
  /** Undefined: to the last one. */
  readonly until: number | undefined;
  /** Undefined: the content level of the Subscription, which is never exceeded. */
  readonly content: NotificationContent | undefined;
  /** True: without the further resources that the topic includes. */
  readonly omitsContext?: boolean;
}
