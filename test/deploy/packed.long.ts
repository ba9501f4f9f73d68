/** The package file, installed in an empty folder as README.md says: the quick start runs from it. */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../src/embedded/free-port';
import { eventually } from '../support/eventually';

const ROOT = path.resolve(__dirname, '../..');
/** The file and the command that README.md names. */
const [, FILE = '', ...COMMAND] =
  /^npm install \.\/(\S+) && (npx) (--no-install) (andiron) (quickstart)$/m.exec(
    readFileSync(path.join(ROOT, 'README.md'), 'utf8'),
  ) ?? [];
const START_MS = 120_000;
const run = promisify(execFile);

let folder: string;
let app: string;
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: folder,
  XDG_STATE_HOME: path.join(folder, 'state'),
  npm_config_cache: process.env['npm_config_cache'] ?? path.join(process.env['HOME'] ?? folder, '.npm'),
});

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-packed-'));
  // The program is built already: building again would change the files that other tests run.
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT });
  app = path.join(folder, 'app');
  await mkdir(app);
  await copyFile(path.join(folder, FILE), path.join(app, FILE));
  await run('npm', ['install', `./${FILE}`, '--no-audit', '--no-fund'], { cwd: app, env: environment() });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('names its version, and has no tests and no sources', async () => {
  const { stdout } = await run('npx', ['--no-install', 'andiron', '--version'], {
    cwd: app,
    env: environment(),
  });
  expect(stdout).toMatch(/^andiron \d+\.\d+\.\d+\n$/);
  const files = await readdir(path.join(app, 'node_modules/andiron'));
  for (const name of ['src', 'test', 'bench', 'scripts', 'node_modules']) expect(files).not.toContain(name);
  const packages = await readdir(path.join(app, 'node_modules'));
  for (const name of ['jest', 'typescript', 'vite', 'react', '@swc']) expect(packages).not.toContain(name);
});

it('runs the quick start with its examples, its schema, the console and the docs', async () => {
  const port = await findFreePort();
  const [program = '', ...args] = COMMAND;
  const child = spawn(program, [...args, '--wait', '--port', String(port)], {
    cwd: app,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  child.stderr.on('data', (part: Buffer) => (output += part.toString()));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(output);
      return Promise.resolve(output.includes('Ctrl-C stops everything'));
    }, START_MS);
    const tenant = `http://127.0.0.1:${port}/w/system/api/v1`;
    const get = async (address: string): Promise<string> => {
      const answer = await fetch(address, { headers: { accept: 'application/json, text/html' } });
      const text = await answer.text();
      expect([address, answer.status]).toEqual([address, 200]);
      return text;
    };
    expect(await get(`${tenant}/fhir/r4/Patient/example`)).toContain('Chalmers');
    expect(await get(`${tenant}/fhir/r4b/Patient/example`)).toContain('Chalmers');
    expect(await get(`${tenant}/graphql/r4/schema.graphql`)).toContain('type Patient');
    expect(await get(`http://127.0.0.1:${port}/docs/`)).toContain('Andiron');
    expect(await get(`http://127.0.0.1:${port}/`)).toContain('<script');
    const commands = await run('npx', ['--no-install', 'andiron', 'tenant', 'list'], {
      cwd: app,
      env: environment(),
    });
    expect(commands.stdout).toContain('system');
  } finally {
    // As Ctrl-C of a terminal does: npx and its shell do not pass a signal on.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
  }
  await ended;
  await eventually(
    async () => !(await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => false)),
    60_000,
  );
});
