/** What core is made with. */
import type { AuditSettings } from './create-audit';
import type { AuthMode } from '../oauth/authentication';
import type { AsyncJobLimits } from '../jobs/async-jobs';
import type { RedisOptions } from '../cache/redis-cache';
import type { Log, TenantSettings } from '../context';
import type { FollowingLimits } from '../subscriptions/change-feeds';
import type { MemoryOutcome } from '../search-execution/page/search-result-cache';
import type { Limits } from '../limits/size-limits';
import type { DatabaseOptions, Lane } from '../storage/connection/database';

/** What core reports of its work, for metrics. Never a tenant, an id or a value. */
export interface Instruments {
  statement(lane: Lane, milliseconds: number): void;
  gathered(kind: 'read' | 'search' | 'write', members: number): void;
  cacheLookup(outcome: 'hit' | 'miss' | 'unreachable'): void;
  rememberedSearch(outcome: MemoryOutcome): void;
}

export interface CoreOptions {
  readonly database: DatabaseOptions;
  /** Of the start: how long it waits for another process that brings the database to its schema, and what ends that. */
  readonly start?: { readonly waitMs?: number; readonly signal?: AbortSignal };
  readonly redis: RedisOptions;
  /** Public base addresses without a trailing slash: references under them are ours. Changing them means a reindex. */
  readonly publicUrls: readonly string[];
  /** Names, IP addresses and networks of hosts that may be called although their addresses are not public. */
  readonly outboundAllowedHosts: readonly string[];
  readonly extensionBase: string;
  /**
   * Base addresses under which clients may mean this server when they sign for themselves; empty: none is certain, and
   * private_key_jwt is refused. Asked for each time, because the port may be known only once the server listens.
   */
  readonly assertionBases: () => readonly string[];
  /** Empty: the random key that the database keeps. */
  readonly secretKeys: readonly string[];
  /** For tenants that do not set them. */
  readonly tenantDefaults: TenantSettings;
  readonly authMode: AuthMode;
  /** Seconds for which an access token is good. */
  readonly tokenSeconds: number;
  /** Seconds for which a token of an issuer elsewhere may be good. */
  readonly outsideTokenSeconds: number;
  readonly limits: Limits & AsyncJobLimits & FollowingLimits;
  /** Whether clients may ask how a search is answered (`_explain`). */
  readonly explainsSearches: boolean;
  readonly audit: AuditSettings;
  /** Whether everybody may purge where nobody need say who asks; else administrators alone. */
  readonly isPurgeOpen: boolean;
  readonly log: Log;
  readonly instruments?: Instruments;
}
