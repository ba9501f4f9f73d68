/** The audit trail of a tenant, as its administrators see it: AuditEvents as rows, with names beside ids. */
import type { Log } from '../context';
import type { Release } from '../fhir/release';
import type { Caller } from './access';

/** Filters of a trail; all of them apply. An undefined one filters nothing. */
export interface TrailFilters {
  /**
   * Id or name of a client, id or name of an account, or a reference to a person (`Practitioner/1`).
   */
  readonly who?: string | undefined;
  /** A code of AuditEvent.action: C, R, U, D or E. */
  readonly action?: string | undefined;
  /** The resource that was accessed (`Patient/1`), or whose data it was. */
  readonly what?: string | undefined;
  /** Instants, or dates: from, and before. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly outcome?: TrailOutcome | undefined;
  /** The `X-Request-Id`. */
  readonly request?: string | undefined;
  /** `sign-ins` or `requests`. */
  readonly kind?: TrailKind | undefined;
}

export const TRAIL_OUTCOMES = ['success', 'refused', 'failed'] as const;
export type TrailOutcome = (typeof TRAIL_OUTCOMES)[number];
export const TRAIL_KINDS = ['requests', 'sign-ins'] as const;
export type TrailKind = (typeof TRAIL_KINDS)[number];

/** A client or person. */
export interface TrailAgent {
  readonly id: string;
  /** Undefined: the tenant has no client or account of this id, or not any more. */
  readonly name?: string | undefined;
}

export interface TrailEvent {
  /** Id of the AuditEvent. */
  readonly id: string;
  /** An instant. */
  readonly recorded: string;
  readonly action: string;
  /** The interaction (`read`, `search-type`) or kind of sign-in (`Login`). */
  readonly interaction: string;
  readonly outcome: TrailOutcome;
  /** Why it was not a success. */
  readonly reason?: string | undefined;
  readonly client?: TrailAgent | undefined;
  readonly person?: TrailAgent | undefined;
  readonly address?: string | undefined;
  /** References to the patients whose data it was, and to what was read or written, some of them. */
  readonly patients: readonly string[];
  readonly resources: readonly string[];
  /** Patients and resources that are not listed here. */
  readonly more: number;
  /** The first characters of the request, as an address below `{fhir_root}`. */
  readonly query?: string | undefined;
  readonly request?: string | undefined;
  /** False: a client has recorded the event itself. */
  readonly isOfServer: boolean;
  /** How many alike events the row stands for, of which it is the latest. */
  readonly times: number;
  /** The moment of the first of them, where there are several. */
  readonly first?: string | undefined;
}

export interface TrailPage {
  /** The newest first. */
  readonly events: readonly TrailEvent[];
  /** Continues with older events; undefined: there are none. */
  readonly next?: string | undefined;
  /** Warnings, such as that the latest events are not there yet. */
  readonly notes: readonly string[];
}

export interface TrailRequest {
  readonly tenant: string;
  readonly release: Release;
  /** An administrator of the tenant; undefined: the operator. */
  readonly caller?: Caller | undefined;
  readonly address?: string | undefined;
  readonly requestId: string;
  readonly log: Log;
}

export interface AuditTrails {
  /**
   * Returns a page. Alike events of one caller (such as the requests of an open page of the console) are one row with their number,
   * unless `each`. Throws `unknownTenant`, `invalidParameterValue`, and the errors of a search.
   */
  page(
    request: TrailRequest,
    filters: TrailFilters,
    paging: { readonly after?: string | undefined; readonly each?: boolean | undefined },
  ): Promise<TrailPage>;
  /**
   * Yields all events, the newest first, some at a time, each by itself. Tenants take turns at the searches. Throws as `page`, and
   * overloaded where the turn of the tenant does not come.
   */
  all(request: TrailRequest, filters: TrailFilters): AsyncGenerator<readonly TrailEvent[]>;
}
