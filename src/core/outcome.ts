import { FhirError, fhirError, type Issue, type IssueSeverity } from './errors';
import type { JsonObject } from './fhir/json';

/** Longer diagnostics are cut because they may contain client input. */
const LONGEST_DIAGNOSTICS = 2000;

/** JSON text of an OperationOutcome. Without an issue it has an informational one, since `issue` is 1..*. */
export function toOutcome(issues: readonly Issue[]): string {
  return JSON.stringify(toOutcomeResource(issues));
}

/** Like `toOutcome`, as an object. */
export function toOutcomeResource(issues: readonly Issue[]): JsonObject {
  const shown: readonly Issue[] =
    issues.length > 0
      ? issues
      : [{ severity: 'information', code: 'informational', diagnostics: 'There is nothing to report' }];
  return {
    resourceType: 'OperationOutcome',
    issue: shown.map(({ severity, code, details, diagnostics, expression, isOwnText }) => ({
      severity,
      code,
      ...(details === undefined
        ? {}
        : {
            details: {
              ...(details.system === undefined || details.code === undefined
                ? {}
                : { coding: [{ system: details.system, code: details.code }] }),
              text: toSentence(details.text),
            },
          }),
      diagnostics: isOwnText === true ? diagnostics : toSentence(diagnostics),
      ...(expression === undefined ? {} : { expression: [toSentence(expression)] }),
    })),
  };
}

const SEVERITIES: readonly IssueSeverity[] = ['fatal', 'error', 'warning', 'information'];

/** The most severe severity of the issues; undefined if there are none. */
export function worstSeverity(issues: readonly Issue[]): IssueSeverity | undefined {
  return SEVERITIES.find((severity) => issues.some((issue) => issue.severity === severity));
}

/**
 * The error for the client: a `FhirError` unchanged; anything else as `internal` with the request id and no detail. The
 * caller logs the cause.
 */
export function toFhirError(thrown: unknown, requestId: string): FhirError {
  return thrown instanceof FhirError ? thrown : fhirError('internal', { requestId });
}

/** A FHIR string has no control characters except tab and line breaks (datatypes.html#string). */
function toSentence(text: string): string {
  const short = text.length > LONGEST_DIAGNOSTICS ? `${text.slice(0, LONGEST_DIAGNOSTICS)}…` : text;
  return short.replace(/(?![\t\n\r])[\p{Cc}\p{Cs}]/gu, '\ufffd');
}
