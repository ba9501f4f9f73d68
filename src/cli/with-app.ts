import type { App } from '../app';
import { loadSettings } from '../config';
import { makeLog } from './log';

/** Does `work` with the server's parts, without listening, and closes them. Migrates the database first. */
export async function withApp(work: (app: App) => Promise<void>): Promise<void> {
  const settings = loadSettings({ ...process.env, METRICS_ADDRESS: 'off' });
  // Loaded only now, so that a mistake in the settings is told at once.
  const { createApp } = await import('../app.js');
  const app = await createApp(settings, makeLog({ LOG_LEVEL: 'warn' }, 2));
  try {
    await work(app);
  } finally {
    await app.close();
  }
}
