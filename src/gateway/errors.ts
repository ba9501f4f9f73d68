/** One error model with REST: the issue code and the OperationOutcome that REST would answer stand in `extensions`. */
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { FhirError, fhirError, type Issue, type Log, toFhirError, toOutcome } from '../core/index';
import { TOO_COSTLY } from '../schema/cost';
import { DECIMAL_MARK } from '../schema/json';
import { RawJson } from '../schema/raw-json';

/** FHIR issue codes (http://hl7.org/fhir/R4/valueset-issue-type.html) of what Apollo Server refuses by itself. */
const REQUEST_ERRORS: Readonly<Record<string, string>> = {
  GRAPHQL_PARSE_FAILED: 'structure',
  GRAPHQL_VALIDATION_FAILED: 'invalid',
  BAD_USER_INPUT: 'value',
  BAD_REQUEST: 'invalid',
  OPERATION_RESOLUTION_FAILURE: 'required',
  PERSISTED_QUERY_NOT_SUPPORTED: 'not-supported',
  PERSISTED_QUERY_NOT_FOUND: 'not-found',
  [TOO_COSTLY]: 'too-costly',
};

const BAD_REQUEST = 400;

/** Longer sentences are cut: graphql repeats what a client sent. */
const LONGEST_MESSAGE = 1000;

function toExtensions(issues: readonly Issue[]): Record<string, unknown> {
  const outcome = new RawJson(toOutcome(issues));
  // `resource` is what HL7 calls it (http://hl7.org/fhir/R4/graphql.html#errors).
  return { code: issues[0]?.code ?? 'exception', outcome, resource: outcome };
}

/** What a resolver threw, or what kept all of them from running. */
function causeOf(error: unknown): unknown {
  const cause = unwrapResolverError(error);
  const isOfAll = cause instanceof GraphQLError && cause.originalError instanceof FhirError;
  return isOfAll ? cause.originalError : cause;
}

/** The part of an entry of `errors` that an expected failure has everywhere. */
export function formatFhirError(error: FhirError): GraphQLFormattedError {
  return { message: error.message, extensions: toExtensions(error.issues) };
}

/**
 * An entry of `errors`. An expected failure and a refused request say what is wrong; anything else says the request
 * id and nothing more.
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
  // Marked decimals of variables are shown as they were sent.
  const message = formatted.message.replaceAll(DECIMAL_MARK, '').slice(0, LONGEST_MESSAGE);
  return { message, ...place, extensions: toExtensions([{ severity: 'error', code, diagnostics: message }]) };
}

/** graphql's guess at what was meant, by which names of the schema are told. */
export function withoutSuggestion(message: string): string {
  const start = message.endsWith('?') ? message.lastIndexOf('Did you mean ') : -1;
  return start < 0 ? message : message.slice(0, start).trimEnd();
}

/**
 * Says in the log what `formatError` hides: where it happened and what kind it is. Never the message, which may quote
 * what a client sent.
 */
export function logUnexpected(error: unknown, requestId: string, log: Log): void {
  const cause = causeOf(error);
  if (cause instanceof FhirError && cause.key !== 'internal') return;
  if (!(cause instanceof Error))
    return log.error({ requestId, fault: typeof cause }, 'a GraphQL request failed');
  const frames = (cause.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  log.error({ requestId, fault: cause.name, stack: frames.join('\n') }, 'a GraphQL request failed');
}

/** True where what failed may have been carried out. */
export function isUncertain(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof FhirError && cause.isUncertain;
}

/** The HTTP status of a request of which every root field failed, by its first error. */
export function toStatus(error: unknown): number {
  const cause = causeOf(error);
  if (cause instanceof FhirError) return cause.status;
  // What a resolver finds wrong with its arguments.
  const isRequest = cause instanceof GraphQLError && String(cause.extensions['code']) in REQUEST_ERRORS;
  return isRequest ? BAD_REQUEST : fhirError('internal').status;
}
