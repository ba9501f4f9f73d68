import type { RequestContext } from '../context';
import type { IdSource } from '../search/resource-key';
import type { AccessRecord } from '../storage/audit/access-line';

/** What an access was, as far as the request says so. */
export interface Described {
  /** A code of http://hl7.org/fhir/restful-interaction. */
  readonly interaction: string;
  readonly type?: string | undefined;
  readonly id?: string | undefined;
  readonly version?: number | undefined;
  /** What was asked, as an address below `{fhir_root}`. */
  readonly query?: string | undefined;
  /** What was read, as `AccessRecord` has it. */
  readonly details?: string | undefined;
}

/** The same with what came of it, where that says more. */
export function withFound(
  { interaction, type, id, version, query, details }: Described,
  found: Omit<Described, 'interaction' | 'query'>,
): Described {
  return {
    interaction,
    type: found.type ?? type,
    id: found.id ?? id,
    version: found.version ?? version,
    query,
    details: found.details ?? details,
  };
}

/** How it ended. */
export interface Ending {
  /** As HTTP tells it. */
  readonly status: number;
  /** Key of the error. */
  readonly reason?: string;
}

const OK: Ending = { status: 200 };
export const ANONYMOUS_ACTOR = 'anonymous';

/** Who asks, from where. */
export type Asking = Pick<RequestContext, 'actor' | 'access' | 'requestId' | 'address'>;
/** Of a client's texts that are kept. */
const MAX_QUERY = 4_000;

/** The record of one access, with the key of its AuditEvent. */
export function toRecord(
  ids: IdSource,
  { actor, access, requestId, address }: Asking,
  { interaction, type, id, version, query, details }: Described,
  { status, reason }: Ending = OK,
): AccessRecord {
  return {
    key: ids.nextKey(),
    recorded: Date.now(),
    interaction,
    status,
    reason,
    requestId,
    client: actor === ANONYMOUS_ACTOR ? undefined : actor,
    person: access?.user,
    address,
    type,
    id,
    version,
    query: query !== undefined && query.length > MAX_QUERY ? query.slice(0, MAX_QUERY) : query,
    details,
  };
}

/** Errors of which an interaction has decided whether they are recorded. */
const settled = new WeakSet<object>();

export function settle(error: unknown): void {
  if (error instanceof Error) settled.add(error);
}

export function isSettled(error: Error): boolean {
  return settled.has(error);
}

/** What is kept of who writes a version; undefined where that is not recorded. */
export function recordOf({ recording }: RequestContext, type: string, id: string): AccessRecord | undefined {
  return recording?.of(type, id);
}
