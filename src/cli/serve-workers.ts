/** The process that starts the workers of a server: it accepts connections for them, and serves their metrics. */
import { describeStart, misspelledSettings } from '../config';
import type { Settings } from '../config/settings';
import { shareOf, type WorkerPlan } from '../config/workers';
import { createSupervisor, startWorkers } from '../workers/start-workers';
import { makeLog } from './log';
import { endOnSignals, endOnUncaughtErrors } from './process-end';
import { readProcessLimits } from './process-limits';

/** The workers say by themselves, and before, that they took too long. */
const MARGIN_MS = 2_000;

/** Resolves when all workers listen. */
export async function runWorkers(settings: Settings, plan: WorkerPlan): Promise<void> {
  const log = makeLog(settings);
  endOnUncaughtErrors(log);
  for (const line of misspelledSettings(process.env)) log.warn(line);
  for (const warning of describeStart(shareOf(settings, plan.count), process.env, readProcessLimits()))
    log.warn({ host: settings.http.host }, warning);
  const supervisor = createSupervisor({ settings, plan, environment: process.env, log });
  endOnSignals({
    log,
    timeoutMs: settings.shutdown.delayMs + settings.shutdown.timeoutMs + MARGIN_MS,
    stop: () => supervisor.stop(),
  });
  const address = await startWorkers(supervisor, { settings, log });
  log.info({ ...address, workers: plan.count, startedMs: Math.round(performance.now()) }, 'listening');
  // Programs that start the server wait for this line.
  log.flush();
}
