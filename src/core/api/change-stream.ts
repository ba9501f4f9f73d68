/** Changes as they happen, for who follows them. */
import type { StoredVersion } from './version';

/** Which changes somebody wants to hear of. */
export interface ChangeRequest {
  /** Undefined: all types; then there is neither an id nor a parameter. */
  readonly type?: string;
  readonly id?: string;
  /** Criteria of a search, percent-decoded. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Changes with a larger version-sequence; undefined: those from now on. */
  readonly after?: number;
}

/** `leave`: an update after which the resource does not meet the criteria any more, as it did or may have done before. */
export interface FollowedChange {
  readonly kind: StoredVersion['change'] | 'leave';
  readonly version: StoredVersion;
}

/** Changes in the order of their version-sequence, each at least once, as they come. */
export interface ChangeStream {
  /** A follower that begins after this number misses nothing that it has not been given. */
  readonly resumeAfter: number;
  /**
   * The next change, when there is one; undefined: the stream was closed here. Rejects with the FhirError by which the
   * server ends it. Not to be called while a call is under way.
   */
  next(): Promise<FollowedChange | undefined>;
  /** Called once, when the server ends it. */
  onEnd(listener: () => void): void;
  close(): void;
}

export interface LiveQueryCounts {
  /** That are followed just now. */
  readonly current: number;
  /** That have been followed since the process began. */
  readonly begun: number;
}
