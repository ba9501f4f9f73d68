import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '../../src/embedded/free-port';
import { createHttpClient } from '../support/http';
import { closedAtEnd } from '../support/left-open';
import { slowness } from '../support/machine-speed';
import { IS_LANDING } from '../support/rounds';

const CLI = path.resolve(__dirname, '..', '..', 'dist', 'src', 'cli.js');
const R4 = '/w/system/api/v1/fhir/r4';

/** Not that of the user who runs the tests. */
let stateFolder: string;
beforeAll(async () => {
  stateFolder = await mkdtemp(path.join(tmpdir(), 'andiron-state-test-'));
});
afterAll(() => rm(stateFolder, { recursive: true, force: true }));

/** Runs a command in a shell without settings; returns what it prints. */
async function andiron(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: process.env['PATH'], XDG_STATE_HOME: stateFolder };
  return promisify(execFile)(process.execPath, [CLI, ...args], { cwd: tmpdir(), env });
}

interface Quickstart {
  readonly child: ChildProcess;
  readonly address: string;
  readonly seconds: number;
  /** The output when it was ready. */
  readonly output: string;
  printed(): string;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a quick start, and waits until it is ready. */
const startQuickstart = (args: readonly string[]): Promise<Quickstart> =>
  startUntilReady(['--wait', ...args]);

/** The same without `--wait`: the examples are loaded later. */
async function startUntilReady(args: readonly string[]): Promise<Quickstart> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [CLI, 'quickstart', '--port', String(port), ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], METRICS_ADDRESS: 'off', XDG_STATE_HOME: stateFolder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  closedAtEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const begun = performance.now();
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  child.stderr.on('data', (part: Buffer) => (output += part.toString()));
  while (!output.includes('Ctrl-C stops everything')) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The quick start ended:\n${output}`);
    await delay(20);
  }
  const seconds = (performance.now() - begun) / 1000;
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return ended;
  };
  return { child, address: `http://127.0.0.1:${port}`, seconds, output, printed: () => output, end };
}

/** Processes that work in a folder, by their command line or their working directory. */
async function processesOf(folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    'for p in /proc/[0-9]*; do case "$(readlink $p/cwd 2>/dev/null)" in "$1"*) echo "$p";; esac; done',
    'find',
    folder,
  ]);
  return stdout;
}

async function waitUntil(isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let waited = 0; waited < 15_000 && !(await isSo()); waited += 50) await delay(50);
  expect(await isSo()).toBe(true);
}

describe('the quick start', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'andiron-quickstart-test-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('stores the data of --data, for one run at a time, starts again quickly and leaves no process, killed or not', async () => {
    const storedPatient = `${R4}/Patient/kept`;
    const first = await startQuickstart(['--empty', '--data', folder]);
    const client = createHttpClient(first.address);
    expect((await client.request('PUT', storedPatient, { resourceType: 'Patient', id: 'kept' })).status).toBe(
      201,
    );
    const { json: server } = await client.request('GET', '/w/system/api/v1/server/settings');
    const source = (name: string) =>
      server.settings.find((setting: { name: string }) => setting.name === name).source;
    expect(['FHIR_DATABASE_PORT', 'LOG_LEVEL', 'PORT', 'MAX_BODY_BYTES'].map(source)).toEqual([
      ...['the quick start', 'the quick start', '--port', 'default'],
    ]);
    client.close();
    await expect(startQuickstart(['--empty', '--data', folder])).rejects.toThrow(
      `${folder} is in use by process`,
    );
    expect(await first.end('SIGINT')).toBe(0);
    expect(await processesOf(folder)).toBe('');

    const second = await startQuickstart(['--empty', '--data', folder]);
    if (!IS_LANDING) expect(second.seconds / slowness()).toBeLessThan(8);
    const again = createHttpClient(second.address);
    expect((await again.request('GET', storedPatient)).status).toBe(200);
    const late = { resourceType: 'Patient', id: 'late' };
    expect((await again.request('PUT', `${R4}/Patient/late`, late)).status).toBe(201);
    again.close();
    await second.end('SIGKILL');

    const third = await startQuickstart(['--empty', '--data', folder]);
    const last = createHttpClient(third.address);
    for (const path of [storedPatient, `${R4}/Patient/late`])
      expect((await last.request('GET', path)).status).toBe(200);
    last.close();
    expect(await third.end('SIGTERM')).toBe(0);
    await waitUntil(async () => (await processesOf(folder)) === '');
  });

  it('is ready before the examples are loaded, says so, and continues the load after a Ctrl-C', async () => {
    const first = await startUntilReady(['--data', folder]);
    const client = createHttpClient(first.address);
    const { status, json } = await client.request('GET', '/health/ready');
    expect([status, json.notices]).toEqual([
      200,
      [expect.stringMatching(/^The examples are being loaded/), ...json.notices.slice(1)],
    ]);
    expect((await client.request('GET', `${R4}/Patient?_summary=count`)).status).toBe(200);
    client.close();
    expect(await first.end('SIGINT')).toBe(0);
    expect(first.printed()).not.toMatch(/examples are stored|andiron: /);
    expect(existsSync(path.join(folder, 'examples-loaded'))).toBe(false);

    const second = await startQuickstart(['--data', folder]);
    expect(second.output).toMatch(/1,890 examples are stored\.[^]*Andiron is ready/);
    const again = createHttpClient(second.address);
    for (const address of [`${R4}/Patient/example`, `${R4.replace('r4', 'r4b')}/Patient/example`])
      expect((await again.request('GET', address)).status).toBe(200);
    const { json: health } = await again.request('GET', '/health/ready');
    expect(JSON.stringify(health.notices)).not.toContain('being loaded');
    expect((await again.request('GET', '/docs/')).text).toContain('Andiron');
    again.close();
    expect(await second.end('SIGINT')).toBe(0);
  });

  it('removes everything when it was killed, unless it has --data', async () => {
    const run = await startQuickstart(['--empty']);
    const status = await readFile(`/proc/${run.child.pid}/task/${run.child.pid}/children`, 'utf8').catch(
      () => '',
    );
    const children = status.trim().split(' ').filter(Boolean);
    await run.end('SIGKILL');
    await waitUntil(() => children.every((child) => !existsSync(`/proc/${child}`)));
  });

  it('is found by the commands without any setting, with --data and without', async () => {
    await expect(andiron('tenant', 'list', '--data', folder)).rejects.toThrow(
      `No quick start runs on ${folder}`,
    );
    const run = await startQuickstart(['--empty', '--data', folder]);
    for (const data of [[], ['--data', folder]]) {
      const { stdout, stderr } = await andiron('tenant', 'list', ...data);
      expect([stdout, stderr]).toEqual([
        expect.stringMatching(/^system +active/),
        expect.stringContaining(`Using the quick start at ${run.address}`),
      ]);
    }
    await andiron('tenant', 'create', 'beta');
    const client = createHttpClient(run.address);
    while ((await client.request('GET', '/w/beta/api/v1/fhir/r4/Patient')).status !== 200) await delay(50);
    client.close();
    expect((await stat(path.join(stateFolder, 'andiron', 'quickstart.json'))).mode & 0o777).toBe(0o600);
    expect(await run.end('SIGTERM')).toBe(0);
    expect(await readdir(path.join(stateFolder, 'andiron'))).toEqual([]);
    const after = (await andiron('tenant', 'list').catch((error: unknown) => error)) as { stderr: string };
    expect(after.stderr).not.toContain('Using the quick start');
  });

  it('answers nobody without credentials where other machines reach it, and prints commands with those of a first client', async () => {
    const run = await startQuickstart(['--empty', '--data', folder, '--host', '0.0.0.0']);
    const { output } = run;
    expect(output).toContain('answers nobody without credentials');
    expect(output).toMatch(/To sign in to the console: user admin, password \S{20}\n/);
    expect(output).toMatch(/from another machine: use https, or ssh -L (\d+):localhost:\1\n/);
    const [command = ''] = /curl -u .*name=chalmers'/.exec(output) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('curl', 'curl -s')]);
    expect(JSON.parse(stdout)).toMatchObject({ resourceType: 'Bundle', type: 'searchset' });
    const client = createHttpClient(run.address);
    expect((await client.request('GET', `${R4}/Patient`)).status).toBe(401);
    client.close();
    expect(await run.end('SIGTERM')).toBe(0);
    const again = await startQuickstart(['--empty', '--data', folder, '--host', '0.0.0.0']);
    expect(again.output).toContain('Its first client was made by an\n  earlier run');
    expect(again.output).not.toContain('password');
    expect(await again.end('SIGTERM')).toBe(0);
  });
});
