/** Changes as they happen, for subscribers. */
import type { StoredVersion } from '../storage/read/stored-version';

/** The changes that a subscriber wants. */
export interface ChangeRequest {
  /** Undefined: all types, in which case there is neither an id nor a parameter. */
  readonly type?: string;
  readonly id?: string;
  /** Search criteria, percent-decoded. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Only changes with a larger version-sequence; undefined: changes from now on. */
  readonly after?: number;
}

/** `leave`: an update after which the resource no longer meets the criteria, as it did or may have done before. */
export interface StreamedChange {
  readonly kind: StoredVersion['change'] | 'leave';
  readonly version: StoredVersion;
}

/** Changes in the order of their version-sequence, each at least once. */
export interface ChangeStream {
  /** A subscriber that starts after this number misses no change that it has not received. */
  readonly resumeAfter: number;
  /**
   * Returns the next change as soon as there is one; undefined: this side has closed the stream. Rejects with a
   * FhirError when the server ends the stream. Must not be called while another call is pending.
   */
  next(): Promise<StreamedChange | undefined>;
  /** The listener is called once, when the server ends the stream. */
  onEnd(listener: () => void): void;
  close(): void;
}

export interface LiveQueryCounts {
  /** Live queries that are open now. */
  readonly current: number;
  /** Live queries since the process started. */
  readonly begun: number;
}
