/** Tenants: their names, settings and use, and how they are made, moved and removed. */
import type { TenantStatus } from '../storage/tenants/tenants';
import type { ExportLine } from '../tenants/tenant-export';

export interface Tenant {
  /** In all addresses; it never changes. */
  readonly name: string;
  /** What people call it. */
  readonly display: string;
  /** Only an active one is answered. */
  readonly status: TenantStatus;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** Rows of one table. */
export interface RemovedRows {
  readonly table: string;
  /** By this call. */
  readonly removed: number;
  /** Counted at the end; 0 where nothing is left. */
  readonly left: number;
}

/** How far a removal is. */
export interface Forgotten {
  /** Server processes that have forgotten what they remembered. */
  readonly processes: number;
  /** Those that gave no sign of life for 20 seconds, and were not waited for. */
  readonly silentProcesses: number;
  /** Texts that were removed from Redis; undefined: it could not be reached, and holds them for a day at most. */
  readonly cachedTexts: number | undefined;
}

/** What a tenant was made of. */
export interface TenantImport {
  readonly name: string;
  readonly versions: number;
  /** Deleted ones included. */
  readonly resources: number;
  /** Versions of Subscriptions that asked for notifications and are stored as off. */
  readonly subscriptionsOff: number;
}

/** What became of a tenant that is removed. */
export interface TenantRemoval extends Forgotten {
  readonly name: string;
  /** False: the time was over; there is more to remove. */
  readonly isComplete: boolean;
  /** Every table that keeps something of tenants. */
  readonly tables: readonly RemovedRows[];
}

/** A tenant with its settings. */
export interface DescribedTenant extends Tenant {
  /** Those in force, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Names of those that the tenant has set itself; the others are the server's defaults. */
  readonly own: readonly string[];
  readonly usage: TenantUsage;
}

/** What a tenant keeps, in both releases, its AuditEvents aside: exact. */
export interface TenantUsage {
  /** That are not deleted. */
  readonly resources: number;
  /** Of the texts of all versions. */
  readonly bytes: number;
}

/** What administrators of the server do with tenants. */
export interface Tenants {
  list(): Promise<readonly Tenant[]>;
  /** `settings`: by their names; `time-zone` can be set here only. Throws invalidTenantName, invalidValue, tenantExists. */
  create(name: string, settings?: Readonly<Record<string, string>>, display?: string): Promise<Tenant>;
  /** False when there is no such tenant. Throws forbidden for `system`, tenantBusy. */
  disable(name: string): Promise<boolean>;
  /** False when there is no such tenant. Throws tenantBusy. */
  enable(name: string): Promise<boolean>;
  /** Changes what people call it; null: its name. False when there is no such tenant. Throws invalidValue. */
  rename(name: string, display: string | null): Promise<boolean>;
  /**
   * Removes a tenant and everything in it, for as long as `milliseconds` allow (undefined: to the end); called again, it goes
   * on. Nothing of the tenant is answered from the beginning on. Undefined when there is no such tenant. Throws forbidden for
   * `system`, tenantBusy while another process is at it.
   */
  remove(name: string, milliseconds?: number): Promise<TenantRemoval | undefined>;
  /**
   * All versions of a tenant, or its current resources, as it is now, line by line. Undefined when there is no such tenant, or it
   * is being imported or deleted.
   */
  export(name: string, which?: 'all' | 'current'): Promise<AsyncGenerator<ExportLine> | undefined>;
  /**
   * Makes a new tenant of the lines of an export of all versions; called again after an interruption, it goes on. Throws
   * invalidTenantName, tenantExists, tenantBusy, invalidValue.
   */
  import(name: string, lines: AsyncIterable<string>): Promise<TenantImport>;
  /** Undefined when there is no such tenant. */
  describe(name: string): Promise<DescribedTenant | undefined>;
  /** By name; null: the server's default again. False when there is no such tenant. Throws `invalidValue`. */
  changeSettings(name: string, changes: Readonly<Record<string, string | null>>): Promise<boolean>;
}
