import type { QuickstartOptions } from '../../embedded/quickstart';
import type { Arguments, Command } from '../command';
import { setHeapFlags } from '../heap-flags';
import { misspelledSettings } from '../../config';
import { makeLog } from '../log';
import { endOnSignals, endOnUncaughtErrors } from '../process-end';
import { toListenError } from '../service-failure';
import { noteSource, QUICK_START } from '../../config/setting-sources';

/** PostgreSQL may have much to write when it stops. */
const STOP_TIMEOUT_MS = 60_000;

function toOptions({ options }: Arguments): QuickstartOptions {
  const environment: Record<string, string | undefined> = { LOG_LEVEL: 'warn', ...process.env };
  if (process.env['LOG_LEVEL'] === undefined) noteSource(['LOG_LEVEL'], QUICK_START);
  for (const [option, setting] of [
    ['port', 'PORT'],
    ['host', 'HOST'],
    ['workers', 'WORKERS'],
  ] as const) {
    const value = options[option];
    if (typeof value !== 'string') continue;
    environment[setting] = value;
    noteSource([setting], `--${option}`);
  }
  return {
    folder: typeof options['data'] === 'string' ? options['data'] : undefined,
    withExamples: options['empty'] !== true,
    waits: options['wait'] === true,
    environment,
    makeLog,
    output: process.stdout,
  };
}

export const quickstart: Command = {
  name: 'quickstart',
  usage: '',
  summary: 'Run the server with its own PostgreSQL and the official FHIR examples, to try it out.',
  options: {
    port: { type: 'string', value: 'N', help: 'port to listen on; default 3000' },
    host: { type: 'string', value: 'ADDRESS', help: 'address to listen on; default 127.0.0.1' },
    workers: {
      ...{ type: 'string', value: 'N' },
      help: 'processes that share the port; auto: one for each core; default 1',
    },
    data: {
      ...{ type: 'string', value: 'DIR' },
      help: 'folder for the data; without it all data are deleted at the end',
    },
    empty: { type: 'boolean', help: 'do not load the examples' },
    wait: {
      type: 'boolean',
      help: 'say that it is ready when the examples are loaded and the pages for browsers are built',
    },
  },
  examples: [
    { line: 'andiron quickstart', does: 'Run a server with example data, which are deleted at the end.' },
    {
      line: 'andiron quickstart --port 8080 --data ./my-data --empty',
      does: 'Keep the data in a folder, and begin without examples.',
    },
  ],
  async run(given) {
    setHeapFlags();
    // Loaded on demand: other commands do not need the server.
    const { startQuickstart, Stoppable } = await import('../../embedded/quickstart.js');
    const started = new Stoppable();
    const quiet = makeLog({ log: { level: 'warn' } });
    for (const line of misspelledSettings(process.env)) quiet.warn(line);
    endOnUncaughtErrors(quiet);
    // Replaces workers, once there are any.
    process.on('SIGUSR2', () => undefined);
    endOnSignals({ log: quiet, timeoutMs: STOP_TIMEOUT_MS, stop: () => started.stop() });
    try {
      await startQuickstart(started, toOptions(given));
    } catch (error) {
      await started.stop();
      throw toListenError(error);
    }
  },
};
