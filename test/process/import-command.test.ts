/** `andiron import` as a user runs it. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { runHere } from '../support/command-here';
import { openCore, type OpenedCore } from '../support/core';
import type { Ended } from '../support/run-command';
import { toEnvironment } from '../support/server';

let opened: OpenedCore;
let folder: string;
beforeAll(async () => {
  opened = await openCore();
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-import-'));
  await chmod(folder, 0o755);
});
afterAll(async () => {
  await opened.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: readonly string[]): Promise<Ended> =>
  runHere(['import', ...args], { environment: toEnvironment(opened.database), folder });
const write = (name: string, content: string | Buffer): Promise<void> =>
  writeFile(path.join(folder, name), content);
const basic = (id: string): string => JSON.stringify({ resourceType: 'Basic', id, code: { text: id } });

it('imports files, gzipped ones too, in the name of the operator', async () => {
  await write('one.ndjson', `${basic('a')}\n${basic('b')}\n`);
  await write('two.ndjson.gz', gzipSync(basic('c')));
  expect(await run('one.ndjson', 'two.ndjson.gz', '--tenant', 'system')).toEqual({
    code: 0,
    errors: '',
    output: 'one.ndjson: 2 written, 0 refused\ntwo.ndjson.gz: 1 written, 0 refused\n',
  });
});

it('names the refused lines in a file, and ends with code 1', async () => {
  await write('bad.ndjson', `${basic('d')}\nwrong\n{"resourceType":"Basic","id":"e"}\n`);
  const { code, output, errors } = await run(
    'bad.ndjson',
    '--tenant',
    'system',
    '--errors',
    'lines.ndjson',
    '--json',
  );
  expect([code, errors]).toEqual([1, expect.stringContaining('2 lines were refused')]);
  expect(JSON.parse(output)).toEqual({
    ...{ written: 1, refused: 2, errors: 'lines.ndjson' },
    files: [{ name: 'bad.ndjson', written: 1, refused: 2 }],
  });
  const lines = (await readFile(path.join(folder, 'lines.ndjson'), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).issue[0].extension[0].valueInteger)).toEqual([2, 3]);
});

it('refuses a file that does not exist, and a tenant that does not exist', async () => {
  const missing = await run('missing.ndjson', '--tenant', 'system');
  expect([missing.code, missing.errors]).toEqual([
    1,
    expect.stringContaining('missing.ndjson does not exist'),
  ]);
  const nobody = await run('one.ndjson', '--tenant', 'nobody');
  expect([nobody.code, nobody.errors]).toEqual([
    1,
    expect.stringContaining("The tenant 'nobody' does not exist"),
  ]);
});
