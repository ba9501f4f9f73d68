import { DatabaseError } from 'pg';
import { FhirError, fhirError, type ErrorKey } from '../../errors';

/** What is wrong with the database as a whole, and not with one statement. */
export type Trouble = 'away' | 'exhausted' | 'faulty' | 'readOnly';

export interface TranslatedError {
  /** What to throw: a FhirError where PostgreSQL's trouble has an entry in the catalogue, else the cause itself. */
  readonly error: unknown;
  readonly cause: Error;
  /** True when the connection is lost: what was sent on it may have been done. */
  readonly connectionLost: boolean;
  /** Undefined: the trouble of the statement alone. */
  readonly trouble?: Trouble;
}

/** SQLSTATE that write_versions raises when a tenant's counter is at its end. */
const SEQUENCE_EXHAUSTED = 'AN001';
/** SQLSTATEs of require_quota, and what they say of the tenant. */
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

/** Class 53, insufficient resources, of which PostgreSQL names these. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  53100: 'has no room left on its disk',
  53200: 'has no memory left',
  53300: 'has no connection left',
  53400: 'has reached a limit of its configuration',
};

/** SQLSTATEs that are about the database as a whole. */
function troubleOf(code: string): Omit<TranslatedError, 'cause'> | undefined {
  // Invalid authorization, no such database: refused when a connection is made.
  if (/^(08|28|3D000)/.test(code))
    return { error: fhirError('storageUnavailable'), connectionLost: true, trouble: 'away' };
  if (code.startsWith('57P'))
    return { error: fhirError('storageRestarting'), connectionLost: true, trouble: 'away' };
  if (code.startsWith('53')) {
    const reason = EXHAUSTED[code] ?? 'has run out of a resource';
    const error = fhirError('storageExhausted', { reason });
    // The limits of the configuration are of one statement.
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

/** True where the connection was lost, or none was there. */
export function isConnectionLoss(error: unknown): error is FhirError {
  return error instanceof FhirError && LOST.includes(error.key);
}

/** True where the database as a whole is in trouble, which the log says elsewhere. */
export function isDatabaseTrouble(error: unknown): error is FhirError {
  return error instanceof FhirError && TROUBLES.includes(error.key);
}

/** For the log: SQLSTATE, or the system's name of an error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
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

/** SQLSTATE of require_targets. */
const TARGET_MISSING = 'AN003';

/** True where something that was to be referred to is not there: nothing was written. */
export function isBrokenWrite(error: unknown): boolean {
  return error instanceof StatementError && error.sqlState === TARGET_MISSING;
}

/** SQLSTATE of compare_search_parameters. */
const PARAMETERS_CHANGED = 'AN002';

/** True where rows were made by search parameters of the tenant that have changed since: nothing was written. */
export function isOutdatedWrite(error: unknown): boolean {
  return error instanceof StatementError && error.sqlState === PARAMETERS_CHANGED;
}

/** True where a write met a quota of its tenant: nothing was written. */
export function isOverQuota(error: unknown): boolean {
  return error instanceof FhirError && error.key === 'quotaExceeded';
}

/** SQLSTATE of require. */
const REQUIREMENT_LOST = 'AN006';

/** True where something that statements rely on does not hold any more: nothing of their transaction was kept. */
export function isLostRequirement(error: unknown): boolean {
  return error instanceof StatementError && error.sqlState === REQUIREMENT_LOST;
}
