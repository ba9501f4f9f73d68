import { getHeapStatistics } from 'node:v8';
import { heapOfWorker } from '../config/memory';
import { ENVIRONMENT_FILE, sourceOf, sourcesOfSettings } from '../config/setting-sources';
import type { Settings } from '../config/settings';
import type { WorkerPlan } from '../config/workers';
import type { Log } from '../core';
import { listenForMetrics } from '../rest/observation/metrics';
import { type Address, Supervisor } from './supervisor';

/** A worker ends by itself before this. */
const END_MARGIN_MS = 5_000;

export interface WorkersOptions {
  readonly settings: Settings;
  readonly plan: WorkerPlan;
  /** Variables for the workers. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** Each worker reads the file by itself, so that a reload takes its changes. */
function withoutFile(environment: WorkersOptions['environment']): WorkersOptions['environment'] {
  const ofFile = Object.keys(environment).filter((name) => sourceOf(name) === ENVIRONMENT_FILE);
  return { ...environment, ...Object.fromEntries(ofFile.map((name) => [name, undefined])) };
}

/** Returns the supervisor of the workers of a plan, which does not start them yet. */
export function createSupervisor({ settings, plan, environment, log }: WorkersOptions): Supervisor {
  const { count, connections, notices } = plan;
  const heapMb = heapOfWorker(getHeapStatistics().heap_size_limit, count);
  for (const notice of notices) log.warn({}, notice);
  log.info(
    { workers: count, connections, heapMb },
    'starting the workers; connections and heap are those of each',
  );
  const endMs = settings.http.requestTimeoutMs + settings.shutdown.timeoutMs + END_MARGIN_MS;
  const { host, port } = settings.http;
  return new Supervisor({
    ...{ count, heapMb, endMs, sources: sourcesOfSettings(), log },
    // Also where the file `.env` has others by now: a worker that listened elsewhere would take the server away from its clients.
    environment: { ...withoutFile(environment), HOST: host, PORT: String(port) },
  });
}

/** Starts the workers, serves their metrics, and replaces them on SIGUSR2. Resolves when all of them listen. */
export async function startWorkers(
  supervisor: Supervisor,
  { settings, log }: Pick<WorkersOptions, 'settings' | 'log'>,
): Promise<Address> {
  const started = supervisor.start();
  process.on('SIGUSR2', () => {
    started.then(
      () => supervisor.reload(),
      () => undefined,
    );
  });
  const address = await started;
  if (settings.metrics.address !== undefined)
    await listenForMetrics(supervisor.metrics, settings.metrics.address, log);
  return address;
}
