/**
 * The catalogue of all errors that clients can receive: HTTP status, FHIR issue code, severity and
 * message template. Edges translate a `FhirError`; nothing else decides a status.
 */
export type IssueSeverity = 'fatal' | 'error' | 'warning' | 'information';

/** Limit on the issues of one kind that an answer lists for one resource or patch. */
export const MAX_ISSUES_OF_RESOURCE = 20;

/** One `OperationOutcome.issue`. */
export interface Issue {
  readonly severity: IssueSeverity;
  /** A code of http://hl7.org/fhir/issue-type */
  readonly code: string;
  /** A sentence that a person can act on. */
  readonly diagnostics: string;
  /** FHIRPath of the erroneous element of the input, if there is one. */
  readonly expression?: string;
  /** What a program reads: a code of a system, and the text of that system for it. */
  readonly details?: { readonly system?: string; readonly code?: string; readonly text: string };
  /** The text is the server's own and is sent in full; diagnostics that may contain client input are cut. */
  readonly isOwnText?: boolean;
}

interface ErrorKind {
  readonly status: number;
  readonly code: string;
  /** `{name}` is replaced by the detail of that name. */
  readonly message: string;
}

/** To add an error, add one row. docs/reference/errors.md is generated from this table. */
// prettier-ignore
export const ERROR_CATALOGUE = {
  invalidJson: { status: 400, code: 'structure', message: 'The body is not valid JSON: {reason}' },
  invalidResource: { status: 400, code: 'structure', message: '{reason}' },
  invalidValue: { status: 400, code: 'value', message: '{reason}' },
  requiredMissing: { status: 400, code: 'required', message: '{reason}' },
  invalidId: { status: 400, code: 'value', message: "'{id}' is not a valid id: 1 to 64 of A-Z a-z 0-9 - ." },
  unknownTenant: { status: 404, code: 'not-found', message: 'The address does not exist' },
  noSuchTenant: { status: 404, code: 'not-found', message: "The tenant '{tenant}' does not exist here, or is disabled{explanation}" },
  unknownRelease: { status: 404, code: 'not-found', message: "The FHIR release '{release}' does not exist here; it must be r4 or r4b" },
  unknownType: { status: 404, code: 'not-supported', message: "'{type}' is not a resource type of FHIR {release}{explanation}" },
  notFound: { status: 404, code: 'not-found', message: '{type}/{id} does not exist' },
  versionNotFound: { status: 404, code: 'not-found', message: '{type}/{id} has no version {version}' },
  gone: { status: 410, code: 'deleted', message: '{type}/{id} was deleted' },
  noSuchAddress: { status: 404, code: 'not-found', message: 'The address does not exist' },
  methodNotAllowed: { status: 405, code: 'not-supported', message: '{method} is not allowed here: {allowed}' },
  baseResourceReadOnly: { status: 405, code: 'not-supported', message: '{type}/{id} belongs to the FHIR specification and is read-only; PUT a resource of your own with this id to replace it for your tenant' },
  misdirected: { status: 421, code: 'security', message: 'Without credentials the server answers under localhost and the addresses of PUBLIC_URL only: add this one to PUBLIC_URL, or set AUTH_MODE=enforced' },
  notAcceptable: { status: 406, code: 'not-supported', message: 'The response can be {offered}, but the request accepts only {accept}' },
  unsupportedMediaType: { status: 415, code: 'not-supported', message: 'A body of the type {contentType} is not allowed here: {allowed}' },
  unsupportedCoding: { status: 415, code: 'not-supported', message: 'The Content-Encoding {coding} is not supported: send the body as gzip, br or deflate, or uncompressed' },
  invalidCoding: { status: 400, code: 'structure', message: 'The body does not match its Content-Encoding {coding}' },
  versionConflict: { status: 409, code: 'conflict', message: '{type}/{id} was changed by concurrent requests, and the time limit for retries is over' },
  preconditionFailed: { status: 412, code: 'conflict', message: '{reason}' },
  multipleMatches: { status: 412, code: 'multiple-matches', message: '{reason}' },
  noMatch: { status: 404, code: 'not-found', message: 'No {type} meets the criteria' },
  idTaken: { status: 409, code: 'duplicate', message: '{type}/{id} exists already and does not meet the criteria; nothing was changed' },
  foreignReference: { status: 422, code: 'business-rule', message: "The reference '{reference}' leaves this tenant's data of this release, which is not allowed" },
  brokenReference: { status: 422, code: 'not-found', message: "The target of the reference to {reference} does not exist" },
  unresolvedReference: { status: 422, code: 'not-supported', message: "The reference '{reference}' is a search, which only a transaction resolves, and there as Type?criteria: name the resource as Type/id" },
  referredTo: { status: 409, code: 'conflict', message: '{type}/{id} cannot be deleted while other resources refer to it: {referring}' },
  ruleViolated: { status: 422, code: 'business-rule', message: '{reason}' },
  subsetted: { status: 422, code: 'business-rule', message: 'A resource tagged SUBSETTED is incomplete and cannot be stored' },
  contentPatched: { status: 422, code: 'business-rule', message: 'A patch cannot change the content of this Binary, which is stored apart: send other content by PUT in its own type' },
  patchInvalid: { status: 400, code: 'structure', message: 'The patch is not a JSON Patch: {reason}' },
  patchNotApplicable: { status: 422, code: 'processing', message: 'The patch cannot be applied: {reason}' },
  patchTestFailed: { status: 422, code: 'processing', message: 'A test of the patch failed: {reason}' },
  patchForbidden: { status: 422, code: 'business-rule', message: 'A patch may not change {path}' },
  fhirPathPatchInvalid: { status: 400, code: 'structure', message: 'The patch is not a FHIRPath Patch: {reason}' },
  tooManyPatchOperations: { status: 413, code: 'too-long', message: 'A patch may have at most {limit} operations' },
  tooCostly: { status: 422, code: 'too-costly', message: '{reason}' },
  tooManyEntries: { status: 413, code: 'too-long', message: 'A batch or transaction may have at most {limit} entries' },
  bundleConflict: { status: 409, code: 'conflict', message: 'Concurrent requests changed the same resources, and the time limit for retries is over; nothing was changed' },
  urlTooLong: { status: 414, code: 'too-long', message: 'The address is longer than the limit of {limit} bytes; a search can be sent by POST' },
  tooManyHeaders: { status: 431, code: 'too-long', message: 'The request has more than {limit} headers' },
  bodyBeyondMemory: { status: 413, code: 'too-long', message: 'The body is larger than this server has memory for: at most {limit} bytes (MAX_BYTES_UNDER_WAY)' },
  bodyTooLarge: { status: 413, code: 'too-long', message: 'The body is larger than the limit of {limit} bytes' },
  unknownParameter: { status: 400, code: 'not-supported', message: "'{parameter}' is not a search parameter of {type}{explanation}" },
  unknownCompartment: { status: 404, code: 'not-found', message: 'A compartment of {type} does not exist; compartments exist for {types}' },
  notInCompartment: { status: 400, code: 'not-supported', message: 'The type {type} is not part of the compartment of {compartment}' },
  unsupportedModifier: { status: 400, code: 'not-supported', message: "The modifier ':{modifier}' cannot be used with the search parameter '{parameter}'{explanation}" },
  invalidParameterValue: { status: 400, code: 'value', message: "'{value}' is not a value for the search parameter '{parameter}': {reason}" },
  invalidCursor: { status: 400, code: 'value', message: "The page cursor does not belong to this search; leave out '_cursor' to begin with the first page" },
  operationUnknown: { status: 404, code: 'not-supported', message: 'The operation ${operation} does not exist{explanation}' },
  operationWrongLevel: { status: 400, code: 'not-supported', message: 'The operation ${operation} cannot be called {level}; it is defined {allowed}' },
  operationChangesState: { status: 405, code: 'not-supported', message: 'The operation ${operation} may change data; it must be sent by POST' },
  operationInputInvalid: { status: 400, code: 'invalid', message: '{reason}' },
  parameterUnsupported: { status: 400, code: 'not-supported', message: "The parameter '{parameter}' is not supported here{explanation}" },
  notFoundInTerminology: { status: 404, code: 'not-found', message: '{reason}' },
  snapshotImpossible: { status: 422, code: 'processing', message: '{reason}' },
  notSupported: { status: 422, code: 'not-supported', message: '{reason}' },
  tenantExists: { status: 409, code: 'duplicate', message: "The tenant '{tenant}' exists already" },
  lastAdministrator: { status: 409, code: 'business-rule', message: 'This would leave the tenant without an administrator who can sign in: make another one first' },
  tenantBusy: { status: 409, code: 'conflict', message: "The tenant '{tenant}' is {status}" },
  invalidTenantName: { status: 400, code: 'value', message: 'A tenant name has 1 to 63 of a-z 0-9 -' },
  unauthorized: { status: 401, code: 'login', message: '{reason}' },
  issuerUnavailable: { status: 503, code: 'transient', message: "The keys of the token's issuer cannot be reached at the moment; try again" },
  forbidden: { status: 403, code: 'forbidden', message: '{reason}' },
  sequenceExhausted: { status: 503, code: 'no-store', message: 'The version-sequence of this tenant is exhausted and no more changes can be stored: the operator must run `npx --no-install andiron migrate --long-sequences`' },
  quotaExceeded: { status: 507, code: 'business-rule', message: 'This tenant {reason}; nothing was stored' },
  tooManyJobs: { status: 429, code: 'throttled', message: 'This tenant has {limit} asynchronous requests, which is the limit; wait until one ends, or DELETE the address of one' },
  tooManyImports: { status: 429, code: 'throttled', message: 'This {whose} has {limit} imports that have not ended, which is the limit; wait until one ends, or DELETE the address of one' },
  jobUnderWay: { status: 409, code: 'conflict', message: "The tenant '{tenant}' has a job of the kind '{kind}' that has not ended, {id}; wait for its end, or DELETE it" },
  tooManyExports: { status: 429, code: 'throttled', message: 'This {whose} has {limit} exports that have not ended, which is the limit; wait until one ends, or DELETE the address of one' },
  unknownJob: { status: 404, code: 'not-found', message: 'The asynchronous request does not exist, or its answer has expired' },
  tooManyRequests: { status: 429, code: 'throttled', message: '{reason}' },
  tooManySubscriptions: { status: 429, code: 'throttled', message: '{reason}' },
  streamEnded: { status: 503, code: 'transient', message: '{reason}; subscribe again with after: {after}' },
  overloaded: { status: 503, code: 'throttled', message: 'Too many requests wait for the server; try again' },
  contended: { status: 503, code: 'transient', message: 'Other requests have changed the same data in each attempt; nothing was changed. Try again' },
  stopping: { status: 503, code: 'transient', message: 'The server is stopping; try again' },
  memoryFull: { status: 503, code: 'throttled', message: 'The limit on bytes of concurrent requests and responses is reached; try again' },
  timeout: { status: 503, code: 'timeout', message: 'The time limit of the request is over; nothing was changed' },
  searchTimeout: { status: 503, code: 'timeout', message: 'The search took too long: {reason}' },
  purgeUnfinished: { status: 503, code: 'timeout', message: 'The time limit of the request is over, and the purge is not complete. Repeat the request to continue; with Prefer: respond-async it has more time' },
  storageUnavailable: { status: 503, code: 'transient', message: 'The database cannot be reached at the moment; try again' },
  storageRestarting: { status: 503, code: 'transient', message: 'The database is stopping or starting; try again' },
  storageExhausted: { status: 503, code: 'no-store', message: 'The database {reason}; nothing was changed. Try again later' },
  storageFaulty: { status: 503, code: 'no-store', message: 'The disk or system of the database reports a fault; nothing was changed. Try again later' },
  storageReadOnly: { status: 503, code: 'no-store', message: 'The database accepts no changes, because it is a standby; nothing was changed. Try again later' },
  notStored: { status: 503, code: 'transient', message: 'The connection to the database was lost before this was stored; nothing was changed. Try again' },
  maybeStored: { status: 503, code: 'incomplete', message: 'The connection to the database was lost during the write, and the server could not determine its outcome: it may have been stored. Check before you send it again' },
  unanswered: { status: 503, code: 'timeout', message: 'The time limit of the request is over before the database has answered: the changes may have been stored. Check before you send it again' },
  contentUnavailable: { status: 503, code: 'transient', message: 'The store of large content cannot be reached at the moment, or lacks this content; try again' },
  tooManyUploads: { status: 429, code: 'throttled', message: 'The limit of {limit} concurrent uploads {of} is reached; try again when one has ended' },
  uploadIdle: { status: 408, code: 'timeout', message: 'No byte of the body arrived for {seconds} seconds; nothing was stored' },
  contentApart: { status: 406, code: 'not-supported', message: 'The content of this Binary has {size} bytes, which is more than a resource may have. Load it from {address} in its own type: with Accept: {contentType}, or */*' },
  rangeNotSatisfiable: { status: 416, code: 'value', message: 'The range is outside of the content, which has {size} bytes' },
  workInterrupted: { status: 503, code: 'transient', message: 'The database failed during this work, and part of the work may be complete. Repeat the request to continue' },
  internal: { status: 500, code: 'exception', message: 'An internal error occurred; the log has its cause under request id {requestId}' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorKey = keyof typeof ERROR_CATALOGUE;

/** Errors after which the request may have been carried out. */
const UNCERTAIN: readonly ErrorKey[] = ['maybeStored', 'unanswered'];

/** An error that is reported to the client, with one or several issues. */
export class FhirError extends Error {
  readonly key: ErrorKey;
  readonly status: number;
  readonly issues: readonly Issue[];
  /** Value of the `Allow` header of a 405. */
  readonly allowed?: string;
  /** Seconds after which the client may retry; undefined: not known, or no retry. */
  retryAfterSeconds?: number;

  constructor(key: ErrorKey, issues: readonly Issue[], allowed?: string) {
    super(issues[0]?.diagnostics ?? key);
    this.name = 'FhirError';
    this.key = key;
    this.status = ERROR_CATALOGUE[key].status;
    this.issues = issues;
    this.allowed = allowed;
  }

  /** True if the request may have been carried out; a retry may then carry it out twice. */
  get isUncertain(): boolean {
    return UNCERTAIN.includes(this.key);
  }

  /** Sets `retryAfterSeconds` and returns this error. */
  after(seconds: number): this {
    this.retryAfterSeconds = seconds;
    return this;
  }
}

/** The issue of the catalogue for `key`, with its template filled from `details`. */
export function toIssue(
  key: ErrorKey,
  details: Readonly<Record<string, string | number>> = {},
  expression?: string,
): Issue {
  const kind = ERROR_CATALOGUE[key];
  const diagnostics = kind.message.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    String(details[name] ?? ''),
  );
  return {
    severity: 'error',
    code: kind.code,
    diagnostics,
    ...(expression === undefined ? {} : { expression }),
  };
}

/** A FhirError with one issue: `throw fhirError('notFound', { type, id })`. */
export function fhirError(
  key: ErrorKey,
  details: Readonly<Record<string, string | number>> = {},
  expression?: string,
): FhirError {
  return new FhirError(key, [toIssue(key, details, expression)]);
}

/** Returns the FhirError that `work` throws, undefined if it throws nothing. Rethrows every other error. */
export function errorOf(work: () => unknown): FhirError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof FhirError) return error;
    throw error;
  }
}
