import type { App } from '../app';
import { loadSettings } from '../config';
import { makeLog } from './log';

/** Migrates the database, runs `work` with a server that does not listen, and closes the server. */
export async function withApp(work: (app: App) => Promise<void>): Promise<void> {
  const settings = loadSettings({ ...process.env, METRICS_ADDRESS: 'off' });
  // Loaded only now, so that faults in the settings are reported at once.
  const { createApp } = await import('../app.js');
  const app = await createApp(settings, makeLog({ LOG_LEVEL: 'warn' }, 2));
  try {
    await work(app);
  } finally {
    await app.close();
  }
}
