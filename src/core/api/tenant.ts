/** Tenants: names, settings, usage, creation, transfer and removal. */
import type { Release } from '../fhir/release';
import type { TenantRange, TenantStatus } from '../storage/tenants/tenants';

export interface Tenant {
  /** Part of all addresses; it never changes. */
  readonly name: string;
  /** Display name. */
  readonly display: string;
  /** Only active tenants are served. */
  readonly status: TenantStatus;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** Removed rows of one table. */
export interface RemovedRows {
  readonly table: string;
  /** Rows that this call removed. */
  readonly removed: number;
  /** Rows that are left at the end of the call; 0: none. */
  readonly left: number;
}

/** The progress of an erasure from caches. */
export interface InvalidatedCaches {
  /** Server processes that have invalidated their caches. */
  readonly processes: number;
  /** Processes without a heartbeat for 20 seconds; the removal did not wait for them. */
  readonly silentProcesses: number;
  /** Texts that were removed from Redis; undefined: Redis was unavailable and holds them for a day at most. */
  readonly cachedTexts: number | undefined;
}

/** The result of a tenant's import. */
export interface TenantImport {
  readonly name: string;
  readonly versions: number;
  /** Includes deleted resources. */
  readonly resources: number;
  /** Versions of Subscriptions that requested notifications and are stored with the status `off`. */
  readonly subscriptionsOff: number;
  /** Subscriptions whose deliveries this tenant continues. */
  readonly subscriptionsKept: number;
}

/**
 * True: a tenant moves with the deliveries of its Subscriptions, and the secrets of their headers. Both the export and
 * the import must ask for it, so that two copies of a tenant do not deliver the same Subscription by accident.
 */
export interface TransferOptions {
  /** Default: false. */
  readonly keepsSubscriptions?: boolean;
}

/** The result of a tenant's removal. */
export interface TenantRemoval extends InvalidatedCaches {
  readonly name: string;
  /** False: the time limit was reached; there is more to remove. */
  readonly isComplete: boolean;
  /** All tables with data of tenants. */
  readonly tables: readonly RemovedRows[];
}

/** A tenant with its settings. */
export interface DescribedTenant extends Tenant {
  /** Effective settings by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Names of the settings that the tenant has set; the others are defaults of the server. */
  readonly own: readonly string[];
  readonly usage: TenantUsage;
}

/** Exact storage use of a tenant in both releases, without its AuditEvents. */
export interface TenantUsage {
  /** Resources that are not deleted. */
  readonly resources: number;
  /** Total size of the texts of all versions. */
  readonly bytes: number;
}

/** Administration of tenants. */
export interface Tenants {
  /** By name; by default all. */
  list(range?: TenantRange): Promise<readonly Tenant[]>;
  /** Returns the settings that a tenant can have. */
  settings(): readonly TenantSetting[];
  /**
   * `settings`: by name; `time-zone` can only be set here. Throws `invalidTenantName`, `invalidValue`,
   * `tenantExists`.
   */
  create(name: string, settings?: Readonly<Record<string, string>>, display?: string): Promise<Tenant>;
  /** False: there is no such tenant. Throws `forbidden` for `system`, `tenantBusy`. */
  disable(name: string): Promise<boolean>;
  /** False: there is no such tenant. Throws `tenantBusy`. */
  enable(name: string): Promise<boolean>;
  /** Changes the display name; null: the tenant's name. False: there is no such tenant. Throws `invalidValue`. */
  rename(name: string, display: string | null): Promise<boolean>;
  /**
   * Removes a tenant and all its data within `milliseconds` (undefined: no limit); another call continues. The tenant
   * is not served from the start of the first call. Undefined: there is no such tenant. Throws `forbidden` for
   * `system`, `tenantBusy` while another process is removing it.
   */
  remove(name: string, milliseconds?: number): Promise<TenantRemoval | undefined>;
  /**
   * Exports all versions or the current resources of a tenant, line by line. Undefined: there is no such tenant, or
   * it is being imported or deleted.
   */
  export(
    name: string,
    which?: 'all' | 'current',
    options?: TransferOptions,
  ): Promise<AsyncGenerator<ExportLine> | undefined>;
  /**
   * Creates a tenant from an export of all versions; another call after an interruption continues. Throws
   * `invalidTenantName`, `tenantExists`, `tenantBusy`, `invalidValue`.
   */
  import(name: string, lines: AsyncIterable<string>, options?: TransferOptions): Promise<TenantImport>;
  /** Undefined: there is no such tenant. */
  describe(name: string): Promise<DescribedTenant | undefined>;
  /**
   * Changes settings by name; null: back to the server's default. False: there is no such tenant. Throws
   * `invalidValue`.
   */
  changeSettings(name: string, changes: SettingChanges): Promise<boolean>;
  /**
   * Makes several changes; a value that is not allowed is refused before any of them. False: there is no such tenant.
   * Throws `invalidValue`, `forbidden`, `tenantBusy`.
   */
  change(name: string, changes: TenantChanges): Promise<boolean>;
}

/** Changes of settings, by name; null: the default of the server again. */
export type SettingChanges = Readonly<Record<string, string | null>>;

export interface TenantChanges {
  readonly settings?: SettingChanges | undefined;
  /** As for `rename`. */
  readonly display?: string | null | undefined;
  readonly status?: 'active' | 'disabled' | undefined;
}

/** A line without its line feed. */
export type ExportLine =
  | { readonly kind: 'header'; readonly text: string }
  | { readonly kind: 'line'; readonly part: ExportPart; readonly text: string }
  | { readonly kind: 'end'; readonly text: string };

/** A setting that a tenant can have. */
export interface TenantSetting {
  readonly name: string;
  /** The allowed values; undefined: `expects` describes them. */
  readonly values?: readonly string[];
  readonly expects?: string;
  /** The value of tenants that do not set it, on this server. */
  readonly default: string;
  /** The setting of the server that is the default; undefined: the default is fixed. */
  readonly defaultFrom?: string;
  readonly meaning: string;
  /** True: it can be set only when a tenant is made. */
  readonly isFixed: boolean;
  /** True: the operator of the server changes it, and the administrators of a tenant do not. */
  readonly isOfOperator: boolean;
}

/** A part of an export: the versions of a release, its AuditEvents, or the tenant's other rows. */
export type ExportPart = Release | `${Release}-audit` | 'tenant';
