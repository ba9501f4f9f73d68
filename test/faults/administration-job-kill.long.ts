/**
 * kill -9 during a job of administration: another process takes it up again, at most twice; a process that is asked to stop
 * hands it over.
 */
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { makeFolder, packResources } from '../packages/make-package';
import { createTestDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { startProcess, type ServerProcess } from '../support/process';

const PLACE = '/w/system/api/v1/tenants/system';
const WITHIN_MS = 60_000;

/** The bytes of a package with one resource, whose content differs between the numbers. */
async function makePackage(number: number): Promise<Buffer> {
  const { folder, remove } = await makeFolder();
  const manifest = { name: 'clinic.example', version: `1.0.${number}`, fhirVersions: ['4.0.1'] };
  const resources = { 'Basic-a.json': { resourceType: 'Basic', id: 'a', code: { text: String(number) } } };
  const file = await readFile(await packResources(folder, manifest, resources));
  await remove();
  return file;
}

it('the job of a killed or stopped server is executed by another one, and fails after the third kill', async () => {
  const database = await createTestDatabase();
  // Each has something to write: an import of what is stored already would not wait for the lock.
  const [firstPackage, secondPackage, thirdPackage] = [await makePackage(1), await makePackage(2), await makePackage(3)];

  const start = (): Promise<ServerProcess> => startProcess({ database });
  // Nobody can write resources until the lock is gone.
  const locker = new Client(database.settings);
  await locker.connect();
  const lock = async (): Promise<void> => {
    await locker.query('begin');
    await locker.query('lock table andiron.resource in exclusive mode');
  };
  const submit = async (server: ServerProcess, file: Buffer): Promise<string> => {
    const sent = await server.request('POST', `${PLACE}/packages`, file, { 'content-type': 'application/gzip' });
    expect(sent.status).toBe(202);
    return `${PLACE}/jobs/${sent.json.id}`;
  };
  const runsOf = async (): Promise<number> => {
    const found = await locker.query(
      `select runs from andiron.job where state = 'running' and beat > now() - interval '5 s'`,
    );
    return found.rows[0]?.runs ?? 0;
  };

  /** True when a write waits for the lock. */
  const isWaiting = async (): Promise<boolean> => {
    const found = await locker.query(
      `select 1 from pg_locks where not granted and relation = 'andiron.resource'::regclass
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return found.rows.length > 0;
  };

  await lock();
  const first = await start();
  const killed = await submit(first, firstPackage);
  await eventually(async () => (await runsOf()) === 1 && (await isWaiting()), WITHIN_MS);
  await first.kill();
  const second = await start();
  await eventually(async () => (await runsOf()) === 2, WITHIN_MS);
  const third = await start();
  await locker.query('commit');
  await eventually(async () => (await third.request('GET', killed)).json.state === 'done', WITHIN_MS);
  expect((await third.request('GET', `${third.path('system', 'r4')}/Basic/a`)).status).toBe(200);

  await lock();
  const handedOver = await submit(second, secondPackage);
  await eventually(async () => (await runsOf()) === 1 && (await isWaiting()), WITHIN_MS);
  const stopped = Promise.all([second, third].map((server) => server.terminate()));
  await locker.query('commit');
  expect(await stopped).toEqual(['with code 0', 'with code 0']);
  const fourth = await start();
  await eventually(async () => (await fourth.request('GET', handedOver)).json.state === 'done', WITHIN_MS);
  // A handover does not count as a run.
  const { rows } = await locker.query('select runs from andiron.job order by created desc limit 1');
  expect(rows).toEqual([{ runs: 1 }]);

  await lock();
  let current = fourth;
  const failing = await submit(current, thirdPackage);
  for (let run = 1; run <= 3; run++) {
    await eventually(async () => (await runsOf()) === run && (await isWaiting()), WITHIN_MS);
    await current.kill();
    current = await start();
  }
  await eventually(async () => (await current.request('GET', failing)).json.state === 'failed', WITHIN_MS);
  await locker.query('commit');
  expect((await current.request('GET', failing)).json.failure).toBe(
    'The processes that executed the job have stopped before its end, 3 times',
  );
  await locker.end();
  await Promise.all([first, second, third, fourth, current].map((server) => server.close()));
  await database.drop();
}); // prettier-ignore
