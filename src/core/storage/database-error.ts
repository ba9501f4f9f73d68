import { DatabaseError } from 'pg';
import { FhirError, fhirError } from '../errors';

export interface TranslatedError {
  /** What to throw: a FhirError where PostgreSQL's trouble has an entry in the catalogue, else the cause itself. */
  readonly error: unknown;
  readonly cause: Error;
  /** True when the connection cannot be used any more. */
  readonly connectionLost: boolean;
}

/** SQLSTATE that write_versions raises when a tenant's counter is at its end. */
const SEQUENCE_EXHAUSTED = 'AN001';
/** SQLSTATEs of require_quota (migrations/0022), and what they say of the tenant. */
const QUOTAS: Readonly<Record<string, string>> = {
  AN004: 'has as many resources as it may have: delete some',
  AN005: 'keeps as many bytes of versions as it may keep: purge some',
};
const QUERY_CANCELED = '57014';

/** The only place that knows PostgreSQL's error codes (errcodes-appendix of its manual). */
export function translateDatabaseError(error: unknown): TranslatedError {
  if (error instanceof FhirError) return { error, cause: error, connectionLost: false };
  const cause = error instanceof Error ? error : new Error('unknown failure of the database');
  if (!(cause instanceof DatabaseError)) {
    // Socket errors and pg's own: the connection is in an unknown state.
    return { error: fhirError('storageUnavailable'), cause, connectionLost: true };
  }
  const code = cause.code ?? '';
  if (code === SEQUENCE_EXHAUSTED) {
    return { error: fhirError('sequenceExhausted'), cause, connectionLost: false };
  }
  const reason = QUOTAS[code];
  if (reason !== undefined)
    return { error: fhirError('quotaExceeded', { reason }), cause, connectionLost: false };
  if (code === QUERY_CANCELED) return { error: fhirError('timeout'), cause, connectionLost: false };
  // 08: connection, 57P: shut down or crash, 53: out of resources, 25006: read-only standby, 3D000: no such database
  if (/^(08|57P|53|25006|3D000)/.test(code)) {
    return { error: fhirError('storageUnavailable'), cause, connectionLost: /^(08|57P)/.test(code) };
  }
  return { error: new StatementError(code), cause, connectionLost: false };
}

/** Any other refusal of a statement. Carries the SQLSTATE only: never PostgreSQL's detail, which may quote a patient. */
export class StatementError extends Error {
  constructor(readonly sqlState: string) {
    super(`PostgreSQL refused a statement (SQLSTATE ${sqlState})`);
    this.name = 'StatementError';
  }
}

/** True for a deadlock or serialization failure, after which the same statement may simply be run again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof StatementError && (error.sqlState === '40P01' || error.sqlState === '40001');
}

/** SQLSTATE of require_targets (migrations/0013). */
const TARGET_MISSING = 'AN003';

/** True where something that was to be referred to is not there: nothing was written. */
export function isBrokenWrite(error: unknown): boolean {
  return error instanceof StatementError && error.sqlState === TARGET_MISSING;
}

/** SQLSTATE of compare_search_parameters (migrations/0006). */
const PARAMETERS_CHANGED = 'AN002';

/** True where rows were made by search parameters of the tenant that have changed since: nothing was written. */
export function isOutdatedWrite(error: unknown): boolean {
  return error instanceof StatementError && error.sqlState === PARAMETERS_CHANGED;
}

/** True where a write met a quota of its tenant: nothing was written. */
export function isOverQuota(error: unknown): boolean {
  return error instanceof FhirError && error.key === 'quotaExceeded';
}

/** SQLSTATE of require (migrations/0030). */
const REQUIREMENT_LOST = 'AN006';

/** True where something that statements rely on does not hold any more: nothing of their transaction was kept. */
export function isLostRequirement(error: unknown): boolean {
  return error instanceof StatementError && error.sqlState === REQUIREMENT_LOST;
}
