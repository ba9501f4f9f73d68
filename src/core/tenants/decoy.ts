/**
 * Decoys stand for tenants that do not exist where access is enforced: to a caller without rights they answer like a tenant
 * without data, so that no answer shows which names are taken.
 */
import { createHash } from 'node:crypto';
import type { Space, TenantSettings, TenantSpace } from '../context';
import { RELEASES, type Release } from '../fhir/release';
import { DEFAULT_TIME_ZONE } from './tenant-settings';

/** Returns an empty space. `settings`: the defaults for tenants. */
export function decoySpace(tenant: string, release: Release, settings: TenantSettings): TenantSpace {
  // Numbers in the database are positive. Each name has its own number, so that guesses are counted as for a tenant.
  const number = -RELEASES[release].baseSpace;
  const tenantNumber = -1 - (createHash('sha256').update(tenant).digest().readUInt32BE() >>> 1);
  return { number, release, tenant, tenantNumber, timeZone: DEFAULT_TIME_ZONE, settings };
}

/** True: nothing is written for the space. */
export function isDecoy({ number }: Pick<Space, 'number'>): boolean {
  return number < 0;
}
