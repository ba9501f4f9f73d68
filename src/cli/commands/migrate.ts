import { loadSettings } from '../../config';
import type { Command } from '../command';
import { makeLog } from '../log';
import { endOnSignals } from '../process-end';
import { withApp } from '../with-app';

/** Limit in milliseconds on the time from a signal to the end of the process. */
const STOP_MS = 1_000;

export const migrate: Command = {
  name: 'migrate',
  usage: '',
  summary: 'Migrate the database to the schema of this version; every start does this too.',
  options: {
    'long-sequences': {
      type: 'boolean',
      help: 'then store version-sequences with 64 bits: rewrites the versions while requests wait',
    },
  },
  examples: [
    { line: 'andiron migrate', does: 'Migrate the database, for example before a new version starts.' },
    {
      line: 'andiron migrate --long-sequences',
      does: 'Let version-sequences of a database from before schema 62 go beyond 2,147,483,647.',
    },
  ],
  async run({ options }) {
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
    if (options['long-sequences'] !== true) return;
    const { databaseOptions } = await import('../../app.js');
    const { lengthenSequences } = await import('../../core/index.js');
    const settings = loadSettings(process.env);
    const isChanged = await lengthenSequences({
      database: databaseOptions(settings),
      log,
      waitMs: settings.start.waitMs,
      signal: migrating.signal,
    });
    process.stdout.write(
      isChanged ? 'Version-sequences have 64 bits now\n' : 'Version-sequences have 64 bits already\n',
    );
  },
};
