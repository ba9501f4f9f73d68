import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { cacheLookups, type Core, type Instruments } from './core';

/** The metrics that core reports, in the given registry. */
export function createInstruments(registry: Registry): Instruments {
  const statements = new Histogram({
    name: 'andiron_sql_statement_duration_seconds',
    help: 'Duration of SQL statements, including the wait for a connection, by lane',
    labelNames: ['lane'] as const,
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 10],
    registers: [registry],
  });
  const batchSizes = new Histogram({
    name: 'andiron_gathered_members',
    help: 'Reads, writes or searches of concurrent requests in one statement',
    labelNames: ['kind'] as const,
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers: [registry],
  });
  const cache = new Counter({
    name: 'andiron_cache_lookups_total',
    help: 'Lookups of costly answers in Redis, by outcome',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const searchLookups = new Counter({
    name: 'andiron_remembered_searches_total',
    help: 'Searches by the state of their entry in the search result cache: current, changed, or unknown',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const replicaReads = new Counter({
    name: 'andiron_replica_reads_total',
    help: 'Statements and snapshots sent to read replicas: answered there, or by the database because the replica was behind, ahead or busy, because recovery has cancelled it, or because the replica has failed',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const notifications = new Counter({
    name: 'andiron_notifications_total',
    help: 'Attempts to deliver notifications of Subscriptions, by their ending: delivered or failed',
    labelNames: ['ending'] as const,
    registers: [registry],
  });
  // Both are there from the start, so that a rate can be computed from the first one on.
  for (const ending of ['delivered', 'failed'] as const) notifications.inc({ ending }, 0);
  const delays = new Histogram({
    name: 'andiron_notification_delay_seconds',
    help: 'Time from a change to the first attempt to notify of it',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers: [registry],
  });
  return {
    statement: (lane, milliseconds) => statements.observe({ lane }, milliseconds / 1000),
    batched: (kind, members) => batchSizes.observe({ kind }, members),
    cacheLookup: (outcome) => cache.inc({ outcome }),
    cachedSearch: (outcome) => searchLookups.inc({ outcome }),
    replicaRead: (outcome) => replicaReads.inc({ outcome }),
    notified(ending, delayMs) {
      notifications.inc({ ending });
      if (delayMs !== undefined) delays.observe(delayMs / 1000);
    },
  };
}

/** Counts introspections by the source of their answer. */
export function countIntrospections(
  registry: Registry,
): (outcome: 'remembered' | 'built' | 'thread') => void {
  const introspections = new Counter({
    name: 'andiron_introspections_total',
    help: 'GraphQL introspections by the source of their answer: cached, made by the build, or run in a worker thread',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return (outcome) => introspections.inc({ outcome });
}

/** Counts the lookups in all caches of the process, when the metrics are requested. */
export function watchCaches(registry: Registry): void {
  registry.registerMetric(
    new Counter({
      name: 'andiron_process_cache_lookups_total',
      help: 'Lookups in the caches of this process, by cache and outcome',
      labelNames: ['cache', 'outcome'] as const,
      registers: [],
      collect() {
        this.reset();
        for (const [cache, { hits, misses }] of cacheLookups) {
          this.inc({ cache, outcome: 'hit' }, hits);
          this.inc({ cache, outcome: 'miss' }, misses);
        }
      },
    }),
  );
}

/** Gauges of the process, read when the metrics are requested: database connections, Subscriptions and live queries. */
export function watchCore(registry: Registry, core: Pick<Core, 'health'>): void {
  registry.registerMetric(
    new Gauge({
      name: 'andiron_subscriptions',
      help: 'Subscriptions that this process delivers, those whose last notification did not arrive, and those that are bound to WebSockets',
      labelNames: ['state'] as const,
      registers: [],
      collect() {
        const { running, failing, inError, bound } = core.health.notifications();
        this.set({ state: 'running' }, running);
        this.set({ state: 'failing' }, failing);
        this.set({ state: 'error' }, inError);
        this.set({ state: 'bound' }, bound);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'andiron_database_connections',
      help: 'Database connections by lane: total, idle, their limit, and statements that wait for one',
      labelNames: ['lane', 'state'] as const,
      registers: [],
      collect() {
        for (const [lane, { total, idle, waiting, limit }] of Object.entries(core.health.connections())) {
          this.set({ lane, state: 'total' }, total);
          this.set({ lane, state: 'idle' }, idle);
          this.set({ lane, state: 'waiting' }, waiting);
          this.set({ lane, state: 'limit' }, limit);
        }
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'andiron_replica_connections',
      help: 'Connections to read replicas by their place in FHIR_DATABASE_REPLICAS: total, idle, their limit, and reads that wait for one',
      labelNames: ['replica', 'state'] as const,
      registers: [],
      collect() {
        for (const [index, { total, idle, waiting, limit }] of core.health.replicaConnections().entries()) {
          const replica = String(index + 1);
          this.set({ replica, state: 'total' }, total);
          this.set({ replica, state: 'idle' }, idle);
          this.set({ replica, state: 'waiting' }, waiting);
          this.set({ replica, state: 'limit' }, limit);
        }
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'andiron_live_queries',
      help: 'Open live queries (GraphQL subscriptions)',
      registers: [],
      collect() {
        this.set(core.health.liveQueries().current);
      },
    }),
  );
  registry.registerMetric(
    new Counter({
      name: 'andiron_live_queries_begun_total',
      help: 'Live queries (GraphQL subscriptions) opened since the start of the process',
      registers: [],
      collect() {
        this.reset();
        this.inc(core.health.liveQueries().begun);
      },
    }),
  );
}
