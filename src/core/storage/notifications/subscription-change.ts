/** The change of a Subscription's state by one of its versions. */
import type { Access } from '../../context';
import type { KeyHalves } from '../key-halves';

/** The author of a Subscription, with the rights of that request; without access in open mode. */
export interface Author {
  readonly actor: string;
  readonly access?: Access;
}

/** Statuses of Subscriptions that have events. */
export type RunningStatus = 'requested' | 'active' | 'error';

/** A Subscription that a client has requested. */
export interface RequestedSubscription {
  readonly author: Author;
  readonly endpoint: string | undefined;
  /** `Name: value`; an undefined value is the one that is stored. */
  readonly headers: readonly (readonly [name: string, value: string | undefined])[];
  /** True if this author may keep what an earlier one has stored. */
  readonly mayKeep: (earlier: Author) => boolean;
  /** Limit on the running Subscriptions of the space. */
  readonly most: number;
}

/** The change of a Subscription's state by one of its versions. */
export interface SubscriptionChange {
  readonly type: number;
  readonly key: KeyHalves;
  readonly id: string;
  /**
   * off: it was switched off or deleted. `status`: the server's own change of what a client wrote as version `of`.
   */
  readonly to:
    | 'off'
    | { readonly requested: RequestedSubscription }
    | {
        readonly status: RunningStatus | 'off';
        readonly of: number;
        /** Why it has this status; undefined: it has no error. */
        readonly failure: string | undefined;
        /** `off`: true keeps its author and headers, so that it can be requested again without its client. */
        readonly keeps?: boolean | undefined;
        /** `requested`: limit on the running Subscriptions of the space; undefined: it is one of them. */
        readonly most?: number | undefined;
      };
}
