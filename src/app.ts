/** The composition root: creates the server from the settings. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { PACKAGED_PAGES, type BuiltPages } from './built-pages';
import { codeSystemReader } from './code-systems/formats';
import { settingsInForce } from './config';
import type { Settings } from './config/settings';
import { isAudienceKnown, ownAddresses } from './config/exposure';
import { planMemory } from './config/memory';
import {
  ByteBudget,
  createCore,
  loopbackAddresses,
  type Core,
  type DatabaseOptions,
  type Log,
  type RedisOptions,
} from './core';
import { createGraphqlGateway } from './gateway';
import { countIntrospections, createInstruments, watchCaches, watchCore } from './instruments';
import { createMailer } from './mail';
import { createImportJob } from './packages/import-job';
import { watchProcess } from './process-metrics';
import { describeProcess } from './process-report';
import { endListener, leavePort } from './rest/connections/listener-end';
import { createMetrics, listenForMetrics, type MetricsListener } from './rest/observation/metrics';
import { REPLACED } from './rest/connections/stopping';
import { createRestServer } from './rest/server';
import { startTracing, type Environment } from './tracing';
import { warmUp } from './warm-up';
import { closeIdleConnectionsWhenSent, watchUnusedConnections } from './rest/connections/unused-connections';
import type { Metrics } from './workers/messages';

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
  /** The metrics of this process, with their values. */
  metrics(): Promise<Metrics>;
  /**
   * Says that it is not ready, stops to listen after SHUTDOWN_DELAY_MS, finishes open requests and closes all
   * connections. `isReplaced`: another process serves the same port, so that clients need not go elsewhere.
   */
  close(options?: { readonly isReplaced?: boolean }): Promise<void>;
}

/** The environment of the process, beside its settings. */
export interface Surroundings {
  /** Environment variables, which may ask for traces (tracing.ts). */
  readonly environment?: Environment;
  /** Default: those of this package. */
  readonly pages?: BuiltPages;
  /** True: another process accepts the connections of the port, and serves the metrics. */
  readonly isWorker?: boolean;
}

/** The certificate authorities that a TLS connection trusts: those of the file, or by default those of Node.js. */
function toTrusted(caFile: string | undefined): { readonly ca?: string } {
  return caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') };
}

/** The settings of the connections to PostgreSQL. */
export function databaseOptions({ database, tenantLimits }: Settings): DatabaseOptions {
  const { caFile, ...options } = database;
  return { ...options, ssl: options.ssl && toTrusted(caFile), quotas: tenantLimits };
}

/** The settings of the connections to Redis. */
export function redisOptions({ redis }: Settings): RedisOptions {
  const { username, password, host, port, cluster, sentinels } = redis;
  const common = { username, password, tls: redis.tls && toTrusted(redis.caFile) };
  if (cluster.length > 0) return { cluster, ...common };
  if (sentinels.length === 0) return { host, port, ...common };
  const { sentinelName: master, sentinelUsername, sentinelPassword } = redis;
  return { sentinels, master, sentinelUsername, sentinelPassword, ...common };
}

/** Undefined: no mail server is set. */
function toMailer({ url, from }: Settings['mail']): ReturnType<typeof createMailer> | undefined {
  return url === undefined || from === undefined ? undefined : createMailer({ url, from });
}

async function warnOfOutdatedIndex(core: Core, log: Log): Promise<void> {
  const { spaces, madeWith, now, different } = await core.health.outdatedIndex();
  if (spaces === 0) return;
  log.warn(
    { spaces, madeWith, now },
    `the search index has other settings or definitions: it was made with ${different.join(', and with ')}; searches may be incomplete until npx --no-install andiron reindex has run`,
  );
}

/**
 * Migrates the database and creates the server, which does not listen yet.
 * `signal` cancels the wait for another process that migrates.
 * Throws if the database cannot be reached.
 */
export async function createApp(
  settings: Settings,
  log: Log = pino(settings.log),
  signal?: AbortSignal,
  { environment = {}, pages = PACKAGED_PAGES, isWorker = false }: Surroundings = {},
): Promise<App> {
  const tracing = await startTracing(environment, log);
  const metrics = createMetrics();
  const { http, limits, tenantDefaults, tenantLimits, connection } = settings;
  const { extensionBase, outboundAllowedHosts, authMode } = settings.core;
  const { publicUrls, requestTimeoutMs } = http;
  let { port } = http;
  const takesAssertions = isAudienceKnown(settings);
  const assertionBases = (): readonly string[] => {
    if (!takesAssertions) return [];
    return publicUrls.length > 0 ? publicUrls : loopbackAddresses(port);
  };
  const { bytesUnderWay, parsedBytes, ...caches } = planMemory(settings.memory);
  const core = await createCore({
    ...settings.core,
    database: databaseOptions(settings),
    content: settings.content,
    start: {
      waitMs: settings.start.waitMs,
      allowsUntestedCitus: settings.start.allowsUntestedCitus,
      ...(signal === undefined ? {} : { signal }),
    },
    redis: redisOptions(settings),
    publicUrls,
    ownAddresses: ownAddresses(settings),
    assertionBases,
    publicBase: () => publicUrls[0] ?? `http://localhost:${port}`,
    tenantDefaults: {
      ...tenantDefaults,
      openedTypes: [],
      limits: { ...tenantLimits, rates: { ...settings.rates, clients: new Map() } },
    },
    audit: settings.audit,
    limits: { ...limits, ...caches, maxAnswerBytes: limits.maxBundleBytes },
    log,
    sendMail: toMailer(settings.mail),
    instruments: createInstruments(metrics.registry),
  });
  watchCore(metrics.registry, core);
  watchCaches(metrics.registry);
  const sockets = { ...settings.sockets, initTimeoutMs: connection.headersTimeoutMs };
  const gateway = await createGraphqlGateway({
    core,
    settings: {
      ...settings.graphql,
      ...{ requestTimeoutMs, extensionBase, maxDepth: limits.maxDepth, parsedBytes, pages },
      subscriptions: sockets,
      execution: settings.execution,
    },
    log,
    observeIntrospection: countIntrospections(metrics.registry),
    observeError: metrics.countError,
  }).catch(async (error: unknown) => {
    // The caller has nothing yet that it could close.
    await core.close();
    await tracing?.stop();
    throw error;
  });
  const stopping = new AbortController();
  const routes: Route[] = [];
  const budget = new ByteBudget(bytesUnderWay);
  core.jobs.administration.serve(
    'import-package',
    createImportJob({
      core,
      registry: settings.packages.registry,
      allowedHosts: outboundAllowedHosts,
      ...{ extensionBase, budget, log },
      maxDepth: limits.maxDepth,
      maxFileBytes: limits.maxBodyBytes,
      maxPackedBytes: limits.maxBundleBytes,
    }),
  );
  core.jobs.imports.serve(codeSystemReader);
  const server = createRestServer({
    core,
    settings: {
      ...http,
      ...{ authMode, takesAssertions, maxDepth: limits.maxDepth, sockets, pages },
      connection: { ...connection, stallMs: requestTimeoutMs },
      inForce: settingsInForce(settings, environment),
      transfers: settings.transfers,
      bodyLimits: { resource: limits.maxBodyBytes, bundle: limits.maxBundleBytes },
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
  closeIdleConnectionsWhenSent(server.server);
  watchProcess(metrics.registry, {
    ...{ core, budget, stopping: stopping.signal },
    listener: server.server,
    maxConnections: connection.connections,
  });
  return {
    core,
    routes,
    async listen() {
      await warnOfOutdatedIndex(core, log);
      if (settings.start.warmsUp) await warmUp(core, gateway, log);
      await server.listen({ host: http.host, port: http.port });
      const address = server.server.address();
      if (typeof address === 'object' && address !== null) port = address.port;
      core.jobs.startWork();
      core.health.report(() => describeProcess({ core, metrics, port }));
      const { address: metricsAddress } = settings.metrics;
      if (metricsAddress !== undefined && !isWorker)
        metricsListener = await listenForMetrics(metrics.registry, metricsAddress, log);
      return { host: http.host, port };
    },
    metrics: () => metrics.registry.getMetricsAsJSON(),
    async close({ isReplaced = false } = {}) {
      stopping.abort(isReplaced ? REPLACED : undefined);
      // Another process has them from now on.
      const handedOver = core.jobs.requests.stop();
      // Commands have a server that does not listen.
      if (server.server.listening) {
        if (!isReplaced) await delay(settings.shutdown.delayMs);
        if (isReplaced) await leavePort(server.server);
        // Another process has the connections that wait for a worker.
        else if (!isWorker) await endListener(server.server);
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
