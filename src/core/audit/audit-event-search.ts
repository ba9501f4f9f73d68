/** Searches neither lead from AuditEvents to other resources nor back, because they are in a space of their own. */
import type { SearchCondition, SearchRequest } from '../search/requests/search-request';
import { fhirError, type FhirError } from '../errors';
import { AUDIT_EVENT } from '../fhir/type-names';

/** Names of parameters that ask for other resources beside those that are searched for. */
const LEADS_ELSEWHERE = /^_(include|revinclude|has|list)\b|\./;

/** True if a search of AuditEvents that are kept apart refuses the parameter. */
export function leadsFromAuditEvents(name: string): boolean {
  return LEADS_ELSEWHERE.test(name);
}

/**
 * AuditEvents are searched by what stands in them, and nothing else by them: they are not where the others are. Throws
 * `invalidValue`. Cost: one test of each name.
 */
export function requireApart({ type, parameters, where }: SearchRequest): void {
  for (const [name, value] of parameters) {
    const leads =
      type === AUDIT_EVENT
        ? leadsFromAuditEvents(name)
        : name.includes(AUDIT_EVENT) || (isOfTypes(name) && value.includes(AUDIT_EVENT));
    if (leads) throw apart(name);
  }
  if (where !== undefined) for (const condition of where) requireConditionApart(type, condition);
}

function isOfTypes(name: string): boolean {
  return name === '_type' || name.startsWith('_revinclude') || name.startsWith('_include');
}

function requireConditionApart(type: string | undefined, condition: SearchCondition): void {
  switch (condition.kind) {
    case 'parameter':
      return;
    case 'all':
    case 'not':
      for (const each of condition.of) requireConditionApart(type, each);
      return;
    case 'any':
      for (const each of condition.of.flat()) requireConditionApart(type, each);
      return;
    case 'chain':
    case 'has':
      if (type === AUDIT_EVENT || (condition.kind === 'has' && condition.source === AUDIT_EVENT))
        throw apart(condition.parameter);
      for (const each of condition.of) requireConditionApart(type, each);
  }
}

function apart(name: string): FhirError {
  const reason = `AuditEvents are stored separately from other resources, and '${name}' refers from one to the other. Search for AuditEvents alone`;
  return fhirError('invalidValue', { reason });
}
