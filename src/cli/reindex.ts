import type { IndexDifference } from '../core';
import { type Command, UsageError } from './command';
import { withApp } from './with-app';

/** Beyond this the differences are only counted. */
const MAX_PRINTED = 1_000;

function print({ tenant, release, type, id, table, missing, superfluous }: IndexDifference): void {
  const owner = tenant === '' ? 'base resources' : tenant;
  const lines = [
    ...missing.map((row) => `  missing      ${row}`),
    ...superfluous.map((row) => `  superfluous  ${row}`),
  ];
  process.stdout.write(`${owner} ${release} ${type}/${id} ${table}\n${lines.join('\n')}\n`);
}

export const reindex: Command = {
  name: 'reindex',
  usage: '--verify [--tenant NAME]',
  summary: 'Recompute the search index from what is stored, print every difference; code 1 if there is one.',
  options: {
    verify: { type: 'boolean', help: 'compare only; nothing is changed' },
    tenant: { type: 'string', help: 'look at the data of this tenant only' },
  },
  async run({ words, options }) {
    if (words.length > 0 || options['verify'] !== true)
      throw new UsageError('andiron reindex --verify [--tenant NAME]');
    const tenant = typeof options['tenant'] === 'string' ? options['tenant'] : undefined;
    let differences = 0;
    await withApp(async ({ core }) => {
      for await (const difference of core.verifyIndex(tenant)) {
        differences += 1;
        if (differences <= MAX_PRINTED) print(difference);
      }
    });
    if (differences > 0) throw new Error(`${differences} differences between the index and what is stored`);
    process.stdout.write('The index is what the stored versions give\n');
  },
};
