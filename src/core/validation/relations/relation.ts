import type { JsonObject } from '../../fhir/json';
import type { TerminologySource } from '../../fhir/terminology/source';
import type { Finding, FindingRule } from '../../fhir/validate';
import type { TerminologyEnvironment } from '../../operation-types/environment';

export interface RelationSources {
  readonly environment: TerminologyEnvironment;
  readonly source: TerminologySource;
}

export type RelationCheck = (sources: RelationSources, resource: JsonObject) => Promise<readonly Finding[]>;

export function errorAt(expression: string, rule: FindingRule, diagnostics: string): Finding {
  return { rule, severity: 'error', diagnostics, expression };
}
