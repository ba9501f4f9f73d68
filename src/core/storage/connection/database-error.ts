import { DatabaseError } from 'pg';
import { FhirError, fhirError, type ErrorKey } from '../../errors';

/** A failure of the database as a whole, not of one statement. */
export type DatabaseFailure = 'away' | 'exhausted' | 'faulty' | 'readOnly';

export interface TranslatedError {
  /** The error to throw: a FhirError if the catalogue has an entry for the failure, else a StatementError. */
  readonly error: unknown;
  readonly cause: Error;
  /** True if the connection is lost: statements sent on it may have run. */
  readonly connectionLost: boolean;
  /** Undefined: only the statement failed. */
  readonly trouble?: DatabaseFailure;
}

/** SQLSTATE that store_versions raises when a tenant's sequence counter is exhausted. */
const SEQUENCE_EXHAUSTED = 'AN001';
/** SQLSTATEs of require_quota, with the reason to report. */
const QUOTAS: Readonly<Record<string, string>> = {
  AN004: 'has reached its limit of resources: delete some',
  AN005: 'has reached its limit of bytes of versions: purge some',
};
const QUERY_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';

/** Translates an error of pg; only this file knows PostgreSQL's error codes (errcodes-appendix of its manual). */
export function translateDatabaseError(error: unknown): TranslatedError {
  if (error instanceof FhirError) return { error, cause: error, connectionLost: false };
  const cause = error instanceof Error ? error : new Error('unknown failure of the database');
  if (!(cause instanceof DatabaseError)) {
    // Errors of the socket or of pg itself leave the connection in an unknown state.
    return { error: fhirError('storageUnavailable'), cause, connectionLost: true, trouble: 'away' };
  }
  const code = cause.code ?? '';
  if (code === SEQUENCE_EXHAUSTED) {
    return { error: fhirError('sequenceExhausted'), cause, connectionLost: false };
  }
  const reason = QUOTAS[code];
  if (reason !== undefined)
    return { error: fhirError('quotaExceeded', { reason }), cause, connectionLost: false };
  if (code === QUERY_CANCELED) return { error: fhirError('timeout'), cause, connectionLost: false };
  const trouble = troubleOf(code);
  if (trouble !== undefined) return { ...trouble, cause };
  return { error: new StatementError(code), cause, connectionLost: false };
}

/** Reasons for SQLSTATE class 53, insufficient resources. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  53100: 'has no space left on its disk',
  53200: 'has no memory left',
  53300: 'has no connection left',
  53400: 'has reached a limit of its configuration',
};

/** SQLSTATEs that are about the database as a whole. */
function troubleOf(code: string): Omit<TranslatedError, 'cause'> | undefined {
  // Connection exception, invalid authorization or an unknown database.
  if (/^(08|28|3D000)/.test(code))
    return { error: fhirError('storageUnavailable'), connectionLost: true, trouble: 'away' };
  if (code.startsWith('57P'))
    return { error: fhirError('storageRestarting'), connectionLost: true, trouble: 'away' };
  if (code.startsWith('53')) {
    const reason = EXHAUSTED[code] ?? 'has run out of a resource';
    const error = fhirError('storageExhausted', { reason });
    // A limit of the configuration concerns one statement.
    return { error, connectionLost: false, ...(code === LIMIT_REACHED ? {} : { trouble: 'exhausted' }) };
  }
  // System error: input or output, a missing file.
  if (code.startsWith('58'))
    return { error: fhirError('storageFaulty'), connectionLost: false, trouble: 'faulty' };
  if (code === READ_ONLY)
    return { error: fhirError('storageReadOnly'), connectionLost: false, trouble: 'readOnly' };
  return undefined;
}

const READ_ONLY = '25006';
const LIMIT_REACHED = '53400';

const LOST: readonly ErrorKey[] = ['storageUnavailable', 'storageRestarting'];
const TROUBLES: readonly ErrorKey[] = [
  ...LOST,
  ...(['storageExhausted', 'storageFaulty', 'storageReadOnly', 'notStored', 'maybeStored'] as const),
];

/** True if the connection was lost or could not be made. */
export function isConnectionLoss(error: unknown): error is FhirError {
  return error instanceof FhirError && LOST.includes(error.key);
}

/** True if the database as a whole has failed, which DatabaseHealth logs. */
export function isDatabaseTrouble(error: unknown): error is FhirError {
  return error instanceof FhirError && TROUBLES.includes(error.key);
}

/** The SQLSTATE or system error code, for the log. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** Any other rejected statement. It carries the SQLSTATE only, because PostgreSQL's detail may quote a patient. */
export class StatementError extends Error {
  constructor(readonly sqlState: string) {
    super(`PostgreSQL refused a statement (SQLSTATE ${sqlState})`);
    this.name = 'StatementError';
  }
}

/** True if a statement took longer than its time limit, or waited longer for a lock than it may. */
export function isOutOfTime(error: unknown): boolean {
  if (error instanceof StatementError) return error.sqlState === LOCK_NOT_AVAILABLE;
  return error instanceof FhirError && error.key === 'timeout';
}

/** True for a deadlock or serialization failure, after which the caller may retry the statement. */
export function isRetryable(error: unknown): boolean {
  return error instanceof StatementError && (error.sqlState === '40P01' || error.sqlState === '40001');
}

/** SQLSTATE of require_targets. */
const TARGET_MISSING = 'AN003';

/** True if the target of a reference does not exist; nothing was written. */
export function isBrokenWrite(error: unknown): boolean {
  return error instanceof StatementError && error.sqlState === TARGET_MISSING;
}

/** SQLSTATE of store_versions. */
const PARAMETERS_CHANGED = 'AN002';

/** True if the tenant's search parameters changed after the index rows were made; nothing was written. */
export function isOutdatedWrite(error: unknown): boolean {
  return error instanceof StatementError && error.sqlState === PARAMETERS_CHANGED;
}

/** True if a write exceeds a quota of its tenant; nothing was written. */
export function isOverQuota(error: unknown): boolean {
  return error instanceof FhirError && error.key === 'quotaExceeded';
}

/** SQLSTATE of require. */
const REQUIREMENT_LOST = 'AN006';

/** True if a requirement of a statement no longer holds; its transaction was rolled back. */
export function isLostRequirement(error: unknown): boolean {
  return error instanceof StatementError && error.sqlState === REQUIREMENT_LOST;
}

/** True for a failure that is not the database's, of which the log says enough. */
export function isNoDatabaseTrouble(error: unknown): boolean {
  return !isDatabaseTrouble(error);
}
