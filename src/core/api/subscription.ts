/** The deliveries of Subscriptions, for administrators. */
import type { SubscriptionStatus } from '../storage/notifications/operator-work';
import type { Release } from '../fhir/release';

export type { SubscriptionStatus };

/** The delivery of a Subscription, without secrets. Times are milliseconds since 1970. */
export interface SubscriptionDelivery {
  readonly tenant: string;
  readonly release: Release;
  readonly id: string;
  readonly status: SubscriptionStatus;
  /** Scheme and host of the endpoint; undefined for a WebSocket. */
  readonly endpoint: string | undefined;
  /** Numbers of events: all of them, the delivered ones, and those that are not delivered. */
  readonly events: number;
  readonly delivered: number;
  readonly waiting: number;
  /** Attempts that have failed since the last delivery. */
  readonly attempts: number;
  readonly failingSince: number | undefined;
  readonly nextAttempt: number | undefined;
  /** Why the last attempt failed, or why it has its status. */
  readonly failure: string | undefined;
  /** When a notification arrived last. */
  readonly lastArrival: number | undefined;
  /** True: it is off, and an administrator may switch it on. */
  readonly canResume: boolean;
}

/** An event of a Subscription, without what it is about. */
export interface DeliveredEvent {
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly made: number;
  readonly isDelivered: boolean;
}

/** Undefined: of all. */
export interface DeliveryScope {
  readonly tenant?: string | undefined;
  readonly status?: SubscriptionStatus | undefined;
  /** `next` of an earlier page of the same tenant, or of all tenants. */
  readonly after?: string | undefined;
}

export interface DeliveryPage {
  readonly subscriptions: readonly SubscriptionDelivery[];
  /** Undefined: there are no more. */
  readonly next: string | undefined;
}

/** Identifies a Subscription of a tenant. */
export interface SubscriptionPlace {
  readonly release: Release;
  readonly id: string;
}

/** A Subscription whose delivery was made due. */
export interface RetriedSubscription extends SubscriptionPlace {
  /** `requested`: it was in error or off, and begins again with a handshake; `active`: its next attempt is due. */
  readonly status: 'requested' | 'active';
}

/** All functions throw unknownTenant. */
export interface SubscriptionAdministration {
  /**
   * Lists Subscriptions that are not off, and those that the server or an administrator has switched off. What needs a
   * person comes first: in error, failing, requested, active, off; then by tenant, release and id. Cost: a statement for each
   * release, or one on a connection of its own, which reads all of them. Throws invalidValue for an impossible `after`.
   */
  list(scope?: DeliveryScope): Promise<DeliveryPage>;
  /** Undefined: it does not exist, or was never requested. `events`: the last 100 that are kept, the newest first. */
  find(
    tenant: string,
    place: SubscriptionPlace,
  ): Promise<
    { readonly delivery: SubscriptionDelivery; readonly events: readonly DeliveredEvent[] } | undefined
  >;
  /**
   * Makes failing deliveries due now, and requests Subscriptions in error again, with the rights that their authors have.
   * Others stay as they are.
   */
  retry(tenant: string, scope?: Partial<SubscriptionPlace>): Promise<readonly RetriedSubscription[]>;
  /**
   * Switches a Subscription off: no call begins afterwards, and what happens until it is on again is no event. False: it
   * does not exist, or is off.
   */
  switchOff(tenant: string, place: SubscriptionPlace): Promise<boolean>;
  /**
   * Lets a Subscription deliver: one that was switched off by an administrator begins again with a handshake, others as
   * `retry` does. Undefined: it does not exist. Throws ruleViolated where only its client can switch it on.
   */
  switchOn(tenant: string, place: SubscriptionPlace): Promise<SubscriptionStatus | undefined>;
}

export interface NotificationCounts extends SpaceCounts {
  /** Calls to endpoints that are under way. */
  readonly calls: number;
}

/** Subscriptions for which this process works. */
export interface SpaceCounts {
  readonly running: number;
  /** Those of them whose last notification did not arrive. */
  readonly failing: number;
  /** Those of them that were given up, until they are requested again. */
  readonly inError: number;
}
