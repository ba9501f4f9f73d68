/** Histories of a resource, a type or a space. */
import type { QueryParameter } from '../fhir/query-text';
import type { StoredVersion } from '../storage/read/stored-version';

export interface HistoryRequest {
  /** Undefined: all types. */
  readonly type?: string;
  /** Undefined: all resources of the type, or of the space. */
  readonly id?: string;
  /** At most 1000; undefined: 50; 0: only the total. */
  readonly count?: number;
  /** Only versions from this instant on, milliseconds since 1970. */
  readonly since?: number;
  /** Only versions that were current at some moment of this half-open interval, milliseconds since 1970. */
  readonly at?: { readonly low: number; readonly high: number };
  /** Only versions with a larger version-sequence. */
  readonly sinceSequence?: number;
  /** Only versions that the List of this id refers to. */
  readonly list?: string;
  /** `_summary` and `_elements`: the parts of each resource. */
  readonly parts?: readonly QueryParameter[];
  readonly cursor?: string;
}

export interface HistoryPage {
  /** Newest first. A page with fewer versions than requested, or none, may still have a next page. */
  readonly versions: readonly StoredVersion[];
  /** Total of all pages; undefined where counting would cost extra. */
  readonly total?: number;
  readonly next?: string;
}
