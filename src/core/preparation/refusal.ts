import { FhirError, type Issue } from '../errors';
import { FINDING_RULES, type Finding } from '../fhir/validate';

/**
 * The error that findings make: none when they are all warnings. One that makes the body something else than FHIR
 * decides for 400, though others would be 422 (contract.md, REST answers).
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
