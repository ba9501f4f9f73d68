/** AuditEvents are in a space of their own beside the data of their tenant and release. */
import type { RequestContext, TenantSpace } from '../context';
import { fhirError } from '../errors';

export const AUDIT_EVENT = 'AuditEvent';

/** The same request in the space that resources of the type are in. Cost: a comparison. */
export function inSpaceOf(context: RequestContext, type: string | undefined): RequestContext {
  if (type !== AUDIT_EVENT) return context;
  const space = auditSpaceOf(context.space);
  return space === undefined ? context : { ...context, space };
}

/** Where the AuditEvents of a tenant and release are; undefined for a space that is such a one itself. */
function auditSpaceOf({ auditSpace, ...space }: TenantSpace): TenantSpace | undefined {
  if (auditSpace === undefined) return undefined;
  const { searchParameters: _ofData, ...rest } = space;
  // What they refer to is not where they are.
  return { ...rest, number: auditSpace, settings: { ...space.settings, referentialIntegrity: 'off' } };
}

/** Throws `forbidden` unless the caller may read AuditEvents. In open mode, `isOpen` decides. */
export function requireAuditor({ access }: RequestContext, isOpen: boolean): void {
  if (access === undefined ? isOpen : access.isAuditor) return;
  throw fhirError('forbidden', { reason: 'AuditEvents are for auditors: the client is none' });
}
