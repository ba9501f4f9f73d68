import { isLoopback, loadSettings } from '../config';
import type { Command } from './command';
import { setHeapFlags } from './heap-flags';
import { makeLog } from './log';
import { endOnSignals, endOnUncaughtErrors } from './process-end';

/** Runs the server against an existing PostgreSQL until a signal ends it. Resolves when it listens. */
export async function runServer(): Promise<void> {
  setHeapFlags();
  const settings = loadSettings(process.env);
  const log = makeLog(settings);
  endOnUncaughtErrors(log);
  let stop = (): Promise<void> => Promise.resolve();
  endOnSignals({ log, timeoutMs: settings.SHUTDOWN_TIMEOUT_MS, stop: () => stop() });
  const { createApp } = await import('../app.js');
  const app = await createApp(settings, log);
  stop = () => app.close();
  if (settings.AUTH_MODE === 'open' && !isLoopback(settings.HOST)) {
    log.warn(
      { host: settings.HOST },
      'AUTH_MODE=open: everyone who reaches this address can read and write everything',
    );
  }
  const { host, port } = await app.listen();
  log.info({ host, port, startedMs: Math.round(performance.now()) }, 'listening');
  // Whoever starts the server waits for this line.
  log.flush();
}

export const serve: Command = {
  name: 'serve',
  usage: '',
  summary: 'Run the server against an existing PostgreSQL and Redis, as npm start does.',
  run: runServer,
};
