/** What core is made with. */
import type { AuditSettings } from './access/create-audit';
import type { AuthMode } from './access/authentication';
import type { AsyncJobLimits } from './async-jobs';
import type { RedisOptions } from './cache/redis-cache';
import type { Log, TenantSettings } from './context';
import type { FollowingLimits } from './following/change-feeds';
import type { MemoryOutcome } from './interactions/search-memory';
import type { Limits } from './services';
import type { DatabaseOptions, Lane } from './storage/database';

/** What core reports of its work, for metrics. Never a tenant, an id or a value. */
export interface Instruments {
  statement(lane: Lane, milliseconds: number): void;
  gathered(kind: 'read' | 'search' | 'write', members: number): void;
  cacheLookup(outcome: 'hit' | 'miss' | 'unreachable'): void;
  rememberedSearch(outcome: MemoryOutcome): void;
}

export interface CoreOptions {
  readonly database: DatabaseOptions;
  readonly redis: RedisOptions;
  /** Public base addresses without a trailing slash: references under them are ours. Changing them means a reindex. */
  readonly publicUrls: readonly string[];
  readonly extensionBase: string;
  /** Empty: the random key that the database keeps. */
  readonly secretKeys: readonly string[];
  /** For tenants that do not set them. */
  readonly tenantDefaults: TenantSettings;
  readonly authMode: AuthMode;
  /** Seconds for which an access token is good. */
  readonly tokenSeconds: number;
  readonly limits: Limits & AsyncJobLimits & FollowingLimits;
  /** Whether clients may ask how a search is answered (`_explain`). */
  readonly explainsSearches: boolean;
  readonly audit: AuditSettings;
  /** Whether everybody may purge where nobody need say who asks; else administrators alone. */
  readonly isPurgeOpen: boolean;
  readonly log: Log;
  readonly instruments?: Instruments;
}
