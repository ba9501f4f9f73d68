import { ANONYMOUS, type RequestContext } from '../context';
import type { IdSource } from '../search/rows/resource-key';
import type { AccessRecord } from '../storage/audit/access-line';

/** The description of an access, as far as the request determines it. */
export interface Described {
  /** A code of http://hl7.org/fhir/restful-interaction. */
  readonly interaction: string;
  readonly type?: string | undefined;
  readonly id?: string | undefined;
  readonly version?: number | undefined;
  /** The request as an address below `{fhir_root}`. */
  readonly query?: string | undefined;
  /** The versions read, in the format of `AccessRecord`. */
  readonly details?: string | undefined;
}

/** Adds the result of the access to its description. */
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

/** The outcome of an access. */
export interface Ending {
  /** HTTP status. */
  readonly status: number;
  /** Key of the error. */
  readonly reason?: string;
}

const OK: Ending = { status: 200 };

/** The caller and its network address. */
export type RecordedCaller = Pick<RequestContext, 'actor' | 'access' | 'person' | 'requestId' | 'address'>;
/** Longest query text in a record. */
const MAX_QUERY = 4_000;

/** Creates the record of one access, with the key of its AuditEvent. */
export function toRecord(
  ids: IdSource,
  { actor, access, person, requestId, address }: RecordedCaller,
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
    client: actor === ANONYMOUS ? undefined : actor,
    person: access === undefined ? person : (access.user ?? access.account),
    address,
    type,
    id,
    version,
    query: query !== undefined && query.length > MAX_QUERY ? query.slice(0, MAX_QUERY) : query,
    details,
  };
}

/** Errors for which an interaction has already decided whether to record them. */
const settled = new WeakSet<object>();

export function settle(error: unknown): void {
  if (error instanceof Error) settled.add(error);
}

export function isSettled(error: Error): boolean {
  return settled.has(error);
}

/** Returns the record of a write; undefined where writes are not recorded. */
export function recordOf({ recording }: RequestContext, type: string, id: string): AccessRecord | undefined {
  return recording?.of(type, id);
}
