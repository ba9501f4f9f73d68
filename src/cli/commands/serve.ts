import { describeStart, loadSettings, misspelledSettings } from '../../config';
import { noteSource } from '../../config/setting-sources';
import type { Settings } from '../../config/settings';
import { planWorkers } from '../../config/workers';
import { isWorker } from '../../workers/worker-link';
import type { Arguments, Command } from '../command';
import { setHeapFlags } from '../heap-flags';
import { makeLog } from '../log';
import { endOnSignals, endOnUncaughtErrors } from '../process-end';
import { readProcessLimits } from '../process-limits';
import { toListenError } from '../service-failure';
import { startApp } from '../with-app';

/**
 * Runs the server with an existing PostgreSQL until a signal ends it: in this process, in workers, or as one of them. Resolves when
 * it listens.
 */
export async function runServer(): Promise<void> {
  setHeapFlags();
  if (isWorker()) {
    const { runWorker } = await import('../serve-worker.js');
    await runWorker();
    return;
  }
  const settings = loadSettings(process.env);
  const plan = planWorkers(settings, process.env);
  if (plan.count === 1) {
    await runAlone(settings);
    return;
  }
  const { runWorkers } = await import('../serve-workers.js');
  await runWorkers(settings, plan);
}

async function runAlone(settings: Settings): Promise<void> {
  const log = makeLog(settings);
  endOnUncaughtErrors(log);
  const starting = new AbortController();
  let stop = (): Promise<void> => Promise.resolve(starting.abort());
  endOnSignals({
    log,
    timeoutMs: settings.shutdown.delayMs + settings.shutdown.timeoutMs,
    stop: () => stop(),
  });
  process.on('SIGUSR2', () => log.warn('SIGUSR2 replaces workers, and this server has none (WORKERS)'));
  for (const line of misspelledSettings(process.env)) log.warn(line);
  const app = await startApp(settings, log, { signal: starting.signal, environment: process.env });
  stop = () => app.close();
  for (const warning of describeStart(settings, process.env, readProcessLimits()))
    log.warn({ host: settings.http.host }, warning);
  const { host, port } = await app.listen().catch((error: unknown) => {
    throw toListenError(error);
  });
  log.info({ host, port, startedMs: Math.round(performance.now()) }, 'listening');
  // Programs that start the server wait for this line.
  log.flush();
}

export const serve: Command = {
  name: 'serve',
  usage: '',
  summary: 'Run the server with an existing PostgreSQL and Redis, like npm start.',
  options: {
    workers: {
      ...{ type: 'string', value: 'N' },
      help: 'processes that share the port; auto: one for each core; default 1',
    },
  },
  examples: [
    { line: 'andiron serve', does: 'Run the server of the settings, on 127.0.0.1:3000.' },
    {
      line: 'andiron serve --workers auto',
      does: 'Use all cores: SIGUSR2 replaces its processes one after the other, without an interruption.',
    },
    {
      line: 'HOST=0.0.0.0 PORT=8080 andiron serve',
      does: 'Let other machines reach it on port 8080; clients then need credentials.',
    },
  ],
  async run({ options }: Arguments) {
    const { workers } = options;
    if (typeof workers === 'string') {
      process.env['WORKERS'] = workers;
      noteSource(['WORKERS'], '--workers');
    }
    await runServer();
  },
};
