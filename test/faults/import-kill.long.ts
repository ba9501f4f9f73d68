/** kill -9 during imports: every line is written once, and every refused line named once, by a server and by the command. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { toEnvironment } from '../support/environment';
import { eventually } from '../support/eventually';
import { CLI } from '../support/launch';
import { startProcess } from '../support/process';
import { killRounds } from '../support/rounds';

const WITHIN_MS = 120_000;
const LINES = 6_000;
/** Every so-manieth line is refused, and every so-manieth one has no id. */
const REFUSED = 97;
const WITHOUT_ID = 53;

const lines = Array.from({ length: LINES }, (_, index) => {
  const id = index % WITHOUT_ID === 0 ? {} : { id: `line-${index}` };
  const code = index % REFUSED === 0 ? {} : { code: { text: `line ${index}` } };
  return JSON.stringify({ resourceType: 'Basic', ...id, ...code });
});
const refused = lines.flatMap((_, index) => (index % REFUSED === 0 ? [index + 1] : []));

let database: TestDatabase;
let owner: Client;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Client(database.settings);
  await owner.connect();
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-import-'));
});
afterAll(async () => {
  await owner.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function count(statement: string): Promise<number> {
  const { rows } = await owner.query<{ count: string }>(statement);
  return Number(rows[0]?.count);
}
const written = (): Promise<number> =>
  count('select coalesce(sum(written + failed), 0) as count from andiron.import_chunk');

/** Waits until the import has written more than `before`. */
async function untilFurther(before: number): Promise<void> {
  await eventually(async () => (await written()) > before, WITHIN_MS);
}

/** Every line that is not refused has one resource with one version. */
async function expectEachOnce(times: number): Promise<void> {
  const each = (times: number): number => times * (LINES - refused.length);
  expect(await count('select count(*) from andiron.resource_version where space > 2')).toBe(each(times));
  const named = lines.filter((_, index) => index % WITHOUT_ID !== 0 && index % REFUSED !== 0).length;
  const unnamed = LINES - refused.length - named;
  expect(await count('select count(*) from andiron.resource where space > 2')).toBe(named + times * unnamed);
}

it('every line of an import is written once, however often the servers are killed', async () => {
  let server = await startProcess({ database });
  const root = server.path('system', 'r4');
  const accepted = await server.request('POST', `${root}/$import`, lines.join('\n'), {
    ...{ prefer: 'respond-async', 'content-type': 'application/fhir+ndjson' },
  });
  expect(accepted.status).toBe(202);
  const state = new URL(String(accepted.headers['content-location'])).pathname;
  for (let round = 0; round < killRounds(3, 50); round++) {
    const before = await written();
    if (before === LINES) break;
    await untilFurther(before);
    await server.kill();
    server = await startProcess({ database });
  }
  await eventually(async () => (await server.request('GET', state)).status === 200, WITHIN_MS);
  const { json } = await server.request('GET', state);
  expect(json.output).toEqual([{ inputName: 'body', count: LINES - refused.length }]);
  const { text } = await server.request('GET', new URL(json.error[0].url).pathname);
  const named = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).issue[0].extension[0].valueInteger);
  expect(named).toEqual(refused);
  await expectEachOnce(1);
  await server.close();
});

it('the same command goes on with an import whose process was killed', async () => {
  await writeFile(path.join(folder, 'lines.ndjson'), lines.join('\n'));
  const start = (): ReturnType<typeof spawn> =>
    spawn(process.execPath, [CLI, 'import', 'lines.ndjson', '--tenant', 'system'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...toEnvironment(database) },
      stdio: 'ignore',
    });
  const ended = (command: ReturnType<typeof spawn>): Promise<number | null> =>
    new Promise((resolve) => command.once('close', resolve));
  const finished = await written();
  for (let round = 0; round < killRounds(2, 50); round++) {
    const before = await written();
    // One that has ended would begin anew.
    if (before - finished > LINES / 2) break;
    const command = start();
    const end = ended(command);
    await untilFurther(before);
    command.kill('SIGKILL');
    await end;
  }
  // Lines were refused.
  expect(await ended(start())).toBe(1);
  const errors = (await readFile(path.join(folder, 'import-errors.ndjson'), 'utf8')).trimEnd().split('\n');
  expect(errors.map((line) => JSON.parse(line).issue[0].extension[0].valueInteger)).toEqual(refused);
  await expectEachOnce(2);
});
