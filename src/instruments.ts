import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Core, Instruments } from './core';

/** What core reports of its work, as metrics of the given registry. */
export function createInstruments(registry: Registry): Instruments {
  const statements = new Histogram({
    name: 'andiron_sql_statement_duration_seconds',
    help: 'Time of SQL statements, the wait for a connection included, by lane',
    labelNames: ['lane'] as const,
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 10],
    registers: [registry],
  });
  const gathered = new Histogram({
    name: 'andiron_gathered_members',
    help: 'Reads or writes of concurrent requests that went into one statement',
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
  const remembered = new Counter({
    name: 'andiron_remembered_searches_total',
    help: 'Searches by what became of the answer that the process remembers: current, changed, or unknown',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return {
    statement: (lane, milliseconds) => statements.observe({ lane }, milliseconds / 1000),
    gathered: (kind, members) => gathered.observe({ kind }, members),
    cacheLookup: (outcome) => cache.inc({ outcome }),
    rememberedSearch: (outcome) => remembered.inc({ outcome }),
  };
}

/** Tells where the answers to introspections came from. */
export function countIntrospections(
  registry: Registry,
): (outcome: 'remembered' | 'built' | 'thread') => void {
  const introspections = new Counter({
    name: 'andiron_introspections_total',
    help: 'GraphQL introspections by where their answer came from: remembered, made with the server, or worked out by a thread',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return (outcome) => introspections.inc({ outcome });
}

/** What the process has just now, read when it is asked for: database connections, and live queries. */
export function watchCore(registry: Registry, core: Pick<Core, 'connections' | 'liveQueries'>): void {
  registry.registerMetric(
    new Gauge({
      name: 'andiron_database_connections',
      help: 'Database connections by lane: in all, idle, and statements that wait for one',
      labelNames: ['lane', 'state'] as const,
      registers: [],
      collect() {
        for (const [lane, { total, idle, waiting }] of Object.entries(core.connections())) {
          this.set({ lane, state: 'total' }, total);
          this.set({ lane, state: 'idle' }, idle);
          this.set({ lane, state: 'waiting' }, waiting);
        }
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'andiron_live_queries',
      help: 'Live queries (GraphQL subscriptions) that are followed',
      registers: [],
      collect() {
        this.set(core.liveQueries().current);
      },
    }),
  );
  registry.registerMetric(
    new Counter({
      name: 'andiron_live_queries_begun_total',
      help: 'Live queries (GraphQL subscriptions) that have been followed since the process began',
      registers: [],
      collect() {
        this.reset();
        this.inc(core.liveQueries().begun);
      },
    }),
  );
}
