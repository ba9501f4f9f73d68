/**
 * kill -9 while an export is made or fetched: another process goes on with it, its files have each resource once, and any process
 * sends them.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { ASYNC, idsOf, pathOf, readFiles, waitForExport } from '../support/bulk';
import { createTestDatabase } from '../support/database';
import { startProcess, type ServerProcess } from '../support/process';
import { eventually } from '../support/eventually';
import { killRounds } from '../support/rounds';

const PATIENTS = 200;
const NOTES = 4;
/** Kills at random moments, after those at chosen ones. */
const KILLS = killRounds(3, 98);

const ids = Array.from({ length: PATIENTS }, (_none, number) => `p${number}`);
const notes = ids.flatMap((id) => Array.from({ length: NOTES }, (_none, number) => `${id}-${number}`));

const folder = mkdtempSync(path.join(tmpdir(), 'andiron-exports-'));
afterAll(() => rmSync(folder, { recursive: true }));

const storedFiles = (): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length;

it.each([
  ['in the database', {}],
  ['in a folder', { EXPORT_STORE: 'folder', CONTENT_FOLDER: folder }],
])(
  'the export %s of a killed server is finished by another one, complete and without repetition',
  async (_store, settings) => {
    const isStored = 'EXPORT_STORE' in settings;
    const database = await createTestDatabase();
    // Small files, so that an export has many.
    const environment = { EXPORT_FILE_LINES: '37', MAX_EXPORTS_CLIENT: '4', ...settings };
    const start = (): Promise<ServerProcess> => startProcess({ database, environment });
    let [worker, other] = await Promise.all([start(), start()]);
    const started = [worker, other];
    const root = worker.path('system', 'r4');
    const entry = (resource: { readonly resourceType: string; readonly id: string }): object => ({
      resource,
      request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    });
    const patients = ids.map((id) => entry({ resourceType: 'Patient', id }));
    const written = notes.map((id) =>
      entry({
        ...{ resourceType: 'Basic', id, code: { text: 'note' } },
        ...{ subject: { reference: `Patient/${id.split('-')[0] ?? ''}` } },
      }),
    );
    const bundle = { resourceType: 'Bundle', type: 'transaction', entry: [...patients, ...written] };
    expect((await worker.request('POST', root, bundle)).status).toBe(200);

    const expectWhole = async (job: string): Promise<void> => {
      const manifest = await waitForExport(other, job);
      expect(manifest.status).toBe(200);
      for (const file of manifest.json.output) expect('fileSize' in file).toBe(isStored);
      const resources = await readFiles(other, manifest.json.output);
      const found = { path: job, manifest, resources };
      expect(idsOf(found, 'Patient')).toEqual([...ids].sort());
      expect(idsOf(found, 'Basic')).toEqual([...notes].sort());
      expect((await other.request('DELETE', job)).status).toBe(202);
    };
    const replace = async (): Promise<void> => {
      await worker.kill();
      // The next kill is that of the process which has the job now.
      worker = other;
      started.push((other = await start()));
    };

    // Nobody can find members until the lock is gone.
    const locker = new Client(database.settings);
    await locker.connect();
    for (const address of [
      'Patient/$export',
      '$export?_typeFilter=Patient%3F_lastUpdated=gt1990&_typeFilter=Basic%3F_lastUpdated=gt1990',
    ]) {
      await locker.query('begin');
      await locker.query('lock table andiron.export_member in exclusive mode');
      const job = pathOf(await worker.request('GET', `${root}/${address}`, undefined, ASYNC));
      const isRunning = async (): Promise<boolean> =>
        (await other.request('GET', job)).headers['x-progress'] !== 'waiting';
      while (!(await isRunning())) await setTimeout(50);
      await replace();
      await locker.query('commit');
      await expectWhole(job);
    }
    for (let kill = 0; kill < KILLS; kill++) {
      // The one has a list of its members, the other needs none.
      const address = kill % 2 === 0 ? 'Patient/$export' : '$export';
      const job = pathOf(await worker.request('GET', `${root}/${address}`, undefined, ASYNC));
      await setTimeout(Math.random() * 300);
      if (isStored && kill === 0) await eventually(() => storedFiles() > 2);
      await replace();
      await expectWhole(job);
    }
    // Members go after their export, by the process that does the work on jobs.
    await eventually(async () => {
      const { rows } = await locker.query<{ members: number }>(
        'select count(*)::int as members from andiron.export_member',
      );
      return rows[0]?.members === 0;
    }, 60_000);
    await eventually(async () => {
      const { rows } = await locker.query('select 1 from andiron.content');
      return rows.length === 0 && storedFiles() === 0;
    });
    await locker.end();
    await Promise.all(started.map((server) => server.close()));
    await database.drop();
  },
  (10 + KILLS) * 60_000,
);
