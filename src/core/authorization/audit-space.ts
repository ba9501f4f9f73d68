/** AuditEvents have a space of their own beside the data of their tenant and release. */
import { AUDIT_EVENT } from '../fhir/type-names';
import type { RequestContext, TenantSpace } from '../context';
import { fhirError } from '../errors';

/** Returns the same context in the space of the resource type. Cost: a comparison. */
export function inSpaceOf(context: RequestContext, type: string | undefined): RequestContext {
  if (type !== AUDIT_EVENT) return context;
  const space = auditSpaceOf(context.space);
  return space === undefined ? context : { ...context, space };
}

/** Returns the audit space of a tenant and release; undefined for a space that is an audit space itself. */
function auditSpaceOf({ auditSpace, ...space }: TenantSpace): TenantSpace | undefined {
  if (auditSpace === undefined) return undefined;
  const { searchParameters: _ofData, ...rest } = space;
  // The targets of its references are in another space.
  return { ...rest, number: auditSpace, settings: { ...space.settings, referentialIntegrity: 'off' } };
}

/** Throws `forbidden` unless the caller may read AuditEvents. In open mode, `isOpen` decides. */
export function requireAuditor({ access }: RequestContext, isOpen: boolean): void {
  if (access === undefined ? isOpen : access.isAuditor) return;
  throw fhirError('forbidden', {
    reason: 'Only auditors and administrators of the tenant may read AuditEvents',
  });
}
