/** Histories: of a resource, of a type, of all. */
import type { StoredVersion } from './version';

export interface HistoryRequest {
  /** Undefined: all types. */
  readonly type?: string;
  /** Undefined: all resources of the type, or of the space. */
  readonly id?: string;
  /** At most 1000; undefined: 50; 0: the total alone. */
  readonly count?: number;
  /** Only versions from this instant on, milliseconds since 1970. */
  readonly since?: number;
  /** Only versions that were current at some moment of this time, half open, milliseconds since 1970. */
  readonly at?: { readonly low: number; readonly high: number };
  /** Only versions of which the version-sequence is larger. */
  readonly sinceSequence?: number;
  /** Only versions that this List refers to: its id. */
  readonly list?: string;
  readonly cursor?: string;
}

export interface HistoryPage {
  /** Newest first. Fewer than were asked for, or none, do not mean that there is no next page. */
  readonly versions: readonly StoredVersion[];
  /** Of all pages; undefined where it is not free. */
  readonly total?: number;
  readonly next?: string;
}
