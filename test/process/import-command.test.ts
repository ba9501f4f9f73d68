/** `andiron import` as a user runs it. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { startChild } from '../../src/embedded/child';
import { runHere } from '../support/command-here';
import { openCore, type OpenedCore } from '../support/core';
import { eventually } from '../support/eventually';
import { CLI } from '../support/launch';
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

it('a command that is killed after its files are stored finds the import that the server has finished', async () => {
  const owner = new Client(opened.database.settings);
  await owner.connect();
  const number = async (text: string): Promise<number> => {
    const { rows } = await owner.query<{ count: string }>(`select count(*) from ${text}`);
    return Number(rows[0]?.count);
  };
  const written = (): Promise<number> => number('andiron.resource_version v where v.space > 2');
  const line = JSON.stringify({ resourceType: 'Basic', code: { text: 'without an id' } });
  await write('left.ndjson', `${line}\n`.repeat(20));
  // Holds the import: no process can write its lines until the end of the transaction.
  await owner.query('begin; lock table andiron.resource_version in exclusive mode');
  const child = await startChild(process.execPath, [CLI, 'import', 'left.ndjson', '--tenant', 'system'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...toEnvironment(opened.database) },
    stdio: ['ignore', 'ignore', 'pipe'],
    lastSignal: 'SIGKILL',
  });
  const before = await written();
  await eventually(
    async () => (await number("andiron.import_file f where f.received and f.name = 'left.ndjson'")) === 1,
  );
  await child.stop('SIGTERM', 5_000);
  await owner.query('commit');
  await eventually(async () => {
    opened.core.jobs.imports.local.work();
    return (await number("andiron.job j where j.kind like 'import/%' and j.state <> 'done'")) === 0;
  });
  expect(await written()).toBe(before + 20);

  const result = { code: 0, errors: '', output: 'left.ndjson: 20 written, 0 refused\n' };
  expect(await run('left.ndjson', '--tenant', 'system')).toEqual(result);
  expect(await written()).toBe(before + 20);
  // Its result is reported now: the same command is a new import.
  expect(await run('left.ndjson', '--tenant', 'system')).toEqual(result);
  expect(await written()).toBe(before + 40);
  await owner.end();
});

describe('a command that is killed while it stores its files', () => {
  /** Held by the test: the third part of a file waits for it. */
  const LOCK = 7_230_955;
  let owner: Client;
  beforeAll(async () => {
    owner = new Client(opened.database.settings);
    await owner.connect();
    await owner.query(`
      create function public.hold_chunk() returns trigger language plpgsql as
        'begin if new.number = 2 then perform pg_advisory_xact_lock(${LOCK}); end if; return new; end';
      create trigger hold_chunk before insert on andiron.import_chunk
        for each row execute function public.hold_chunk();
      select pg_advisory_lock(${LOCK})`);
  });
  afterAll(async () => owner.end());

  const count = async (from: string): Promise<number> => {
    const { rows } = await owner.query<{ count: string }>(`select count(*) from ${from}`);
    return Number(rows[0]?.count);
  };
  const WAITING = `pg_locks l where l.locktype = 'advisory' and l.objid = ${LOCK} and not l.granted`;
  const versions = (): Promise<number> => count('andiron.resource_version v where v.space > 2');

  it('leaves nothing half done: no process imports a part, and the same command imports all lines once', async () => {
    await write(
      'killed.ndjson',
      Array.from({ length: 2_000 }, (_, index) => basic(`killed-${index}`)).join('\n'),
    );
    const child = await startChild(process.execPath, [CLI, 'import', 'killed.ndjson', '--tenant', 'system'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...toEnvironment(opened.database) },
      stdio: 'ignore',
      lastSignal: 'SIGKILL',
    });
    const before = await versions();
    await eventually(async () => (await count(WAITING)) > 0 && (await count('andiron.import_chunk')) > 1);
    await child.stop('SIGKILL', 5_000);
    // Its statement would go on in the database.
    await owner.query(`select pg_terminate_backend(l.pid) from ${WAITING}`);
    await eventually(async () => (await count(WAITING)) === 0);
    await owner.query(`drop trigger hold_chunk on andiron.import_chunk; select pg_advisory_unlock(${LOCK})`);

    // This process executes imports as a server does: it leaves one whose files are not all there.
    opened.core.jobs.imports.local.work();
    await eventually(
      async () => (await count("andiron.job j where j.kind like 'import/%' and j.due > j.created")) === 1,
    );
    expect(await count('andiron.import_file f where not f.received')).toBe(1);
    expect(await versions()).toBe(before);
    const jobs = await count("andiron.job j where j.kind like 'import/%'");
    expect(await run('killed.ndjson', '--tenant', 'system')).toEqual({
      code: 0,
      errors: '',
      output: 'killed.ndjson: 2000 written, 0 refused\n',
    });
    expect(await count("andiron.job j where j.kind like 'import/%'")).toBe(jobs);
    expect(await versions()).toBe(before + 2_000);
  });
});
