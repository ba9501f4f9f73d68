import type { Command } from './command';
import { makeLog } from './log';
import { endOnSignals } from './process-end';
import { withApp } from './with-app';

/** Limit in milliseconds on the time from a signal to the end of the process. */
const STOP_MS = 1_000;

export const migrate: Command = {
  name: 'migrate',
  usage: '',
  summary: 'Migrate the database to the schema of this version; every start does this too.',
  examples: [
    { line: 'andiron migrate', does: 'Migrate the database, for example before a new version starts.' },
  ],
  async run() {
    const log = makeLog({ log: { level: 'warn' } }, 2);
    const migrating = new AbortController();
    // The first process of a container ignores signals without a handler. Code 1: the database may not be up to date.
    endOnSignals({
      log,
      timeoutMs: STOP_MS,
      code: 1,
      stop: () => Promise.resolve(migrating.abort()),
    });
    await withApp(
      async () => {
        process.stdout.write('The database is up to date\n');
      },
      { log, signal: migrating.signal },
    );
  },
};
