import { parsePolicies, type Policy } from './access/policy';
import type { DescribedTenant, Tenant } from './api';
import type { Space, TenantSettings, TenantSpace } from './context';
import { fhirError } from './errors';
import { forgettable } from './process-memory';
import { RELEASE_NAMES, type Release } from './fhir/release';
import type { SpaceParameters, TenantParameter } from './search/tenant-parameter';
import {
  DEFAULT_TIME_ZONE,
  nameSettings,
  requireSettings,
  requireFirstSettings,
  TIME_ZONE,
  toTenantSettings,
  type SettingChanges,
  type StoredSettings,
} from './tenant-settings';
import type { TenantRow, TenantStore } from './storage/tenants';

/** A disabled tenant stops answering within 2 s in every process (contract.md): nothing is believed for longer. */
const MAX_AGE_MS = 1_500;
/** From this age on the next question also asks the database, without waiting for it. */
const REFRESH_AGE_MS = 1_000;
const MAX_KNOWN = 10_000;
const TENANT_NAME = /^[a-z0-9-]{1,63}$/;

interface Known {
  readonly spaces: Readonly<Partial<Record<Release, TenantSpace>>>;
  /** See `TenantRow.searchParameters`. */
  readonly parameterChange: number;
  /** See `TenantRow.policies`; what is made of it is the same while it is. */
  readonly policiesText: string;
  readonly policies: readonly Policy[] | undefined;
  readonly at: number;
  refreshing: boolean;
}

/** Which tenants there are, remembered for at most 1.5 seconds. */
export class Spaces {
  private readonly known = forgettable(new Map<string, Known>());

  constructor(
    private readonly store: TenantStore,
    /** Told when a tenant was created or disabled here, so that other processes hear of it early. */
    private readonly announce: (tenant: string) => void,
    /** For what a tenant does not set. */
    private readonly defaults: TenantSettings,
    /** The search parameters of a space's own. */
    private readonly loadParameters: (
      space: Pick<Space, 'number' | 'release'>,
    ) => Promise<readonly TenantParameter[]>,
  ) {}

  /** Undefined when the tenant is unknown or disabled. */
  async find(tenant: string, release: Release): Promise<TenantSpace | undefined> {
    if (!TENANT_NAME.test(tenant)) return undefined;
    const known = this.known.get(tenant);
    const age = known === undefined ? Infinity : performance.now() - known.at;
    if (known === undefined || age > MAX_AGE_MS) return (await this.load(tenant))[release];
    if (age > REFRESH_AGE_MS && !known.refreshing) {
      known.refreshing = true;
      this.load(tenant).catch(() => (known.refreshing = false));
    }
    return known.spaces[release];
  }

  /** The same space as the database knows it now, or as it was learnt after `space`. */
  async findNewer({ tenant, release, searchParameters }: TenantSpace): Promise<TenantSpace | undefined> {
    const known = this.known.get(tenant);
    if (known !== undefined && known.parameterChange > (searchParameters?.change ?? 0))
      return known.spaces[release];
    return (await this.load(tenant))[release];
  }

  /** Forgets what is remembered of a tenant: it was changed elsewhere. */
  forget(tenant: string): void {
    this.known.delete(tenant);
  }

  private async load(tenant: string): Promise<Known['spaces']> {
    const at = performance.now();
    const row = await this.store.find(tenant);
    const before = this.known.get(tenant);
    const policiesText = row?.policies ?? NO_POLICIES;
    const policies = before?.policiesText === policiesText ? before.policies : readPolicies(policiesText);
    const spaces =
      row === undefined || row.status !== 'active'
        ? {}
        : toSpaces(
            row,
            toTenantSettings(row.settings, this.defaults),
            await this.parametersOf(row, this.known.get(tenant)),
            policies,
          );
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    const parameterChange = row?.searchParameters ?? 0;
    this.known.set(tenant, { spaces, parameterChange, policiesText, policies, at, refreshing: false });
    return spaces;
  }

  /** By release; what is made of them is remembered by the object, so that it stays the same while nothing changes. */
  private async parametersOf(
    { searchParameters: change, spaces }: TenantRow,
    known: Known | undefined,
  ): Promise<Partial<Record<Release, SpaceParameters>>> {
    const found: Partial<Record<Release, SpaceParameters>> = {};
    if (change === 0) return found;
    for (const release of RELEASE_NAMES) {
      const number = spaces[release];
      if (number === undefined) continue;
      const before = known?.spaces[release]?.searchParameters;
      // Read after the number of the change: at worst it is newer, and a write by it is refused and tried again.
      found[release] =
        before?.change === change ? before : { change, list: await this.loadParameters({ number, release }) };
    }
    return found;
  }

  async list(): Promise<Tenant[]> {
    const rows = await this.store.list();
    return rows.map(toTenant);
  }

  /** Throws invalidTenantName. */
  requireName(name: string): void {
    if (!TENANT_NAME.test(name)) throw fhirError('invalidTenantName');
  }

  /** Throws invalidTenantName, invalidValue, tenantExists. */
  async create(name: string, settings: StoredSettings = {}, display?: string): Promise<Tenant> {
    this.requireName(name);
    requireFirstSettings(settings);
    if (display !== undefined) requireDisplay(display);
    const created = await this.store.create(name, RELEASE_NAMES, { settings, display: display ?? null });
    if (!created) throw fhirError('tenantExists', { tenant: name });
    this.changed(name);
    const row = await this.store.find(name);
    if (row === undefined) throw fhirError('storageUnavailable');
    return toTenant(row);
  }

  /** False when there is no such tenant. Throws forbidden, tenantBusy. */
  async disable(name: string): Promise<boolean> {
    if (name === 'system') throw fhirError('forbidden', { reason: 'The tenant system cannot be disabled' });
    return this.changeStatus(name, 'disabled');
  }

  /** False when there is no such tenant. Throws tenantBusy. */
  async enable(name: string): Promise<boolean> {
    // It always is.
    return name === 'system' || this.changeStatus(name, 'active');
  }

  private async changeStatus(name: string, status: 'active' | 'disabled'): Promise<boolean> {
    if (!TENANT_NAME.test(name)) return false;
    if (await this.store.changeStatus(name, status)) {
      this.changed(name);
      return true;
    }
    const row = await this.store.find(name);
    if (row !== undefined) throw fhirError('tenantBusy', { tenant: name, status: row.status });
    return false;
  }

  /** Null: it is called by its name again. False when there is no such tenant. Throws invalidValue. */
  async rename(name: string, display: string | null): Promise<boolean> {
    if (display !== null) requireDisplay(display);
    return TENANT_NAME.test(name) && this.store.rename(name, display);
  }

  /** Undefined when there is no such tenant. Asks the database. */
  async describe(name: string): Promise<DescribedTenant | undefined> {
    const row = TENANT_NAME.test(name) ? await this.store.find(name) : undefined;
    if (row === undefined) return undefined;
    const settings = toTenantSettings(row.settings, this.defaults);
    const timeZone = row.settings[TIME_ZONE] ?? DEFAULT_TIME_ZONE;
    const known: StoredSettings = { ...nameSettings(settings), [TIME_ZONE]: timeZone };
    const own = Object.keys(known).filter((setting) => row.settings[setting] === known[setting]);
    return { ...toTenant(row), settings: known, own, usage: await this.store.usage(row.number) };
  }

  /** In force in every process within 2 s. False when there is no such tenant. Throws `invalidValue`. */
  async changeSettings(name: string, changes: SettingChanges): Promise<boolean> {
    requireSettings(changes);
    const changed = TENANT_NAME.test(name) && (await this.store.changeSettings(name, changes));
    if (changed) this.changed(name);
    return changed;
  }

  /** Something of a tenant was changed here: nothing older is believed, here or in other processes. */
  changed(name: string): void {
    this.forget(name);
    this.announce(name);
  }
}

function toTenant({ name, display, status, created }: TenantRow): Tenant {
  return { name, display: display ?? name, status, created };
}

const NO_POLICIES = '{}';

function readPolicies(text: string): readonly Policy[] | undefined {
  return text === NO_POLICIES ? undefined : parsePolicies(text);
}

const LONGEST_DISPLAY = 200;

function requireDisplay(display: string): void {
  if (display.trim() !== '' && display.length <= LONGEST_DISPLAY && !/\p{Cc}/u.test(display)) return;
  const reason = `What a tenant is called has 1 to ${LONGEST_DISPLAY} characters, in one line`;
  throw fhirError('invalidValue', { reason });
}

function toSpaces(
  row: TenantRow,
  settings: TenantSettings,
  parameters: Partial<Record<Release, SpaceParameters>>,
  policies: readonly Policy[] | undefined,
): Partial<Record<Release, TenantSpace>> {
  const spaces: Partial<Record<Release, TenantSpace>> = {};
  for (const release of RELEASE_NAMES) {
    const number = row.spaces[release];
    if (number === undefined) continue;
    const searchParameters = parameters[release];
    const auditSpace = row.auditSpaces[release];
    spaces[release] = {
      number,
      release,
      tenant: row.name,
      tenantNumber: row.number,
      timeZone: row.settings[TIME_ZONE] ?? DEFAULT_TIME_ZONE,
      settings,
      ...(searchParameters === undefined ? {} : { searchParameters }),
      ...(policies === undefined ? {} : { policies }),
      ...(auditSpace === undefined ? {} : { auditSpace }),
    };
  }
  return spaces;
}
