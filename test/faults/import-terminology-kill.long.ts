/** kill -9 during imports of a code system: the version before answers until the new one is whole. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { openCodeSystemFile } from '../../src/code-systems/formats';
import { createRandom } from '../properties/oracle/random';
import { openCore, type OpenedCore } from '../support/core';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { toEnvironment } from '../support/environment';
import { eventually } from '../support/eventually';
import { CLI } from '../support/launch';
import { startProcess } from '../support/process';
import { killRounds } from '../support/rounds';

const WITHIN_MS = 120_000;
const CONCEPTS = 5_000;
const URL = 'http://example.org/killed';
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 100_000);

let database: TestDatabase;
let owner: Client;
let folder: string;
let opened: OpenedCore;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Client(database.settings);
  await owner.connect();
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-terminology-'));
  opened = await openCore({ database });
});
afterAll(async () => {
  await opened.close();
  await owner.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Writes a code system whose displays name the edition. */
async function writeEdition(edition: number): Promise<string> {
  const file = path.join(folder, `${edition}.ndjson`);
  const head = { resourceType: 'CodeSystem', url: URL, version: '1', status: 'active', content: 'complete' };
  const concepts = Array.from({ length: CONCEPTS }, (_none, index) => ({
    code: `c${index}`,
    display: `Edition ${edition}`,
    ...(index === 0 ? {} : { property: [{ code: 'parent', valueCode: `c${Math.floor(index / 5)}` }] }),
  }));
  await writeFile(file, [head, ...concepts].map((line) => JSON.stringify(line)).join('\n'));
  return file;
}

function startImport(file: string): { readonly child: ChildProcess; readonly ended: Promise<number | null> } {
  const child = spawn(process.execPath, [CLI, 'import-terminology', file, '--tenant', 'system'], {
    env: { PATH: process.env['PATH'] ?? '', ...toEnvironment(database) },
    stdio: 'ignore',
  });
  return { child, ended: new Promise((resolve) => void child.once('exit', resolve)) };
}

/** Imports an edition in this process, without the time that the command leaves to the last readers. */
async function importHere(edition: number): Promise<void> {
  const source = await openCodeSystemFile('ndjson', await writeEdition(edition), {
    ...{ url: undefined, version: undefined, name: undefined },
  });
  const context = await opened.context('system', 'r4');
  const imported = await opened.core.jobs.importCodeSystem(context, source, { lastReadersMs: 0 });
  expect(imported).toMatchObject({ outcome: 'stored', concepts: CONCEPTS });
}

async function read(query: string): Promise<number> {
  const { rows } = await owner.query<{ count: string }>(query);
  return Number(rows[0]?.count);
}
const stored = (): Promise<number> => read('select count(*) from andiron.concept');

/** The displays of some codes, each once. */
async function displays(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const code of ['c0', 'c1', `c${CONCEPTS - 1}`]) {
    const query = [['system', URL] as const, ['code', code] as const];
    const result = await opened.core.interactions.invoke(await opened.context('system', 'r4'), {
      ...{ level: 'type', type: 'CodeSystem', code: 'lookup', safe: true, query },
    });
    found.add(/Edition \d+/.exec('text' in result ? result.text : '')?.[0] ?? 'none');
  }
  return found;
}

it('an import that is killed at a random point leaves the version before, and the next one ends', async () => {
  const random = createRandom(SEED);
  let edition = 0;
  await importHere(edition);
  for (let round = 0; round < killRounds(3, 50); round++) {
    const before = await stored();
    const { child, ended } = startImport(await writeEdition(edition + 1));
    const point = random.below(CONCEPTS + 200);
    let isEnded = false;
    void ended.then(() => (isEnded = true));
    await eventually(async () => isEnded || (await stored()) >= before + point, WITHIN_MS);
    child.kill('SIGKILL');
    await ended;
    const seen = await displays();
    // It may have named the new set before it was killed; never a part of it.
    expect({ seed: SEED, round, editions: [...seen].length }).toEqual({ seed: SEED, round, editions: 1 });
    if (seen.has(`Edition ${edition + 1}`)) edition++;
    expect([...seen]).toEqual([`Edition ${edition}`]);
    if (random.chance(0.5))
      await owner.query(`update andiron.concept_set set beat = now() - interval '2 minutes'`);
  }
  await owner.query(`update andiron.concept_set set beat = now() - interval '2 minutes'`);
  await importHere(edition + 2);
  expect([...(await displays())]).toEqual([`Edition ${edition + 2}`]);
  expect([await stored(), await read('select count(*) from andiron.concept_set')]).toEqual([CONCEPTS, 1]);
});

it('a job goes on in another process when its own is killed, from the file that is stored', async () => {
  const system = `${URL}/job`;
  const files = ['before', 'after'].map((text) =>
    ['code,display', ...Array.from({ length: CONCEPTS }, (_none, at) => `c${at},${text}`)].join('\n'),
  );
  let fetches = 0;
  const source = createServer((request, response) => {
    fetches++;
    response.end(files[Number(request.url?.slice(1))]);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => source.once('listening', resolve));
  const address = `127.0.0.1:${(source.address() as AddressInfo).port}`;
  const start = (): ReturnType<typeof startProcess> =>
    startProcess({ database, environment: { OUTBOUND_ALLOWED_HOSTS: address } });
  let server = await start();
  const root = server.path('system', 'r4');
  const begin = async (file: number): Promise<string> => {
    const accepted = await server.request(
      'POST',
      `${root}/CodeSystem/$import`,
      {
        resourceType: 'Parameters',
        parameter: [
          { name: 'format', valueCode: 'csv' },
          { name: 'url', valueUri: system },
          { name: 'input', part: [{ name: 'url', valueUrl: `http://${address}/${file}` }] },
        ],
      },
      { prefer: 'respond-async', 'content-type': 'application/fhir+json' },
    );
    expect(accepted.status).toBe(202);
    return new globalThis.URL(String(accepted.headers['content-location'])).pathname;
  };
  const untilDone = (state: string): Promise<void> =>
    eventually(async () => (await server.request('GET', state)).status === 200, WITHIN_MS);
  const displayed = async (): Promise<string | undefined> => {
    const query = `system=${system}&code=c${CONCEPTS - 1}`;
    const { text } = await server.request('GET', `${root}/CodeSystem/$lookup?${query}`);
    return /before|after/.exec(text)?.[0];
  };
  try {
    await untilDone(await begin(0));
    const random = createRandom(SEED);
    const state = await begin(1);
    for (let round = 0; round < killRounds(3, 50); round++) {
      const before = await stored();
      const point = 1 + random.below(CONCEPTS - 1_000);
      let status = 202;
      await eventually(async () => {
        status = (await server.request('GET', state)).status;
        return status !== 202 || (await stored()) >= before + point || (await displayed()) === 'after';
      }, WITHIN_MS);
      if (status !== 202 || (await displayed()) === 'after') break;
      await server.kill();
      server = await start();
      expect(await displayed()).toBe('before');
      await owner.query(`update andiron.concept_set set beat = now() - interval '2 minutes'`);
    }
    await untilDone(state);
    expect([await displayed(), fetches]).toEqual(['after', 2]);
    const sets = `select count(*) from andiron.concept_set where url = '${system}'`;
    expect(await read(sets)).toBe(1);
  } finally {
    await server.close();
    source.close();
  }
});
