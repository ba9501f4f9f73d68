/** One of the workers of a server. */
import { loadSettings } from '../config';
import { noteSource } from '../config/setting-sources';
import { shareOf } from '../config/workers';
import { PACKAGED_PAGES } from '../built-pages';
import { WorkerLink } from '../workers/worker-link';
import type { SharedState } from '../workers/messages';
import { makeLog } from './log';
import { endOnSignals, endOnUncaughtErrors } from './process-end';
import { toListenError } from './service-failure';
import { startApp } from './with-app';

/** Runs until a signal ends it, another worker has taken its place, or the process has ended that started it. */
export async function runWorker(): Promise<void> {
  const link = new WorkerLink();
  const { count, sources, state: first } = await link.open();
  for (const [name, source] of Object.entries(sources)) noteSource([name], source);
  const settings = shareOf(loadSettings(process.env), count);
  const log = makeLog(settings);
  endOnUncaughtErrors(log);
  const starting = new AbortController();
  let close = (): Promise<void> => Promise.resolve(starting.abort());
  const { delayMs, timeoutMs } = settings.shutdown;
  const end = endOnSignals({
    ...{ log, timeoutMs: delayMs + timeoutMs, signals: ['SIGTERM'] as const },
    stop: () => close(),
  });
  // A terminal sends these to all processes of the server; the first one ends its workers.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined);
  let state: SharedState = first;
  const app = await startApp(settings, log, {
    signal: starting.signal,
    environment: process.env,
    pages: { ...PACKAGED_PAGES, isBuilding: () => state.isBuilding },
    isWorker: true,
  });
  let isReplaced = false;
  close = () => app.close({ isReplaced }).then(() => link.leave());
  let withdraw: (() => void) | undefined;
  const show = (shown: SharedState): void => {
    state = shown;
    withdraw?.();
    withdraw = shown.notice === undefined ? undefined : app.core.health.announce(shown.notice);
  };
  show(first);
  link.listen({
    state: show,
    metrics: () => app.metrics(),
    abandoned: () => end('abandoned', delayMs + timeoutMs),
    replaced() {
      isReplaced = true;
      // Others serve meanwhile: it may finish what every request may take.
      end('replaced', settings.http.requestTimeoutMs + timeoutMs);
    },
  });
  const { host, port } = await app.listen().catch((error: unknown) => {
    throw toListenError(error);
  });
  log.debug({ host, port, startedMs: Math.round(performance.now()) }, 'a worker listens');
  await link.listening(host, port);
}
