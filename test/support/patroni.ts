/** Three machines with etcd, Patroni and Debian's PostgreSQL 15, and an HAProxy in front, set up as docs/run/failover.md prints. */
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chown, mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startChild, type Child } from '../../src/embedded/child';
import { findFreePort } from '../../src/embedded/free-port';
import { findProgram } from '../../src/embedded/redis';
import { findServiceUser, type ServiceUser } from '../../src/embedded/service-user';
import type { TestDatabase } from './database';
import { eventually } from './eventually';
import { closedAtEnd } from './left-open';
import { readBlocks } from './page-blocks';
import { runOnServer, type Connection } from './services';

const PAGE = 'run/failover.md';
const NAMES = ['pg-1', 'pg-2', 'pg-3'] as const;
/** PostgreSQL, etcd and Patroni listen at the ports of the page, and only the addresses are other ones. */
const REST_PORT = 8008;

export interface Machine {
  readonly name: string;
  readonly address: string;
  /** The superuser, at this member itself. */
  readonly settings: Connection;
  /** Sends the signal to etcd, to Patroni and to all processes of PostgreSQL. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Starts etcd and Patroni again after SIGKILL. */
  start(): Promise<void>;
}

export interface PatroniCluster {
  readonly machines: readonly Machine[];
  /** The database of the settings that the page prints, and its superuser. */
  readonly database: TestDatabase;
  readonly superuser: Connection;
  /** The machine that Patroni says is the primary, asked at itself; undefined: none. */
  primary(): Promise<Machine | undefined>;
  /** The members that stream from the primary, with whether they are synchronous. */
  standbys(): Promise<readonly { readonly machine: Machine; readonly isSynchronous: boolean }[]>;
  /** Runs the commands that the page prints under a heading; returns their output. **Throws** Error with it if they fail. */
  runPrinted(heading: string): Promise<string>;
  close(): Promise<void>;
}

const PACKAGES = 'apt-get install patroni etcd-server etcd-client haproxy postgresql-15';

async function requirePrograms(): Promise<void> {
  for (const program of ['patroni', 'patronictl', 'etcd', 'haproxy'])
    if ((await findProgram(program)) === undefined)
      throw new Error(`This test needs ${program} of Debian 12: ${PACKAGES}`);
}

/** Starts a cluster, and creates the roles and the database of the page. */
export async function startPatroni(): Promise<PatroniCluster> {
  await requirePrograms();
  const user = await findServiceUser();
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-patroni-'));
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  // Each run has addresses of its own, so that the ports can be those of the page.
  const network = `127.${randomInt(2, 250)}.${randomInt(1, 250)}`;
  const port = await findFreePort();
  const toLocal = (text: string): string =>
    text
      .replaceAll('10.0.0.0/24', '127.0.0.0/8')
      .replaceAll('10.0.0.', `${network}.`)
      .replace('127.0.0.1:5000', `127.0.0.1:${port}`)
      .replace('PORT=5000', `PORT=${port}`);
  const blocks = await readBlocks(PAGE);
  const print = (heading: string): string => {
    const block = blocks.find((one) => one.heading === heading);
    if (block === undefined) throw new Error(`docs/${PAGE} has no block under '${heading}'`);
    return toLocal(block.text);
  };
  const settings = toVariables(print('Andiron'));
  const machines = await Promise.all(
    NAMES.map((name, index) =>
      startMachine({
        name,
        address: `${network}.${index + 11}`,
        first: `${network}.11`,
        second: `${network}.12`,
        folder: path.join(folder, name),
        user,
        etcd: print('etcd'),
        patroni: print('Patroni'),
      }),
    ),
  );
  const haproxyFile = path.join(folder, 'haproxy.cfg');
  await writeFile(haproxyFile, print('HAProxy').replace(/^ +(?:user|group) .*\n/gm, ''));
  const haproxyLog = await open(path.join(folder, 'haproxy.log'), 'w');
  const haproxy = await startChild('haproxy', ['-db', '-f', haproxyFile], {
    ...{ cwd: folder, ...user, stdio: ['ignore', haproxyLog.fd, haproxyLog.fd], lastSignal: 'SIGKILL' },
    lastFolder: folder,
  });
  await haproxyLog.close();
  const close = closedAtEnd(async () => {
    await Promise.all(machines.map((machine) => machine.close()));
    await haproxy.stop('SIGKILL', 5_000);
    await rm(folder, { recursive: true, force: true });
  });
  const role = async (machine: Machine, asked: string): Promise<boolean> =>
    fetch(`http://${machine.address}:${REST_PORT}/${asked}`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const [first] = machines;
  if (first === undefined) throw new Error('there is no machine');
  const superuser = { ...first.settings, host: '127.0.0.1', port };
  const cluster: PatroniCluster = {
    machines,
    superuser,
    database: {
      settings: {
        ...{ host: '127.0.0.1', port, user: settings['FHIR_DATABASE_USERNAME'] ?? '', ssl: false },
        password: settings['FHIR_DATABASE_PASSWORD'] ?? '',
        database: settings['FHIR_DATABASE_NAME'] ?? '',
      },
      environment: settings,
      drop: () => Promise.resolve(),
    },
    async primary() {
      const found = await Promise.all(machines.map((machine) => role(machine, 'primary')));
      return machines.find((_machine, index) => found[index]);
    },
    async standbys() {
      const found = await Promise.all(
        machines.map(async (machine) => ({
          machine,
          isSynchronous: await role(machine, 'synchronous'),
          isReplica: await role(machine, 'replica'),
        })),
      );
      return found.filter(({ isReplica }) => isReplica);
    },
    async runPrinted(heading) {
      const config = path.join(folder, NAMES[0], 'config.yml');
      const script = print(heading).replaceAll('/etc/patroni/config.yml', config);
      const { stdout } = await promisify(execFile)('bash', ['-ec', script], { timeout: 120_000 });
      return stdout;
    },
    close,
  };
  await eventually(
    async () => (await cluster.standbys()).some(({ isSynchronous }) => isSynchronous),
    300_000,
  );
  await eventually(async () => (await cluster.standbys()).length === 2, 300_000);
  const { user: owner, password, database } = cluster.database.settings;
  for (const statement of [
    'create role andiron_application nologin',
    `create role ${owner} login password '${password}'`,
    `grant andiron_application to ${owner}`,
    `create database ${database} encoding 'UTF8' template template0`,
    `grant create on database ${database} to ${owner}`,
  ])
    await runOnServer(superuser, statement);
  return cluster;
}

/** The lines NAME=value of a file of settings. */
function toVariables(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

interface MachineParts {
  readonly name: string;
  readonly address: string;
  /** The addresses of pg-1, which the page prints, and of pg-2, which only lists of all machines have. */
  readonly first: string;
  readonly second: string;
  readonly folder: string;
  readonly user: ServiceUser | undefined;
  readonly etcd: string;
  readonly patroni: string;
}

async function startMachine(parts: MachineParts): Promise<Machine & { close(): Promise<void> }> {
  const { name, address, first, second, folder, user } = parts;
  for (const each of ['', 'etcd', 'postgresql', 'run']) {
    await mkdir(path.join(folder, each), { recursive: true });
    if (user !== undefined) await chown(path.join(folder, each), user.uid, user.gid);
  }
  const adapt = (text: string): string =>
    text
      .split('\n')
      .map((line) =>
        line.includes(second) ? line : line.replaceAll(first, address).replaceAll('pg-1', name),
      )
      .join('\n')
      .replaceAll('/var/lib/etcd', path.join(folder, 'etcd'))
      .replaceAll('/var/lib/postgresql', path.join(folder, 'postgresql'))
      .replaceAll('/var/run/postgresql', path.join(folder, 'run'));
  const config = path.join(folder, 'config.yml');
  const patroniText = adapt(parts.patroni);
  await writeFile(config, patroniText);
  const dataFolder = /data_dir: (.*)/.exec(patroniText)?.[1] ?? '';
  const password = /superuser:\n.*\n +password: (.*)/.exec(patroniText)?.[1] ?? '';
  const run = async (program: string, words: readonly string[], variables: Record<string, string>) => {
    const log = await open(path.join(folder, `${program}.log`), 'a');
    const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', ...variables };
    try {
      return await startChild(program, words, {
        ...{ cwd: folder, ...user, env, stdio: ['ignore', log.fd, log.fd], lastSignal: 'SIGTERM' },
      });
    } finally {
      await log.close();
    }
  };
  let children: readonly Child[] = [];
  const start = async (): Promise<void> => {
    await Promise.all(children.map((child) => child.ended));
    children = [await run('etcd', [], toVariables(adapt(parts.etcd))), await run('patroni', [config], {})];
  };
  await start();
  const signal = async (which: NodeJS.Signals): Promise<void> => {
    const all = [...children.map(({ processId }) => processId), ...(await findPostgres(dataFolder))];
    for (const processId of all) {
      try {
        process.kill(processId, which);
      } catch {
        // It has ended since.
      }
    }
  };
  return {
    name,
    address,
    settings: { host: address, port: 5432, user: 'postgres', password, database: 'postgres' },
    signal,
    start,
    close: () => signal('SIGKILL'),
  };
}

/** The process ids of the postmaster of a data folder, and of its children. */
async function findPostgres(dataFolder: string): Promise<readonly number[]> {
  const file = await readFile(path.join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => '');
  const postmaster = Number(file.split('\n')[0]);
  if (!(postmaster > 0)) return [];
  const processes = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const children = await Promise.all(
    processes.map(async (entry) => {
      const text = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
      const parent = Number(/\) \S (\d+) /.exec(text)?.[1]);
      return parent === postmaster ? [Number(entry)] : [];
    }),
  );
  return [postmaster, ...children.flat()];
}
