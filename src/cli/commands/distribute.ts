import { loadSettings } from '../../config';
import { UsageError, type Command } from '../command';
import { makeLog } from '../log';
import { createStatusLine } from '../status-line';

const LEAST_GROUPS = 32;
const MOST_GROUPS = 256;
const DEFAULT_GROUPS = 64;

export const distribute: Command = {
  name: 'distribute',
  usage: '',
  summary: 'Distribute the tenants of a database over the nodes of Citus, while no server runs.',
  options: {
    shards: {
      ...{ type: 'string', value: 'N' },
      help: `number of shard groups, ${LEAST_GROUPS} to ${MOST_GROUPS}; default ${DEFAULT_GROUPS}`,
    },
    force: { type: 'boolean', help: 'also with a version of Citus or PostgreSQL that was not tried' },
  },
  examples: [
    {
      line: 'andiron distribute',
      does: 'Check what it needs, then distribute all tables in one transaction.',
    },
    { line: 'andiron distribute --shards 128', does: 'Make more shard groups, for many nodes.' },
  ],
  async run({ options }) {
    const shards = toGroups(options['shards']);
    const settings = loadSettings(process.env);
    const { databaseOptions } = await import('../../app.js');
    const core = await import('../../core/index.js');
    const status = createStatusLine(process.stdout, true);
    const began = performance.now();
    let done = 0;
    const { tables, rows } = await core.distribute({
      database: databaseOptions(settings),
      log: makeLog({ log: { level: 'warn' } }, 2),
      waitMs: settings.start.waitMs,
      shards,
      isForced: options['force'] === true || settings.start.allowsUntestedCitus,
      told: (table) => status.show(`${(done += 1)} tables distributed, the last one is ${table}`),
    });
    status.clear();
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(
      `Distributed ${tables} tables into ${shards} shard groups in ${seconds} s: each has as many rows as before, ${rows} in all\n`,
    );
  },
};

function toGroups(value: string | boolean | undefined): number {
  if (value === undefined) return DEFAULT_GROUPS;
  const number = Number(value);
  if (!Number.isInteger(number) || number < LEAST_GROUPS || number > MOST_GROUPS)
    throw new UsageError(`--shards must be a whole number from ${LEAST_GROUPS} to ${MOST_GROUPS}`);
  return number;
}
