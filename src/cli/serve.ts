import { describeStart, loadSettings } from '../config';
import type { Command } from './command';
import { setHeapFlags } from './heap-flags';
import { makeLog } from './log';
import { endOnSignals, endOnUncaughtErrors } from './process-end';
import { readProcessLimits } from './process-limits';

/** Runs the server with an existing PostgreSQL until a signal ends it. Resolves when it listens. */
export async function runServer(): Promise<void> {
  setHeapFlags();
  const settings = loadSettings(process.env);
  const log = makeLog(settings);
  endOnUncaughtErrors(log);
  const starting = new AbortController();
  let stop = (): Promise<void> => Promise.resolve(starting.abort());
  endOnSignals({
    log,
    timeoutMs: settings.SHUTDOWN_DELAY_MS + settings.SHUTDOWN_TIMEOUT_MS,
    stop: () => stop(),
  });
  const { createApp } = await import('../app.js');
  const app = await createApp(settings, log, starting.signal);
  stop = () => app.close();
  for (const warning of describeStart(settings, process.env, readProcessLimits()))
    log.warn({ host: settings.HOST }, warning);
  const { host, port } = await app.listen();
  log.info({ host, port, startedMs: Math.round(performance.now()) }, 'listening');
  // Programs that start the server wait for this line.
  log.flush();
}

export const serve: Command = {
  name: 'serve',
  usage: '',
  summary: 'Run the server with an existing PostgreSQL and Redis, like npm start.',
  run: runServer,
};
