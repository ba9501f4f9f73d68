/**
 * The image and compose.yaml without a container engine: the files that the Dockerfile copies, its commands, and the database that
 * compose.yaml sets up, on a PostgreSQL of its own.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '../../src/embedded/free-port';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/postgres';
import { fieldAt, readYaml, ROOT } from '../support/deployment-files';
import { findOrInstall } from '../support/programs';
import { findServices } from '../support/services';

/** A text with characters that SQL and shells treat in their own way. */
const PASSWORD = `it's $1 "only" \\ a test`;
const run = promisify(execFile);

let folder: string;
let tree: string;
let postgres: EmbeddedPostgres;
let dockerfile: string;

/** Copies what the .dockerignore leaves, like an engine does before it builds. */
async function copyContext(target: string): Promise<void> {
  const lines = (await readFile(path.join(ROOT, '.dockerignore'), 'utf8')).split('\n');
  const [first, ...others] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  expect([first, others.at(-1)]).toEqual(['*', '**/node_modules']);
  for (const line of others.slice(0, -1)) {
    expect(line).toMatch(/^![\w./-]+$/);
    const name = line.slice(1);
    await mkdir(path.dirname(path.join(target, name)), { recursive: true });
    await cp(path.join(ROOT, name), path.join(target, name), {
      recursive: true,
      filter: (source) => path.basename(source) !== 'node_modules',
    });
  }
}

/** Runs create-roles.sql as the image of PostgreSQL does. */
async function setUpDatabase(): Promise<void> {
  const psql = await findOrInstall('psql', 'postgresql-client');
  if (psql === undefined) throw new Error('This test needs psql: apt-get install postgresql-client');
  const { host, port, user, password } = postgres;
  const env = { ...process.env, PGPASSWORD: password, FHIR_DATABASE_PASSWORD: PASSWORD };
  const connection = ['-h', host, '-p', String(port), '-U', user];
  await run(psql, [...connection, '-c', 'create database andiron'], { env });
  const file = path.join(ROOT, 'deploy/compose/create-roles.sql');
  await run(psql, [...connection, '-d', 'andiron', '-f', file], { env });
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-image-'));
  tree = path.join(folder, 'tree');
  dockerfile = await readFile(path.join(ROOT, 'Dockerfile'), 'utf8');
  const context = path.join(folder, 'context');
  await mkdir(context);
  await copyContext(context);
  // The packages that `npm ci` of the Dockerfile installs, also for the workspace.
  for (const installed of ['node_modules', 'console/node_modules'])
    await symlink(path.join(ROOT, installed), path.join(context, installed));
  await run('deploy/production-tree.sh', [tree], { cwd: context });
  postgres = await startEmbeddedPostgres({
    folder: path.join(folder, 'database'),
    durable: false,
    temporary: true,
  });
  await setUpDatabase();
});
afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The command behind the last line of the Dockerfile that ends with it. */
function commandOf(pattern: RegExp): readonly [string, ...string[]] {
  const [, text] = pattern.exec(dockerfile) ?? [];
  return JSON.parse(text ?? '') as [string, ...string[]];
}

/** The environment of a service of compose.yaml, with the services of this test. */
function environmentOf(service: string, port: number): Record<string, string> {
  const { redis } = findServices();
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    ...(fieldAt(readYaml(path.join(ROOT, 'compose.yaml')), `services.${service}.environment`) as object),
    FHIR_DATABASE_HOST: postgres.host,
    FHIR_DATABASE_PORT: String(postgres.port),
    FHIR_DATABASE_PASSWORD: PASSWORD,
    REDIS_HOST: redis.host,
    REDIS_PORT: String(redis.port),
    REDIS_PASSWORD: '',
    PUBLIC_URL: `http://localhost:${port}`,
    PORT: String(port),
    METRICS_ADDRESS: 'off',
  };
}

/** Runs a command of the image to its end, and returns its code. */
async function codeOf(command: readonly [string, ...string[]], env: Record<string, string>): Promise<number> {
  const [program, ...options] = command;
  const [code] = (await once(spawn(program, options, { cwd: tree, env, stdio: 'inherit' }), 'exit')) as [
    number,
  ];
  return code;
}

async function waitUntil(condition: () => Promise<boolean>, server: ChildProcess): Promise<void> {
  while (!(await condition())) {
    if (server.exitCode !== null) throw new Error(`The server ended with code ${server.exitCode}`);
    await delay(50);
  }
}

it('migrates, starts healthy, requires credentials and stops in order, as an owner that is no superuser', async () => {
  const port = await findFreePort();
  const migrate = fieldAt(readYaml(path.join(ROOT, 'compose.yaml')), 'services.migrate.command');
  expect(await codeOf(migrate as [string, ...string[]], environmentOf('migrate', port))).toBe(0);

  const env = environmentOf('server', port);
  const healthy = commandOf(/^HEALTHCHECK [^]*?CMD (\[.*\])$/m);
  expect(await codeOf(healthy, env)).toBe(1);
  const [program, ...options] = commandOf(/^CMD (\[.*\])$/m);
  const server = spawn(program, options, { cwd: tree, env, stdio: 'inherit' });
  const ended = once(server, 'exit');
  try {
    await waitUntil(async () => (await codeOf(healthy, env)) === 0, server);
    const get = (address: string): Promise<Response> => fetch(`http://localhost:${port}${address}`);
    const ready = await get('/health/ready');
    // No notice: the role with row-level security is in use, and Redis too.
    expect(await ready.json()).toEqual({ status: 'ready', notices: [] });
    expect((await get('/w/system/api/v1/fhir/r4/metadata')).status).toBe(200);
    expect((await get('/w/system/api/v1/fhir/r4/Patient')).status).toBe(401);
  } finally {
    server.kill(/^STOPSIGNAL (\w+)$/m.exec(dockerfile)?.[1] as NodeJS.Signals);
    expect(await ended).toEqual([0, null]);
  }
});
