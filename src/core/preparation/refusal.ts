import { FhirError, type Issue } from '../errors';
import { FINDING_RULES, type Finding } from '../fhir/validate';

/**
 * Returns the error for a list of findings; undefined when all of them are warnings. A 400 takes precedence over a
 * 422 (docs/reference/behaviour.md, Status codes).
 */
export function refusalOf(findings: readonly Finding[]): FhirError | undefined {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return undefined;
  const isMalformed = errors.some(({ rule }) => FINDING_RULES[rule].status === 400);
  return new FhirError(isMalformed ? 'invalidResource' : 'ruleViolated', toIssues(findings));
}

export function toIssues(findings: readonly Finding[]): Issue[] {
  return findings.map(({ rule, severity, diagnostics, expression }) => ({
    severity,
    code: FINDING_RULES[rule].code,
    diagnostics,
    expression,
  }));
}
