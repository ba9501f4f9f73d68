import type { Tenants } from '../api/tenant';
import type { CacheInvalidator } from '../cache/cache-invalidator';
import { fhirError } from '../errors';
import { exportTenant, type TenantExportOptions } from './tenant-export';
import { importTenant, type TenantImportOptions } from './tenant-import';
import { removeTenant, type TenantRemovalOptions } from './tenant-removal';
import { requireOwnSettings } from './tenant-settings';

export interface TenantAdministrationOptions extends TenantImportOptions {
  readonly cacheInvalidator: CacheInvalidator;
  readonly removeObjects: TenantRemovalOptions['removeObjects'];
  readonly settleRecords: TenantExportOptions['settleRecords'];
}

/** Administration of tenants: names and settings through `spaces`; whole tenants through export, import and removal. */
export function createTenantAdministration({
  cacheInvalidator,
  removeObjects,
  settleRecords,
  ...options
}: TenantAdministrationOptions): Tenants {
  const { services, database, store, spaces } = options;
  return {
    list: (range) => spaces.list(range),
    settings: () => spaces.settings(),
    create: (name, settings, display) => spaces.create(name, settings, display),
    disable: (name) => spaces.disable(name),
    enable: (name) => spaces.enable(name),
    rename: (name, display) => spaces.rename(name, display),
    remove: (name, milliseconds) =>
      removeTenant(
        { database, cacheInvalidator, removeObjects, changed: (tenant) => spaces.changed(tenant) },
        name,
        milliseconds,
      ),
    export: (name, which = 'all', { keepsSubscriptions = false } = {}) =>
      exportTenant({ services, owner: database, store, settleRecords }, name, { which, keepsSubscriptions }),
    import: (name, lines, { keepsSubscriptions = false } = {}) =>
      importTenant(options, name, { lines, keepsSubscriptions }),
    describe: (name) => spaces.describe(name),
    changeSettings: (name, changes) => spaces.changeSettings(name, changes),
    change: (name, changes) => spaces.change(name, changes),
  };
}

type OneTenant = Pick<Tenants, 'describe' | 'settings' | 'change' | 'export'>;

/**
 * Returns the same for the administrators of a tenant: its status and its limits are changed by the operator, who alone
 * exports all of it.
 */
export function forOwnAdministrators({
  describe,
  settings,
  change,
  export: exportOne,
}: OneTenant): OneTenant {
  return {
    ...{ describe, settings },
    // All of a tenant, with the hashes of passwords and secrets, is for the operator, who moves tenants.
    async export(name, which) {
      if (which !== 'current')
        throw fhirError('forbidden', {
          reason:
            'Only the operator of the server exports all of a tenant, because that has the hashes of its passwords; ask for ?current=true',
        });
      return exportOne(name, which);
    },
    async change(name, changes) {
      if (changes.status !== undefined)
        throw fhirError('forbidden', {
          reason: 'Only the operator of the server disables or enables a tenant',
        });
      requireOwnSettings(changes.settings ?? {});
      return change(name, changes);
    },
  };
}
