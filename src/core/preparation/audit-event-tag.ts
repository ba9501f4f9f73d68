/** The tag of the AuditEvents that the server records (docs/run/audit.md). No client writes it. */
import { AUDIT_EVENT } from '../fhir/type-names';
import type { Issue } from '../errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';

/** In `meta.tag` of each AuditEvent of the server. */
export const SERVER_TAG = {
  system: 'https://andiron.example/fhir/CodeSystem/audit-event-origin',
  code: 'server',
};

/** Returns the reason why a client may not write an AuditEvent; none for all other resources. Cost: a look at its tags. */
export function auditEventTagIssues(type: string, resource: JsonObject): readonly Issue[] {
  const at = type === AUDIT_EVENT ? tagsOf(resource).findIndex(isOfServer) : -1;
  if (at === -1) return NO_ISSUES;
  const diagnostics = `Tags of the system '${SERVER_TAG.system}' mark the AuditEvents that this server has recorded: leave them out`;
  return [
    { severity: 'error', code: 'business-rule', diagnostics, expression: `AuditEvent.meta.tag[${at}]` },
  ];
}

const NO_ISSUES: readonly Issue[] = [];

function tagsOf({ meta }: JsonObject): readonly JsonValue[] {
  const tags = isJsonObject(meta) ? meta['tag'] : undefined;
  return Array.isArray(tags) ? tags : [];
}

function isOfServer(tag: JsonValue): boolean {
  return isJsonObject(tag) && tag['system'] === SERVER_TAG.system;
}
