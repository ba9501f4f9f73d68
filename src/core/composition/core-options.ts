/** The options of core. */
import type { AuthMode } from '../oauth/authentication';
import type { SendMail } from '../api/mail';
import type { ExportLimits } from '../jobs/exports/export-jobs';
import type { ExportStore } from '../jobs/exports/stored-files';
import type { AsyncJobLimits } from '../jobs/requests';
import type { RedisOptions } from '../cache/redis-connection';
import type { Log, TenantSettings } from '../context';
import type { NotificationLimits } from '../fhir-subscriptions/delivery/notifications';
import type { SubscriptionLimits } from '../live-queries/change-feeds';
import type { CacheOutcome } from '../search-execution/page/search-result-cache';
import type { Limits } from '../limits/size-limits';
import type { DatabaseOptions, Lane } from '../storage/connection/database';
import type { ReplicaOutcome } from '../storage/replicas/replicas';
import type { StoreName } from '../storage/content/contents';

/** Callbacks for metrics. They never receive a tenant, an id or a value. */
export interface Instruments {
  statement(lane: Lane, milliseconds: number): void;
  batched(kind: 'read' | 'search' | 'write', members: number): void;
  cacheLookup(outcome: 'hit' | 'miss' | 'unreachable'): void;
  cachedSearch(outcome: CacheOutcome): void;
  /** A statement or snapshot that was sent to a replica. */
  replicaRead(outcome: ReplicaOutcome): void;
  /** A notification of a Subscription; the milliseconds from the change to a first attempt. */
  notified(ending: 'delivered' | 'failed', delayMs: number | undefined): void;
}

export interface AuditSettings {
  /** The recorded accesses: all of them, changes and refusals only, or none. */
  readonly records: 'on' | 'writes' | 'off';
  /** True: in open mode, all callers may read AuditEvents. */
  readonly isOpen: boolean;
}

/** Where large content is stored. Stores whose settings are given stay readable. */
export interface ContentSettings {
  readonly store: StoreName;
  /** Where the files of exports of bulk data are stored. */
  readonly exports: 'none' | ExportStore;
  readonly folder: string | undefined;
  readonly endpoint: string | undefined;
  readonly bucket: string | undefined;
  readonly region: string;
  readonly keyId: string | undefined;
  readonly secret: string | undefined;
}

export interface CoreOptions {
  readonly database: DatabaseOptions;
  readonly content: ContentSettings;
  /**
   * At the start: how long to wait while another process migrates the database, a signal that ends the wait, and whether a
   * distributed database of untested versions is accepted.
   */
  readonly start?: {
    readonly waitMs?: number;
    readonly signal?: AbortSignal;
    readonly allowsUntestedCitus?: boolean;
  };
  readonly redis: RedisOptions;
  /** Public base addresses without a trailing slash: references below them are local. A change requires a reindex. */
  readonly publicUrls: readonly string[];
  /** The addresses below which absolute references are this server's own. */
  readonly ownAddresses: readonly string[];
  /** Names, IP addresses and networks of hosts that may be called although their addresses are not public. */
  readonly outboundAllowedHosts: readonly string[];
  readonly extensionBase: string;
  /**
   * Returns the base addresses of this server that client assertions may name; empty: none is certain, and
   * private_key_jwt is refused. Called each time, because the port may be known only once the server listens.
   */
  readonly assertionBases: () => readonly string[];
  /** Empty: a random key in the database is used. */
  readonly secretKeys: readonly string[];
  /** Defaults for tenants. */
  readonly tenantDefaults: TenantSettings;
  readonly authMode: AuthMode;
  /** Lifetime of an access token in seconds. */
  readonly tokenSeconds: number;
  /** Longest lifetime of an external issuer's token in seconds. */
  readonly outsideTokenSeconds: number;
  readonly limits: Limits & AsyncJobLimits & ExportLimits & SubscriptionLimits & NotificationLimits;
  /** Returns the public base address of this server, for addresses in notifications. */
  readonly publicBase: () => string;
  /** True: clients may request the plan of a search (`_explain`). */
  readonly explainsSearches: boolean;
  readonly audit: AuditSettings;
  /** True: in open mode, all callers may purge; otherwise only administrators may. */
  readonly isPurgeOpen: boolean;
  readonly log: Log;
  /** Undefined: no mail server is set. */
  readonly sendMail?: SendMail | undefined;
  readonly instruments?: Instruments;
}
