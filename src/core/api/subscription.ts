/** The deliveries of Subscriptions, for operators. */
import type { DeliveryScope } from '../storage/notifications/operator-work';
import type { RunningStatus } from '../storage/notifications/subscription-change';
import type { Release } from '../fhir/release';

export type { DeliveryScope, RunningStatus };

/** The delivery of a Subscription, without secrets. Times are milliseconds since 1970. */
export interface SubscriptionDelivery {
  readonly tenant: string;
  readonly release: Release;
  readonly id: string;
  readonly status: RunningStatus;
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
  readonly failure: string | undefined;
}

/** A Subscription whose delivery was made due. */
export interface RetriedSubscription {
  readonly release: Release;
  readonly id: string;
  /** `requested`: it was in error and begins again with a handshake; `active`: its next attempt is due. */
  readonly status: 'requested' | 'active';
}

export interface SubscriptionAdministration {
  /** Lists the Subscriptions that are not off. Throws unknownTenant. Cost: a scan of all of them. */
  list(scope?: DeliveryScope): Promise<readonly SubscriptionDelivery[]>;
  /**
   * Makes failing deliveries due now, and requests Subscriptions in error again, with the rights that their authors have.
   * Others stay as they are. Throws unknownTenant.
   */
  retry(
    tenant: string,
    scope?: Pick<DeliveryScope, 'release' | 'id'>,
  ): Promise<readonly RetriedSubscription[]>;
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
