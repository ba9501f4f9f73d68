import type { QuickstartOptions } from '../embedded/quickstart';
import type { Arguments, Command } from './command';
import { setHeapFlags } from './heap-flags';
import { makeLog } from './log';
import { endOnSignals, endOnUncaughtErrors } from './process-end';

/** PostgreSQL may have much to write when it stops. */
const STOP_TIMEOUT_MS = 60_000;

function toOptions({ options }: Arguments): QuickstartOptions {
  const environment: Record<string, string | undefined> = { LOG_LEVEL: 'warn', ...process.env };
  if (typeof options['port'] === 'string') environment['PORT'] = options['port'];
  if (typeof options['host'] === 'string') environment['HOST'] = options['host'];
  return {
    folder: typeof options['data'] === 'string' ? options['data'] : undefined,
    withExamples: options['empty'] !== true,
    environment,
    makeLog,
    output: process.stdout,
  };
}

export const quickstart: Command = {
  name: 'quickstart',
  usage: '[--port N] [--host ADDRESS] [--data DIR] [--empty]',
  summary: 'Run the server with its own PostgreSQL and the official FHIR examples, to try it out.',
  options: {
    port: { type: 'string', help: 'port to listen on; default 3000' },
    host: { type: 'string', help: 'address to listen on; default 127.0.0.1' },
    data: { type: 'string', help: 'folder for the data; without it all data are deleted at the end' },
    empty: { type: 'boolean', help: 'do not load the examples' },
  },
  async run(given) {
    setHeapFlags();
    // Loaded on demand: other commands do not need the server.
    const { startQuickstart, Stoppable } = await import('../embedded/quickstart.js');
    const started = new Stoppable();
    const quiet = makeLog({ LOG_LEVEL: 'warn' });
    endOnUncaughtErrors(quiet);
    endOnSignals({ log: quiet, timeoutMs: STOP_TIMEOUT_MS, stop: () => started.stop() });
    try {
      await startQuickstart(started, toOptions(given));
    } catch (error) {
      await started.stop();
      throw error;
    }
  },
};
