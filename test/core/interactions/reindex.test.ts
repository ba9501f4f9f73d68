/** `andiron reindex`: the index compared with what is stored and put right, for an operator. */
import { Client } from 'pg';
import { parseJson } from '../../../src/core';
import { runHere } from '../../support/command-here';
import { openCore, type OpenedCore } from '../../support/core';
import type { Ended } from '../../support/run-command';
import { toEnvironment } from '../../support/server';

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
  const context = await opened.context('system', 'r4');
  const text =
    '{"resourceType":"Patient","id":"verified","name":[{"family":"Chalmers"}],"birthDate":"1974-12-25"}';
  await opened.core.interactions.update(context, { type: 'Patient', id: 'verified', input: parseJson(text) });
});
afterAll(() => opened.close());

const run = (...words: readonly string[]): Promise<Ended> =>
  runHere(['reindex', ...words], { environment: toEnvironment(opened.database) });

it('reports that there is no difference, including base resources, and ends with code 0', async () => {
  const { code, output } = await run('--verify', '--release', 'r4b');
  expect(output).toBe('The index matches the stored versions\n');
  expect(code).toBe(0);
});

it('prints missing and superfluous rows, and ends with code 1', async () => {
  const owner = new Client(opened.database.settings);
  await owner.connect();
  await owner.query(`update andiron.string_index set value = 'smith' where value = 'chalmers' and space > 2`);
  await owner.end();
  const { code, output, errors } = await run('--verify', '--tenant', 'system');
  expect(output).toMatch(/^system r4 Patient\/verified string_index$/m);
  expect(output).toMatch(/^ {2}missing {6}.*chalmers$/m);
  expect(output).toMatch(/^ {2}superfluous {2}.*smith$/m);
  expect(errors).toMatch(/^andiron: 1 differences? between the index and the stored versions\n$/);
  expect(code).toBe(1);
});

it('prints differences as one JSON document with --json, and ends with code 1', async () => {
  const { code, output } = await run('--verify', '--tenant', 'system', '--json');
  expect([code, JSON.parse(output)]).toEqual([
    1,
    {
      count: 1,
      differences: [
        {
          ...{ tenant: 'system', release: 'r4', type: 'Patient', id: 'verified', table: 'string_index' },
          missing: [expect.stringContaining('chalmers'), expect.stringContaining('chalmers')],
          superfluous: [expect.stringContaining('smith'), expect.stringContaining('smith')],
        },
      ],
    },
  ]);
});

it('repairs the index without --verify, and reports the changed rows', async () => {
  const { code, output, errors } = await run('--tenant', 'system', '--release', 'r4');
  expect(errors).toBe('');
  expect(output).toMatch(
    /^Indexing r4 with rows \d+, fold table \d+, definitions \w+, own addresses none\n1 resources compared, 1 repaired: 2 rows added, 2 removed\n$/,
  );
  expect(code).toBe(0);
  const none = { compared: 1, repaired: 0, added: 0, removed: 0, count: 0, losses: [] };
  expect(JSON.parse((await run('--tenant', 'system', '--release', 'r4', '--json')).output)).toEqual(none);
  const verified = await run('--verify', '--tenant', 'system', '--json');
  expect(verified).toEqual({ code: 0, output: '{"count":0,"differences":[]}\n', errors: '' });
});

it('prints differences that a reindex cannot repair, and ends with code 1', async () => {
  const owner = new Client(opened.database.settings);
  await owner.connect();
  await owner.query(`delete from andiron.resource_version where space > 2`);
  await owner.end();
  const { code, output, errors } = await run('--tenant', 'system');
  expect(output).toMatch(/^system r4 Patient\/verified resource_version\n {2}missing {6}versions 1 to 1$/m);
  expect(errors).toMatch(/^andiron: 1 versions or heads are missing: [^\n]*\n$/);
  expect(code).toBe(1);
});

it.each([
  [
    ['now'],
    2,
    "'now' is one word too many: andiron reindex [options]. See npx --no-install andiron reindex --help",
  ],
  [['--tenant', 'acme'], 1, "The tenant 'acme' does not exist"],
  [['--tenant', ''], 1, "The tenant '' does not exist"],
  [['--release', 'r5'], 2, '--release must be r4 or r4b'],
])('answers %j with one line and code %d', async (words, code, line) => {
  expect(await run(...words)).toEqual({ code, output: '', errors: `andiron: ${line}\n` });
});
