/** Records the requests of administrators in the tenant in which they are clients: those of the operator in `system`. */
import type { CoreAccess } from '../api/core';
import type { AdministrationRequest } from '../api/access';
import type { TenantSpace } from '../context';
import type { Release } from '../fhir/release';
import type { RecordingTools } from './recorder';
import { toRecord } from './recording';

const REFUSED: readonly number[] = [401, 403, 429];

/** As CoreAccess.recordAdministration: a change is answered only after its record is in the database. */
export function recordAdministration(
  { log, ids, recordsReads }: RecordingTools,
  findSpace: (tenant: string, release: Release) => Promise<TenantSpace | undefined>,
): CoreAccess['recordAdministration'] {
  return async (
    { tenant, caller, address, requestId, requestLine, mayChange }: AdministrationRequest,
    status,
  ) => {
    if (!recordsReads && !mayChange && !REFUSED.includes(status)) return;
    const space = await findSpace(tenant, 'r4');
    if (space === undefined) return;
    const described = { interaction: 'operation', query: requestLine };
    await log.note(space.number, toRecord(ids, { ...caller, address, requestId }, described, { status }));
    if (mayChange && status < 400) await log.flush();
  };
}
