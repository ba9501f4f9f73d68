/** The composition root: creates the server from the settings. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { PACKAGED_PAGES, type BuiltPages } from './built-pages';
import type { Settings } from './config/settings';
import { isAudienceKnown, ownAddresses } from './config/exposure';
import { planMemory } from './config/memory';
import {
  ByteBudget,
  createCore,
  loopbackAddresses,
  RELEASE_NAMES,
  type Core,
  type DatabaseOptions,
  type Log,
  type RedisOptions,
} from './core';
import { createGraphqlGateway } from './gateway';
import { countIntrospections, createInstruments, watchCaches, watchCore } from './instruments';
import { createImportJob } from './packages/import-job';
import { watchProcess } from './process-metrics';
import { endListener } from './rest/connections/listener-end';
import { createMetrics, listenForMetrics, type MetricsListener } from './rest/observation/metrics';
import { createRestServer } from './rest/server';
import { startTracing, type Environment } from './tracing';
import { warmUp } from './warm-up';
import { watchUnusedConnections } from './rest/connections/unused-connections';

/** A route of the router: `GET /w/:tenant/oidc/jwks`. */
export interface Route {
  readonly method: string;
  readonly pattern: string;
}

export interface App {
  readonly core: Core;
  /** All routes, once the server listens, except those of live queries and metrics. */
  readonly routes: readonly Route[];
  /** Resolves with the bound address: PORT may be 0. */
  listen(): Promise<{ host: string; port: number }>;
  /**
   * Says that it is not ready, stops to listen after SHUTDOWN_DELAY_MS, finishes open requests and closes all
   * connections.
   */
  close(): Promise<void>;
}

/** The environment of the process, beside its settings. */
export interface Surroundings {
  /** Environment variables, which may ask for traces (tracing.ts). */
  readonly environment?: Environment;
  /** Default: those of this package. */
  readonly pages?: BuiltPages;
}

/** The certificate authorities that a TLS connection trusts: those of the file, or by default those of Node.js. */
function toTrusted(caFile: string | undefined): { readonly ca?: string } {
  return caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') };
}

/** The settings of the connections to PostgreSQL. */
export function databaseOptions(settings: Settings): DatabaseOptions {
  return {
    host: settings.FHIR_DATABASE_HOST,
    port: settings.FHIR_DATABASE_PORT,
    database: settings.FHIR_DATABASE_NAME,
    user: settings.FHIR_DATABASE_USERNAME,
    password: settings.FHIR_DATABASE_PASSWORD,
    ssl: settings.FHIR_DATABASE_SSL && toTrusted(settings.FHIR_DATABASE_CA_FILE),
    statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
    connections: settings.DATABASE_CONNECTIONS,
  };
}

/** The settings of the connections to Redis. */
export function redisOptions(settings: Settings): RedisOptions {
  return {
    host: settings.REDIS_HOST,
    port: settings.REDIS_PORT,
    tls: settings.REDIS_TLS && toTrusted(settings.REDIS_CA_FILE),
    ...(settings.REDIS_USERNAME === undefined ? {} : { username: settings.REDIS_USERNAME }),
    ...(settings.REDIS_PASSWORD === undefined ? {} : { password: settings.REDIS_PASSWORD }),
  };
}

function toQuotas({ QUOTA_RESOURCES: maxResources, QUOTA_BYTES: maxBytes }: Settings): {
  readonly maxResources?: number;
  readonly maxBytes?: number;
} {
  return {
    ...(maxResources === undefined ? {} : { maxResources }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
}

async function warnOfOutdatedIndex(core: Core, log: Log): Promise<void> {
  const { spaces, madeWith, now, different } = await core.health.outdatedIndex();
  if (spaces === 0) return;
  log.warn(
    { spaces, madeWith, now },
    `the search index has other settings or definitions: it was made with ${different.join(', and with ')}; searches may be incomplete until andiron reindex has run`,
  );
}

/**
 * Migrates the database and creates the server, which does not listen yet.
 * `signal` cancels the wait for another process that migrates.
 * Throws if the database cannot be reached.
 */
export async function createApp(
  settings: Settings,
  log: Log = pino({ level: settings.LOG_LEVEL }),
  signal?: AbortSignal,
  { environment = {}, pages = PACKAGED_PAGES }: Surroundings = {},
): Promise<App> {
  const tracing = await startTracing(environment, log);
  const metrics = createMetrics();
  const extensionBase = settings.FHIR_EXTENSION_BASE;
  const quotas = toQuotas(settings);
  let { PORT: port } = settings;
  const takesAssertions = isAudienceKnown(settings);
  const assertionBases = (): readonly string[] => {
    if (!takesAssertions) return [];
    return settings.PUBLIC_URL.length > 0 ? settings.PUBLIC_URL : loopbackAddresses(port);
  };
  const memory = planMemory(settings);
  const core = await createCore({
    database: { ...databaseOptions(settings), quotas },
    start: { waitMs: settings.MIGRATION_WAIT_MS, ...(signal === undefined ? {} : { signal }) },
    redis: redisOptions(settings),
    publicUrls: settings.PUBLIC_URL,
    ownAddresses: ownAddresses(settings),
    assertionBases,
    publicBase: () => settings.PUBLIC_URL[0] ?? `http://localhost:${port}`,
    outboundAllowedHosts: settings.OUTBOUND_ALLOWED_HOSTS,
    extensionBase,
    secretKeys: settings.SECRET_KEYS,
    tenantDefaults: {
      validation: settings.VALIDATION,
      searchUnknown: settings.SEARCH_UNKNOWN,
      referentialIntegrity: settings.REFERENTIAL_INTEGRITY,
      conditionalDelete: settings.CONDITIONAL_DELETE,
      openedTypes: [],
      limits: {
        rates: { tenant: settings.RATE_LIMIT_TENANT, client: settings.RATE_LIMIT_CLIENT, clients: new Map() },
        ...(settings.MAX_REQUESTS_TENANT === undefined ? {} : { maxRequests: settings.MAX_REQUESTS_TENANT }),
        ...quotas,
        ...(settings.NOTIFICATION_HOSTS.length === 0
          ? {}
          : { notificationHosts: settings.NOTIFICATION_HOSTS }),
      },
    },
    authMode: settings.AUTH_MODE,
    tokenSeconds: settings.ACCESS_TOKEN_SECONDS,
    outsideTokenSeconds: settings.OUTSIDE_TOKEN_SECONDS,
    explainsSearches: settings.SEARCH_EXPLAIN === 'on',
    audit: { records: settings.AUDIT, isOpen: settings.AUDIT_OPEN === 'on' },
    isPurgeOpen: settings.PURGE_OPEN === 'on',
    limits: {
      maxDepth: settings.MAX_DEPTH,
      maxBodyBytes: settings.MAX_BODY_BYTES,
      maxBundleEntries: settings.MAX_BUNDLE_ENTRIES,
      maxPatchOperations: settings.MAX_PATCH_OPERATIONS,
      maxIndexRows: settings.MAX_INDEX_ROWS,
      pathTimeoutMs: settings.FHIRPATH_TIMEOUT_MS,
      contentProcessorMs: settings.CONTENT_PROCESSOR_MS,
      maxExpansionCodes: settings.MAX_EXPANSION_CODES,
      searchSortLimit: settings.SEARCH_SORT_LIMIT,
      maxWriteQueue: settings.MAX_WRITE_QUEUE,
      maxTenantSubscriptions: settings.MAX_TENANT_SUBSCRIPTIONS,
      versionCacheBytes: memory.versions,
      searchCacheBytes: memory.searches,
      maxAsyncJobs: settings.MAX_ASYNC_JOBS,
      asyncExpiryMs: settings.ASYNC_EXPIRY_MS,
      maxAnswerBytes: settings.MAX_BUNDLE_BYTES,
      maxSubscriptions: settings.MAX_SUBSCRIPTIONS,
      subscriptionQueueBytes: settings.SUBSCRIPTION_QUEUE_BYTES,
      subscriptionPollMs: settings.SUBSCRIPTION_POLL_MS,
      subscriptionStallMs: settings.SUBSCRIPTION_STALL_MS,
      subscriptionRetryMs: settings.SUBSCRIPTION_RETRY_MS,
      subscriptionEventsMs: settings.SUBSCRIPTION_EVENTS_MS,
    },
    log,
    instruments: createInstruments(metrics.registry),
  });
  watchCore(metrics.registry, core);
  watchCaches(metrics.registry);
  const sockets = {
    perConnection: settings.MAX_SUBSCRIPTIONS_PER_CONNECTION,
    pingMs: settings.SUBSCRIPTION_PING_MS,
    initTimeoutMs: settings.HEADERS_TIMEOUT_MS,
  };
  const gateway = await createGraphqlGateway({
    core,
    settings: {
      requestTimeoutMs: settings.REQUEST_TIMEOUT_MS,
      extensionBase,
      maxDepth: settings.MAX_DEPTH,
      parsedBytes: memory.parsed,
      subscriptions: sockets,
      pages,
      execution: {
        cost: settings.GRAPHQL_COST_LIMIT,
        snapshotMs: settings.GRAPHQL_SNAPSHOT_MS,
        introspection: settings.GRAPHQL_INTROSPECTION === 'on',
      },
      warm: RELEASE_NAMES.filter((release) => [release, 'all'].includes(settings.GRAPHQL_WARM)),
      trusted: settings.GRAPHQL_TRUSTED_DOCUMENTS,
      trustedOnly: settings.GRAPHQL_TRUSTED_ONLY === 'on',
      ...(settings.GRAPHQL_FEDERATION === 'off'
        ? {}
        : { subgraph: { isShareable: settings.GRAPHQL_FEDERATION === 'shareable' } }),
    },
    log,
    observeIntrospection: countIntrospections(metrics.registry),
    observeError: metrics.countError,
  });
  const stopping = new AbortController();
  const routes: Route[] = [];
  const budget = new ByteBudget(memory.underWay);
  core.jobs.administration.serve(
    'import-package',
    createImportJob({
      core,
      registry: settings.PACKAGE_REGISTRY,
      allowedHosts: settings.OUTBOUND_ALLOWED_HOSTS,
      ...{ extensionBase, budget, log },
      maxDepth: settings.MAX_DEPTH,
      maxFileBytes: settings.MAX_BODY_BYTES,
      maxPackedBytes: settings.MAX_BUNDLE_BYTES,
    }),
  );
  const server = createRestServer({
    core,
    settings: {
      host: settings.HOST,
      publicUrls: settings.PUBLIC_URL,
      trustProxy: settings.TRUST_PROXY,
      authMode: settings.AUTH_MODE,
      takesAssertions,
      patchByGet: settings.PATCH_BY_GET === 'on',
      corsOrigins: settings.CORS_ORIGINS,
      maxDepth: settings.MAX_DEPTH,
      connection: {
        headerBytes: settings.MAX_HEADER_BYTES,
        headers: settings.MAX_HEADERS,
        urlBytes: settings.MAX_URL_BYTES,
        headersTimeoutMs: settings.HEADERS_TIMEOUT_MS,
        arrivalTimeoutMs: settings.ARRIVAL_TIMEOUT_MS,
        connections: settings.MAX_CONNECTIONS,
        stallMs: settings.REQUEST_TIMEOUT_MS,
      },
      bodyLimits: { resource: settings.MAX_BODY_BYTES, bundle: settings.MAX_BUNDLE_BYTES },
      requestTimeoutMs: settings.REQUEST_TIMEOUT_MS,
      asyncTimeoutMs: settings.ASYNC_TIMEOUT_MS,
      sockets,
      pages,
    },
    budget,
    log,
    metrics,
    stopping: stopping.signal,
    isTraced: tracing !== undefined,
    register: (fastify) => gateway.register(fastify),
    onRoute: (method, pattern) => routes.push({ method, pattern }),
  });
  let metricsListener: MetricsListener | undefined;
  const closeUnused = watchUnusedConnections(server.server);
  watchProcess(metrics.registry, {
    ...{ core, budget, stopping: stopping.signal },
    listener: server.server,
    maxConnections: settings.MAX_CONNECTIONS,
  });
  return {
    core,
    routes,
    async listen() {
      await warnOfOutdatedIndex(core, log);
      if (settings.WARM_UP === 'on') await warmUp(core, gateway, log);
      await server.listen({ host: settings.HOST, port: settings.PORT });
      const address = server.server.address();
      if (typeof address === 'object' && address !== null) port = address.port;
      core.jobs.startWork();
      if (settings.METRICS_ADDRESS !== undefined) {
        metricsListener = await listenForMetrics(metrics, settings.METRICS_ADDRESS, log);
      }
      return { host: settings.HOST, port };
    },
    async close() {
      stopping.abort();
      // Another process has them from now on.
      const handedOver = core.jobs.requests.stop();
      // Commands have a server that does not listen.
      if (server.server.listening) {
        await delay(settings.SHUTDOWN_DELAY_MS);
        await endListener(server.server);
      }
      // A keep-alive connection is idle only after its last answer, so that one call would not close it.
      const sweep = setInterval(() => {
        server.server.closeIdleConnections();
        closeUnused();
      }, 20);
      try {
        await server.close();
      } finally {
        clearInterval(sweep);
      }
      await handedOver;
      await gateway.close();
      await metricsListener?.close();
      await core.close();
      await tracing?.stop();
    },
  };
}
