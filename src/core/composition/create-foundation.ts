import { createHmac } from 'node:crypto';
import { RedisCache } from '../cache/redis-cache';
import { baseContent } from '../conformance/base-resources';
import { rowRules, type RowRules } from '../search/parameters/row-rules';
import { RateLimiter } from '../limits/rate-limiter';
import { createHasher, type Hasher } from '../search/rows/hash';
import { Connections } from '../storage/connection/connections';
import { RowRecord } from '../storage/indexing/row-record';
import { readSearchParameters } from '../storage/indexing/search-parameters';
import { migrate, type Installation } from '../storage/schema/migrate';
import { SpaceOwners } from '../storage/tenants/space-owners';
import { TenantStore } from '../storage/tenants/tenants';
import { StoredBuckets } from '../storage/tenants/token-buckets';
import { Replica } from '../storage/replicas/replica';
import { Replicas } from '../storage/replicas/replicas';
import { Spaces } from '../tenants/spaces';
import type { CoreOptions } from './core-options';

/** The parts of core that need no other: database, Redis and tenants. */
export interface BaseServices {
  readonly installation: Installation;
  /** Digest of the base conformance resources. */
  readonly baseDigest: string;
  readonly database: Connections;
  /** Undefined: the database has none that is used. */
  readonly replicas: Replicas | undefined;
  readonly cache: RedisCache;
  readonly hasher: Hasher;
  /** A hash with the key of the installation. */
  readonly digest: (text: string) => Buffer;
  /** Counts requests: in Redis for all processes, and while it is away in each by itself. */
  readonly rates: RateLimiter;
  /** Counts wrong credentials, in PostgreSQL for all processes. */
  readonly guesses: RateLimiter;
  /** The indexing rules of this process, and with which rules the rows of spaces were made. */
  readonly rules: RowRules;
  readonly record: RowRecord;
  readonly tenants: TenantStore;
  readonly spaces: Spaces;
}

/** Opens the database and brings it to this program's schema. Cost: under a second with an existing database. */
export async function createFoundation(options: CoreOptions): Promise<BaseServices> {
  const { log, instruments } = options;
  const base = baseContent(options.extensionBase);
  const installation = await migrate({ database: options.database, base, log, ...options.start });
  const owners = new SpaceOwners();
  const database = new Connections(options.database, log, installation.hasRowSecurity, (space) =>
    owners.tenantOf(space),
  );
  if (instruments !== undefined) database.observe = (lane, ms) => instruments.statement(lane, ms);
  const cache = new RedisCache(
    options.redis,
    `andiron:${installation.id}:${options.database.database}`,
    log,
    (outcome) => instruments?.cacheLookup(outcome),
  );
  const digest = (text: string): Buffer =>
    createHmac('sha256', installation.hashKey).update(text, 'utf8').digest();
  const nameOf = (name: string): string => digest(name).toString('base64url');
  const failures = new StoredBuckets(database);
  const rules = rowRules(options.ownAddresses);
  const tenants = new TenantStore(database, options.database, owners);
  const spaces = new Spaces(
    tenants,
    (tenant) => cache.announce({ kind: 'tenant-changed', subject: tenant }),
    options.tenantDefaults,
    async (space) => (await readSearchParameters(database, space)).map(({ parameter }) => parameter),
  );
  return {
    replicas: createReplicas(options, installation, { database, owners }),
    ...{ installation, database, cache, digest, rules, tenants, spaces },
    baseDigest: base.digest,
    hasher: createHasher(installation.hashKey),
    rates: new RateLimiter({
      ...{ name: 'rate-limits', digest: nameOf },
      take: (request) => cache.takeTokens(request),
    }),
    guesses: new RateLimiter({
      ...{ name: 'credential-guesses', digest: nameOf },
      take: (request) => failures.take(request),
    }),
    record: new RowRecord(database, rules),
  };
}

function createReplicas(
  { database: options, log, instruments }: CoreOptions,
  { hasRowSecurity }: Installation,
  { database, owners }: { readonly database: Connections; readonly owners: SpaceOwners },
): Replicas | undefined {
  const { replicas = [] } = options;
  if (replicas.length === 0) return undefined;
  const tenantOf = (space: number): number => owners.tenantOf(space);
  const each = replicas.map(
    (address, index) =>
      new Replica(options, { ...address, place: index + 1 }, { log, hasRowSecurity, tenantOf }),
  );
  return new Replicas(database, each, (outcome) => instruments?.replicaRead(outcome));
}
