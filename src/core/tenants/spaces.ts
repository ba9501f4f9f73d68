import { decoySpace } from './decoy';
import { parsePolicies, type Policy } from '../authorization/policy';
import type { DescribedTenant, SettingChanges, Tenant, TenantChanges, TenantSetting } from '../api/tenant';
import type { Space, TenantSettings, TenantSpace } from '../context';
import { fhirError } from '../errors';
import { registerCache } from '../memory/cache-registry';
import { RELEASE_NAMES, type Release } from '../fhir/release';
import { isShownName, SHOWN_NAME_EXPECTED } from '../limits/shown-name';
import type { SpaceParameters, TenantParameter } from '../search/parameters/tenant-parameter';
import {
  DEFAULT_TIME_ZONE,
  describeSettings,
  nameSettings,
  requireSettings,
  requireFirstSettings,
  TIME_ZONE,
  toTenantSettings,
  type StoredSettings,
} from './tenant-settings';
import type { TenantRange, TenantRow, TenantStore } from '../storage/tenants/tenants';

/** A disabled tenant stops answering within 2 s in every process (docs/reference/behaviour.md, Tenants and releases). */
const MAX_AGE_MS = 1_500;
/** From this age on, the next lookup also refreshes the entry in the background. */
const REFRESH_AGE_MS = 1_000;
const MAX_CACHED = 10_000;
const TENANT_NAME = /^[a-z0-9-]{1,63}$/;

export function isTenantName(text: string): boolean {
  return TENANT_NAME.test(text);
}

interface CachedTenant {
  readonly spaces: Readonly<Partial<Record<Release, TenantSpace>>>;
  /** See `TenantRow.searchParameters`. */
  readonly parameterChange: number;
  /** See `TenantRow.policies`. The parsed policies are the same object while the text is the same. */
  readonly policiesText: string;
  readonly policies: readonly Policy[] | undefined;
  readonly at: number;
  refreshing: boolean;
}

/** The spaces of tenants, cached for at most 1.5 seconds. */
export class Spaces {
  private readonly cache = registerCache(new Map<string, CachedTenant>());

  constructor(
    private readonly store: TenantStore,
    /** Notifies other processes of a tenant that was changed here, so that they reload it early. */
    private readonly announce: (tenant: string) => void,
    /** For settings that the tenant does not set. */
    private readonly defaults: TenantSettings,
    /** Loads the space's own search parameters. */
    private readonly loadParameters: (
      space: Pick<Space, 'number' | 'release'>,
    ) => Promise<readonly TenantParameter[]>,
  ) {}

  /** Undefined when the tenant is unknown or disabled. */
  async find(tenant: string, release: Release): Promise<TenantSpace | undefined> {
    if (!TENANT_NAME.test(tenant)) return undefined;
    const cached = this.cache.get(tenant);
    const age = cached === undefined ? Infinity : performance.now() - cached.at;
    if (cached === undefined || age > MAX_AGE_MS) return (await this.load(tenant))[release];
    if (age > REFRESH_AGE_MS && !cached.refreshing) {
      cached.refreshing = true;
      this.load(tenant).catch(() => (cached.refreshing = false));
    }
    return cached.spaces[release];
  }

  /** The decoy space for callers without credentials, under any name (tenants/decoy.ts). Undefined: the name is invalid. */
  decoy(tenant: string, release: Release): TenantSpace | undefined {
    return TENANT_NAME.test(tenant) ? decoySpace(tenant, release, this.defaults) : undefined;
  }

  /** The same space from the database, or from the cache where that has newer search parameters. */
  async findNewer({ tenant, release, searchParameters }: TenantSpace): Promise<TenantSpace | undefined> {
    const cached = this.cache.get(tenant);
    if (cached !== undefined && cached.parameterChange > (searchParameters?.change ?? 0))
      return cached.spaces[release];
    return (await this.load(tenant))[release];
  }

  /** Evicts a tenant that was changed elsewhere. */
  invalidate(tenant: string): void {
    this.cache.delete(tenant);
  }

  private async load(tenant: string): Promise<CachedTenant['spaces']> {
    const at = performance.now();
    const row = await this.store.find(tenant);
    const before = this.cache.get(tenant);
    const policiesText = row?.policies ?? NO_POLICIES;
    const policies = before?.policiesText === policiesText ? before.policies : readPolicies(policiesText);
    const spaces =
      row === undefined || row.status !== 'active'
        ? {}
        : toSpaces(
            row,
            toTenantSettings(row.settings, this.defaults),
            await this.parametersOf(row, this.cache.get(tenant)),
            policies,
          );
    if (this.cache.size >= MAX_CACHED) this.cache.clear();
    const parameterChange = row?.searchParameters ?? 0;
    this.cache.set(tenant, { spaces, parameterChange, policiesText, policies, at, refreshing: false });
    return spaces;
  }

  /** Search parameters by release. The object stays the same while they do not change, because it is a key of caches. */
  private async parametersOf(
    { searchParameters: change, spaces }: TenantRow,
    cached: CachedTenant | undefined,
  ): Promise<Partial<Record<Release, SpaceParameters>>> {
    const found: Partial<Record<Release, SpaceParameters>> = {};
    if (change === 0) return found;
    for (const release of RELEASE_NAMES) {
      const number = spaces[release];
      if (number === undefined) continue;
      const before = cached?.spaces[release]?.searchParameters;
      // The list is read after its change number. At worst it is newer; then a write with it is refused and retried.
      found[release] =
        before?.change === change ? before : { change, list: await this.loadParameters({ number, release }) };
    }
    return found;
  }

  async list(range?: TenantRange): Promise<Tenant[]> {
    const rows = await this.store.list(range);
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
    requireMayBeDisabled(name);
    return this.changeStatus(name, 'disabled');
  }

  /** False when there is no such tenant. Throws tenantBusy. */
  async enable(name: string): Promise<boolean> {
    // The tenant system is always enabled.
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

  /** Sets the display name; null: the name again. False when there is no such tenant. Throws invalidValue. */
  async rename(name: string, display: string | null): Promise<boolean> {
    if (display !== null) requireDisplay(display);
    const isRenamed = TENANT_NAME.test(name) && (await this.store.rename(name, display));
    if (isRenamed) this.changed(name);
    return isRenamed;
  }

  /** Undefined when there is no such tenant. Reads from the database. */
  async describe(name: string): Promise<DescribedTenant | undefined> {
    const row = TENANT_NAME.test(name) ? await this.store.find(name) : undefined;
    if (row === undefined) return undefined;
    const settings = toTenantSettings(row.settings, this.defaults);
    const timeZone = row.settings[TIME_ZONE] ?? DEFAULT_TIME_ZONE;
    const inForce: StoredSettings = { ...nameSettings(settings), [TIME_ZONE]: timeZone };
    const own = Object.keys(inForce).filter((setting) => row.settings[setting] === inForce[setting]);
    return { ...toTenant(row), settings: inForce, own, usage: await this.store.usage(row.number) };
  }

  /** Returns the settings that a tenant can have, with the defaults of this server. */
  settings(): readonly TenantSetting[] {
    return describeSettings(this.defaults);
  }

  /** In force in every process within 2 s. False when there is no such tenant. Throws `invalidValue`. */
  async changeSettings(name: string, changes: SettingChanges): Promise<boolean> {
    requireSettings(changes);
    const changed = TENANT_NAME.test(name) && (await this.store.changeSettings(name, changes));
    if (changed) this.changed(name);
    return changed;
  }

  /** As `Tenants.change`. */
  async change(name: string, { settings, display, status }: TenantChanges): Promise<boolean> {
    if (settings !== undefined) requireSettings(settings);
    if (typeof display === 'string') requireDisplay(display);
    if (status === 'disabled') requireMayBeDisabled(name);
    const steps = [
      settings === undefined ? undefined : () => this.changeSettings(name, settings),
      display === undefined ? undefined : () => this.rename(name, display),
      status === undefined ? undefined : () => (status === 'active' ? this.enable(name) : this.disable(name)),
    ];
    for (const step of steps) if (step !== undefined && !(await step())) return false;
    return true;
  }

  /** Called after a change of the tenant here: evicts it from the caches of all processes. */
  changed(name: string): void {
    this.invalidate(name);
    this.announce(name);
  }
}

function toTenant({ name, display, status, created }: TenantRow): Tenant {
  return { name, display: display ?? name, status, created };
}

function requireMayBeDisabled(name: string): void {
  if (name === 'system') throw fhirError('forbidden', { reason: 'The tenant system cannot be disabled' });
}

const NO_POLICIES = '{}';

function readPolicies(text: string): readonly Policy[] | undefined {
  return text === NO_POLICIES ? undefined : parsePolicies(text);
}

const LONGEST_DISPLAY = 200;

function requireDisplay(display: string): void {
  if (display.trim() !== '' && display.length <= LONGEST_DISPLAY && isShownName(display)) return;
  const reason = `The displayed name of a tenant must have 1 to ${LONGEST_DISPLAY} characters, ${SHOWN_NAME_EXPECTED}`;
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
      ...(row.display === null ? {} : { display: row.display }),
      ...(searchParameters === undefined ? {} : { searchParameters }),
      ...(policies === undefined ? {} : { policies }),
      ...(auditSpace === undefined ? {} : { auditSpace }),
    };
  }
  return spaces;
}
