#!/usr/bin/env node
/**
 * Several servers of the built program in one process, each with settings of its own: BENCH_SERVERS is a list of environments,
 * as JSON. A signal ends all of them.
 */
import { requireBuilt } from './processes.mjs';

const { setHeapFlags } = requireBuilt('cli/heap-flags.js');
const { makeLog } = requireBuilt('cli/log.js');
const { loadSettings } = requireBuilt('config.js');
const { createApp } = requireBuilt('app.js');

setHeapFlags();
const apps = [];
process.once('SIGTERM', async () => {
  await Promise.all(apps.map((app) => app.close()));
  process.exit(0);
});
for (const environment of JSON.parse(process.env.BENCH_SERVERS ?? '[]')) {
  const settings = loadSettings({ ...process.env, ...environment });
  const app = await createApp(settings, makeLog(settings));
  apps.push(app);
  await app.listen();
}
