import { createHmac } from 'node:crypto';
import { RedisCache } from '../cache/redis-cache';
import { baseContent } from '../conformance/base-resources';
import { rowRules, type RowRules } from '../search/parameters/row-rules';
import { RateLimiter } from '../limits/rate-limiter';
import { createHasher, type Hasher } from '../search/rows/hash';
import { Connections, type PrimaryConnections } from '../storage/connection/connections';
import type { DatabaseOptions } from '../storage/connection/database';
import { NodeConnections } from '../storage/nodes/node-connections';
import { Nodes } from '../storage/nodes/nodes';
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
  /** Those of the core, with the nodes of a distributed database. */
  readonly options: CoreOptions;
  readonly installation: Installation;
  /** Digest of the base conformance resources. */
  readonly baseDigest: string;
  readonly database: PrimaryConnections;
  /** Undefined: the database is not distributed. */
  readonly nodes: NodeConnections | undefined;
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
export async function createFoundation(given: CoreOptions): Promise<BaseServices> {
  const { log, instruments } = given;
  const base = baseContent(given.extensionBase);
  const { allowsUntestedCitus: allowsUntested, ...start } = given.start ?? {};
  const installation = await migrate({ database: given.database, base, log, ...start });
  const owners = new SpaceOwners();
  const open = (at: DatabaseOptions): Connections => {
    const connections = new Connections(at, log, installation.hasRowSecurity, (space) =>
      owners.tenantOf(space),
    );
    if (instruments !== undefined) connections.observe = (lane, ms) => instruments.statement(lane, ms);
    return connections;
  };
  const nodes = await Nodes.open(given.database, { allowsUntested });
  if (nodes !== undefined && (given.database.replicas ?? []).length > 0)
    throw new Error('FHIR_DATABASE_REPLICAS must be empty for a database that is distributed by Citus');
  const options = nodes === undefined ? given : { ...given, database: { ...given.database, nodes } };
  const primary = open(options.database);
  const distributed = nodes && new NodeConnections(primary, nodes, (node) => open(nodes.optionsOf(node)));
  const database = distributed ?? primary;
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
    options,
    nodes: distributed,
    replicas: createReplicas(options, installation, { database: primary, owners }),
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
