/** Gauges of the process beside those of its requests, read when the metrics are requested. */
import type { Server } from 'node:net';
import { totalmem } from 'node:os';
import { constrainedMemory, versions } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { Gauge, type Registry } from 'prom-client';
import { isLeaving } from './rest/connections/stopping';
import { PROGRAM_SCHEMA, VERSION, type ByteBudget, type Core } from './core';

/** The parts of a server that are watched. */
export interface WatchedProcess {
  readonly core: Pick<Core, 'health' | 'jobs'>;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  readonly budget: Pick<ByteBudget, 'used' | 'limit'>;
  readonly listener: Server;
  /** Limit on the connections of clients. */
  readonly maxConnections: number;
}

/** A database that does not answer must not delay the other metrics for longer. */
const READINESS_WAIT_MS = 500;

export function watchProcess(registry: Registry, watched: WatchedProcess): void {
  watchReadiness(registry, watched);
  watchMemory(registry, watched.budget);
  watchClients(registry, watched);
  describeBuild(registry);
  const { core } = watched;
  registry.registerMetric(
    new Gauge({
      name: 'andiron_redis_reachable',
      help: '1 while Redis answers, else 0: answers are computed each time, and rates are counted in PostgreSQL',
      aggregator: 'min',
      registers: [],
      collect() {
        this.set(core.health.isRedisReachable() ? 1 : 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'andiron_async_jobs',
      help: 'Asynchronous requests in this process: running, and unsaved, whose result is not in the database yet. Those that wait are in the database only',
      labelNames: ['state'] as const,
      registers: [],
      collect() {
        const { running, unsaved } = core.jobs.requests.counts();
        this.set({ state: 'running' }, running);
        this.set({ state: 'unsaved' }, unsaved);
      },
    }),
  );
}

/** Cost of a reading: that of a request to /health/ready, whose answer is shared if there is one at this moment. */
function watchReadiness(registry: Registry, { core, stopping }: WatchedProcess): void {
  let isReady = false;
  const ask = async (): Promise<void> => {
    isReady = (await core.health.readiness()).ready;
  };
  registry.registerMetric(
    new Gauge({
      name: 'andiron_ready',
      help: '1 if /health/ready answers 200, 0 if it answers 503. While the database does not answer for half a second, the last known state',
      aggregator: 'min',
      registers: [],
      async collect() {
        // A late answer is the value of the next reading.
        await Promise.race([ask(), delay(READINESS_WAIT_MS, undefined, { ref: false })]);
        this.set(isReady && !isLeaving(stopping) ? 1 : 0);
      },
    }),
  );
}

function watchMemory(registry: Registry, budget: WatchedProcess['budget']): void {
  registry.registerMetric(
    new Gauge({
      name: 'andiron_bytes_under_way',
      help: 'Estimated memory of the bodies and answers of open requests, in bytes',
      registers: [],
      collect() {
        this.set(budget.used);
      },
    }),
  );
  const constants = {
    andiron_bytes_under_way_limit: [
      'Limit on andiron_bytes_under_way (MAX_BYTES_UNDER_WAY); beyond it requests are answered with 503',
      budget.limit,
    ],
    andiron_heap_limit_bytes: [
      'Greatest size of the heap of V8 (--max-old-space-size), without those of worker threads',
      getHeapStatistics().heap_size_limit,
    ],
  } as const;
  for (const [name, [help, value]] of Object.entries(constants))
    new Gauge({ name, help, registers: [registry] }).set(value);
  const memory = new Gauge({
    name: 'andiron_memory_limit_bytes',
    help: 'Memory that the process may use: the limit of its container or unit, else that of the machine',
    aggregator: 'first',
    registers: [registry],
  });
  memory.set(memoryLimit());
}

/** libuv gives 0 or a huge number where there is no limit. */
function memoryLimit(): number {
  const constrained = constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

function watchClients(registry: Registry, { listener, maxConnections }: WatchedProcess): void {
  registry.registerMetric(
    new Gauge({
      name: 'andiron_client_connections',
      help: 'Open connections of clients, also idle ones',
      registers: [],
      async collect() {
        this.set(await countConnections(listener));
      },
    }),
  );
  const limit = new Gauge({
    name: 'andiron_client_connections_limit',
    help: 'Limit on the connections of clients (MAX_CONNECTIONS); further ones are closed',
    registers: [registry],
  });
  limit.set(maxConnections);
}

function countConnections(listener: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    listener.getConnections((error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    }),
  );
}

function describeBuild(registry: Registry): void {
  const info = new Gauge({
    name: 'andiron_build_info',
    help: 'Always 1; the labels are the version of the program, that of Node.js, and the schema number of the program',
    labelNames: ['version', 'node', 'schema'] as const,
    aggregator: 'first',
    registers: [registry],
  });
  info.set({ version: VERSION, node: versions.node, schema: String(PROGRAM_SCHEMA) }, 1);
}
