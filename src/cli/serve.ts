import { describeStart, loadSettings, misspelledSettings } from '../config';
import type { Command } from './command';
import { setHeapFlags } from './heap-flags';
import { makeLog } from './log';
import { endOnSignals, endOnUncaughtErrors } from './process-end';
import { readProcessLimits } from './process-limits';
import { toListenError } from './service-failure';
import { startApp } from './with-app';

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
    timeoutMs: settings.shutdown.delayMs + settings.shutdown.timeoutMs,
    stop: () => stop(),
  });
  for (const line of misspelledSettings(process.env)) log.warn(line);
  const app = await startApp(settings, log, starting.signal, process.env);
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
  examples: [
    { line: 'andiron serve', does: 'Run the server of the settings, on 127.0.0.1:3000.' },
    {
      line: 'HOST=0.0.0.0 PORT=8080 andiron serve',
      does: 'Let other machines reach it on port 8080; clients then need credentials.',
    },
  ],
  run: runServer,
};
