/**
 * The PostgreSQL cluster of a test run, with the migrated template: made once for a state of the program, stored in
 * node_modules/.cache, and copied by each run. To make it takes ten times as long as to copy it.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/embedded/postgres';
import { makeTemplate, PREPARED_TEMPLATE } from './make-template';
import type { Connection } from './services';

const ROOT = path.resolve(__dirname, '..', '..');
const STORE = path.join(ROOT, 'node_modules', '.cache', 'andiron', 'test-cluster');
/** All that decides what a migrated database has: the schema, the definitions, and how these are stored and indexed. */
const SOURCES = ['definitions', 'dist/migrations', 'dist/src/core', 'package-lock.json'];
const run = promisify(execFile);

const toServer = ({ host, port, user, password }: EmbeddedPostgres): Connection => ({
  ...{ host, port, user, password, database: 'postgres' },
});

async function filesBelow(name: string): Promise<readonly string[]> {
  const place = path.join(ROOT, name);
  if ((await stat(place)).isFile()) return [place];
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

async function fingerprint(): Promise<string> {
  const files = (await Promise.all(SOURCES.map(filesBelow))).flat().sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(path.relative(ROOT, file)).update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}

/** Copies a cluster with the owner of its files. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-a', path.join(from, 'postgres'), path.join(from, 'postgres.password'), to]);
}

/** Makes the cluster beside its place in the store, and moves it there when it is whole. */
async function prepare(stored: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-test-'));
  const fresh = `${stored}.${process.pid}`;
  try {
    const postgres = await startEmbeddedPostgres({ folder, durable: false, temporary: false });
    await makeTemplate(toServer(postgres), PREPARED_TEMPLATE).finally(() => postgres.stop());
    await mkdir(fresh, { recursive: true });
    await copy(folder, fresh);
    // Another run may have been faster.
    await rename(fresh, stored).catch(() => rm(fresh, { recursive: true, force: true }));
    // Those of earlier states of the program; one of this state may be in use by a run that began at the same time.
    const others = (await readdir(STORE)).filter((name) => !name.startsWith(path.basename(stored)));
    for (const name of others) await rm(path.join(STORE, name), { recursive: true, force: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Set by `npm run test:planted`: a fault of `src` does not change what a migrated database has. */
const SHARED_NAME = process.env['ANDIRON_TEST_CLUSTER'];

/**
 * Starts a PostgreSQL of its own with the migrated template.
 * Cost: some 0.3 s; once for a state of the program about ten seconds.
 */
export async function startPreparedPostgres(
  durable: boolean,
): Promise<{ readonly server: Connection; stop(): Promise<void> }> {
  const stored = path.join(STORE, SHARED_NAME ?? (await fingerprint()));
  if ((await stat(stored).catch(() => undefined)) === undefined) await prepare(stored);
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-test-'));
  await copy(stored, folder);
  const postgres = await startEmbeddedPostgres({ folder, durable, temporary: true });
  return { server: toServer(postgres), stop: () => postgres.stop() };
}
