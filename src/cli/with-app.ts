import type { App, Surroundings } from '../app';
import { loadSettings, misspelledSettings } from '../config';
import type { Settings } from '../config/settings';
import { makeLog, type ProcessLog } from './log';
import { toDatabaseError } from './service-failure';

export interface AppOptions {
  /** Default: one of warnings on the standard error. */
  readonly log?: ProcessLog;
  /** Cancels the wait for another process that migrates. */
  readonly signal?: AbortSignal;
}

/** Migrates the database, runs `work` with a server that does not listen, and closes the server. */
export async function withApp(
  work: (app: App) => Promise<void>,
  { log = makeLog({ log: { level: 'warn' } }, 2), signal }: AppOptions = {},
): Promise<void> {
  const settings = loadSettings({ ...process.env, METRICS_ADDRESS: 'off' });
  for (const line of misspelledSettings(process.env)) process.stderr.write(`andiron: ${line}\n`);
  const app = await startApp(settings, log, { signal });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

/** `signal` cancels the wait for another process that migrates. */
interface StartOptions extends Surroundings {
  readonly signal?: AbortSignal | undefined;
}

/**
 * `createApp` on the database of the settings.
 * @throws ConfigurationError that names the settings of the database if it cannot be used
 */
export async function startApp(
  settings: Settings,
  log: ProcessLog,
  { signal, ...surroundings }: StartOptions,
): Promise<App> {
  // Loaded only now, so that faults in the settings are reported at once.
  const { createApp } = await import('../app.js');
  try {
    return await createApp(settings, log, signal, surroundings);
  } catch (error) {
    throw toDatabaseError(error, settings);
  }
}
