import type { RequestContext } from '../context';
import { FhirError, toIssue, type Issue } from '../errors';
import type { JsonObject } from '../fhir/json';
import { collectReferences } from '../fhir/reference';
import type { Services } from '../services';

const MAX_ISSUES = 20;

/**
 * Throws foreignReference when a reference names another tenant or release under one of our public addresses: in the
 * same words whether or not that tenant exists (contract.md, releases and tenants).
 */
export function checkReferences(services: Services, context: RequestContext, resource: JsonObject): void {
  const resolver = services.references(context.space);
  const issues: Issue[] = [];
  for (const { reference, expression } of collectReferences(resource, resolver)) {
    if (issues.length < MAX_ISSUES) issues.push(toIssue('foreignReference', { reference }, expression));
  }
  if (issues.length > 0) throw new FhirError('foreignReference', issues);
}
