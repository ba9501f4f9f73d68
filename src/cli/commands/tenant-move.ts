import { loadSettings } from '../../config';
import type { Command } from '../command';
import { JSON_OPTION, print } from '../output';
import { createStatusLine } from '../status-line';
import { absent } from '../with-tenant';

const MEGABYTE = 1024 ** 2;

export const moveTenant: Command = {
  name: 'move',
  usage: 'NAME',
  summary: 'Move a tenant to another node of a distributed database, while it is used.',
  options: {
    to: {
      ...{ type: 'string', value: 'NODE', isRequired: true },
      help: 'its address, HOST:PORT, as npx --no-install andiron nodes prints it',
    },
    ...JSON_OPTION,
  },
  examples: [
    {
      line: 'andiron tenant move acme --to 10.0.0.12:5432',
      does: 'Move its data: reads go on, and writes wait for a moment at the end.',
    },
  ],
  async run(given) {
    const { databaseOptions } = await import('../../app.js');
    const core = await import('../../core/index.js');
    const [name = ''] = given.words;
    const to = String(given.options['to']);
    const database = databaseOptions(loadSettings(process.env));
    const located = await core.locateTenants(database);
    if (located === undefined) throw new Error('The database is not distributed: it has no nodes');
    if (!located.has(name))
      throw absent(
        'tenant',
        name,
        [...located.keys()].map((id) => ({ id })),
      );
    const status = createStatusLine(process.stdout, given.options['json'] !== true);
    const began = performance.now();
    const move = await core.moveTenant({
      ...{ database, tenant: name, to },
      told: ({ copied, bytes }) =>
        status.show(`${Math.round(copied / MEGABYTE)} of ${Math.round(bytes / MEGABYTE)} MB copied`),
    });
    status.clear();
    const seconds = Number(((performance.now() - began) / 1000).toFixed(1));
    const from = move?.from;
    print(given, { name, from, to, seconds, isSplit: move?.isSplit }, [
      move?.isMoved === true
        ? `Moved tenant ${name} from ${from} to ${to} in ${seconds} s${move.isSplit ? ', to a shard group of its own' : ''}`
        : `Tenant ${name} is on ${to} already`,
    ]);
  },
};
