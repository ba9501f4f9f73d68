/** Formats errors as REST does: `extensions` has the issue code, the status and the OperationOutcome of REST. */
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import {
  type ErrorKey,
  FhirError,
  fhirError,
  type Issue,
  type Log,
  toFhirError,
  toOutcome,
} from '../core/index';
import { TOO_COSTLY } from '../schema/cost';
import { DECIMAL_MARK } from '../schema/json';
import { RawJson } from '../schema/raw-json';
import { HAS_NO_ID } from '../schema/semantic-non-null';

/**
 * FHIR issue codes (http://hl7.org/fhir/R4/valueset-issue-type.html) for requests that Apollo Server itself refuses.
 */
const REQUEST_ERRORS: Readonly<Record<string, string>> = {
  GRAPHQL_PARSE_FAILED: 'structure',
  GRAPHQL_VALIDATION_FAILED: 'invalid',
  BAD_USER_INPUT: 'value',
  BAD_REQUEST: 'invalid',
  OPERATION_RESOLUTION_FAILURE: 'required',
  PERSISTED_QUERY_NOT_SUPPORTED: 'not-supported',
  PERSISTED_QUERY_NOT_FOUND: 'not-found',
  [TOO_COSTLY]: 'too-costly',
  [HAS_NO_ID]: 'not-found',
};

const BAD_REQUEST = 400;

/** Limit on the length of a message, because graphql repeats what a client sent. */
const LONGEST_MESSAGE = 1000;

/** `resource` is HL7's name (http://hl7.org/fhir/R4/graphql.html#errors); `status` is what REST would answer. */
function toExtensions(issues: readonly Issue[], status: number): Record<string, unknown> {
  return { code: issues[0]?.code ?? 'exception', status, resource: new RawJson(toOutcome(issues)) };
}

/** Returns the error that a resolver threw, or the error that prevented all resolvers. */
function causeOf(error: unknown): unknown {
  const cause = unwrapResolverError(error);
  const isOfAll = cause instanceof GraphQLError && cause.originalError instanceof FhirError;
  return isOfAll ? cause.originalError : cause;
}

/** Returns an entry of `errors` for an expected failure, without path and locations. */
export function formatFhirError(error: FhirError): GraphQLFormattedError {
  return { message: error.message, extensions: toExtensions(error.issues, error.status) };
}

/**
 * Returns an entry of `errors`. An expected failure or a refused request gives the reason; any other error gives only
 * the request id.
 */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  requestId: string,
): GraphQLFormattedError {
  const place = {
    ...(formatted.locations ? { locations: formatted.locations } : {}),
    ...(formatted.path ? { path: formatted.path } : {}),
  };
  const cause = causeOf(error);
  if (cause instanceof FhirError) return { ...formatFhirError(cause), ...place };
  const code = REQUEST_ERRORS[String(formatted.extensions?.code)];
  if (code === undefined) return { ...formatFhirError(toFhirError(cause, requestId)), ...place };
  // Marked decimals of variables are shown in the form that the client sent.
  const message = formatted.message.replaceAll(DECIMAL_MARK, '').slice(0, LONGEST_MESSAGE);
  const issues: Issue[] = [{ severity: 'error', code, diagnostics: message }];
  return { message, ...place, extensions: toExtensions(issues, BAD_REQUEST) };
}

/** Receives the key of each error of a response, for metrics; `graphqlRequest`: not one of the catalogue. */
export type ErrorObserver = (code: ErrorKey | 'graphqlRequest') => void;

/** Returns the key of an error for metrics; `graphqlRequest` where Apollo Server itself refuses the request. */
export function keyOf(formatted: GraphQLFormattedError, error: unknown): Parameters<ErrorObserver>[0] {
  const cause = causeOf(error);
  if (cause instanceof FhirError) return cause.key;
  return String(formatted.extensions?.code) in REQUEST_ERRORS ? 'graphqlRequest' : 'internal';
}

/** Removes graphql's suggestion, which discloses names of the schema. */
export function withoutSuggestion(message: string): string {
  const start = message.endsWith('?') ? message.lastIndexOf('Did you mean ') : -1;
  return start < 0 ? message : message.slice(0, start).trimEnd();
}

/**
 * Logs what `formatError` hides: the place and the kind of an unexpected error. It never logs the message, which may
 * quote what a client sent.
 */
export function logUnexpected(error: unknown, requestId: string, log: Log): void {
  const cause = causeOf(error);
  if (cause instanceof FhirError && cause.key !== 'internal') return;
  if (!(cause instanceof Error))
    return log.error({ requestId, fault: typeof cause }, 'a GraphQL request failed');
  const frames = (cause.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  log.error({ requestId, fault: cause.name, stack: frames.join('\n') }, 'a GraphQL request failed');
}

/** True when the failed operation may have been executed. */
export function isUncertain(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof FhirError && cause.isUncertain;
}

/** Returns the HTTP status of a response without data, by its first error. */
export function toStatus(error: unknown): number {
  const cause = causeOf(error);
  if (cause instanceof FhirError) return cause.status;
  // A resolver refused its arguments.
  const isRequest = cause instanceof GraphQLError && String(cause.extensions['code']) in REQUEST_ERRORS;
  return isRequest ? BAD_REQUEST : fhirError('internal').status;
}
