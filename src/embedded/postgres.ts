/** Runs a PostgreSQL for the quick start and the tests: initdb once, then one server process on loopback. */
import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readlink,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from './child';
import { findFreePort } from './free-port';
import { type PostgresBinaries, preparePostgresBinaries } from './postgres-binaries';
import { findServiceUser, type ServiceUser } from './service-user';

export interface EmbeddedPostgresOptions {
  /** Contains `postgres` (the cluster), its password and its log. The folder is made when it does not exist. */
  readonly folder: string;
  /** False: a crash of the machine may lose all data, and writes are several times faster. */
  readonly durable: boolean;
  /** True: the folder is removed when PostgreSQL stops, or when this process is gone. */
  readonly temporary: boolean;
}

export interface EmbeddedPostgres {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly processId: number;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;

interface Cluster {
  readonly folder: string;
  readonly binaries: PostgresBinaries;
  readonly user: ServiceUser | undefined;
}

/**
 * Returns the path of the cluster for a PostgreSQL program, and its spawn options. Root runs PostgreSQL under another
 * account, which may not enter the folders above the cluster, such as root's home. On Linux the program then starts
 * inside the folder and finds it through /proc.
 */
function placeOf(
  cluster: Cluster,
  data: string,
): { directory: string; spawn: { cwd: string; uid?: number; gid?: number } } {
  const directory = cluster.user !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : data;
  return { directory, spawn: { cwd: data, ...cluster.user } };
}

function tail(text: string): string {
  return text.trim().split('\n').slice(-8).join('\n');
}

async function own(place: string, user: ServiceUser | undefined): Promise<void> {
  if (user !== undefined) await chown(place, user.uid, user.gid);
}

/** Makes a new cluster beside its final folder and renames it when it is complete. */
async function initialize(cluster: Cluster, password: string): Promise<void> {
  const fresh = path.join(cluster.folder, 'postgres.new');
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  await own(fresh, cluster.user);
  const handover = await mkdtemp(path.join(tmpdir(), 'andiron-initdb-'));
  const passwordFile = path.join(handover, 'password');
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    await own(passwordFile, cluster.user);
    await own(handover, cluster.user);
    const { directory, spawn } = placeOf(cluster, fresh);
    const settings = [
      '-U',
      'postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
    ];
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const log = path.join(handover, 'log');
    const ended = await runToEnd(
      path.join(cluster.binaries.folder, 'bin', 'initdb'),
      ['-D', directory, ...settings, ...locale, '--no-sync', '--no-instructions'],
      spawn,
      log,
    );
    if (ended !== 'with code 0') {
      throw new Error(`initdb ended ${ended}:\n${tail(await readFile(log, 'utf8'))}`);
    }
    await rename(fresh, path.join(cluster.folder, 'postgres'));
  } finally {
    await rm(handover, { recursive: true, force: true });
  }
}

async function runToEnd(
  command: string,
  args: readonly string[],
  options: { cwd: string; uid?: number; gid?: number },
  log: string,
): Promise<string> {
  const output = await open(log, 'w');
  try {
    const stdio: ['ignore', number, number] = ['ignore', output.fd, output.fd];
    const child = await startChild(command, args, {
      ...options,
      env: plainEnvironment(),
      stdio,
      lastSignal: 'SIGTERM',
    });
    return await child.ended;
  } finally {
    await output.close();
  }
}

/**
 * Returns the environment without the variables that change the behaviour of libpq and PostgreSQL. Messages are in
 * English, because this code reads them.
 */
function plainEnvironment(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(variables), LC_ALL: 'C' };
}

/** Returns the id of a server process that an earlier run left behind, if it still runs. */
async function findOrphan(data: string): Promise<number | undefined> {
  const text = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => undefined);
  const processId = Number(text?.split('\n')[0]);
  if (!Number.isInteger(processId) || processId <= 1) return undefined;
  try {
    process.kill(processId, 0);
  } catch {
    return undefined;
  }
  // The id may belong to another process by now. The working directory of a server is its cluster.
  const directory = await readlink(`/proc/${processId}/cwd`).catch(() => undefined);
  return directory === undefined || directory === path.resolve(data) ? processId : undefined;
}

/** A backend may outlive a killed server by a moment, and still make files. */
const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });

function endProcess(processId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(processId, signal);
  } catch {
    // The process has ended meanwhile.
  }
}

/** Ends the server of an earlier run, and removes the files that would prevent the next start. */
async function clearRemains(data: string): Promise<void> {
  const orphan = await findOrphan(data);
  if (orphan !== undefined) {
    for (const [signal, patienceMs] of [
      ['SIGINT', STOP_TIMEOUT_MS],
      ['SIGKILL', 5_000],
    ] as const) {
      endProcess(orphan, signal);
      for (let waited = 0; waited < patienceMs; waited += 50) {
        if ((await findOrphan(data)) === undefined) return;
        await delay(50);
      }
    }
    throw new Error(`PostgreSQL (process ${orphan}) of an earlier run in ${data} does not end`);
  }
  await rm(path.join(data, 'postmaster.pid'), { force: true });
}

/** Waits until the server's lock file says that it accepts connections. */
async function waitUntilReady(server: Child, data: string, log: string): Promise<void> {
  for (let waited = 0; waited < START_TIMEOUT_MS && server.isRunning(); waited += 20) {
    const lines = (await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (lines[0]?.trim() === String(server.processId) && lines[7]?.trim() === 'ready') return;
    await delay(20);
  }
  await server.stop('SIGQUIT', 5_000);
  throw new Error(
    `PostgreSQL did not start (ended ${await server.ended}):\n${tail(await readFile(log, 'utf8'))}`,
  );
}

/**
 * Returns a sixteenth of the available memory, from 128 to 512 MB. With less, index pages are written out
 * and read again from about 30,000 resources on.
 */
function bufferMegabytes(): number {
  const available = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.min(512, Math.max(128, Math.floor(available / 2 ** 24)));
}

async function startServer(cluster: Cluster, options: EmbeddedPostgresOptions, port: number): Promise<Child> {
  const data = path.join(cluster.folder, 'postgres');
  const logFile = path.join(cluster.folder, 'postgres.log');
  const { directory, spawn } = placeOf(cluster, data);
  const settings: Record<string, string | number> = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: `${options.durable ? bufferMegabytes() : 128}MB`,
    max_wal_size: '4GB',
    timezone: 'UTC',
    ...(options.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = await open(logFile, 'w');
  try {
    const server = await startChild(
      path.join(cluster.binaries.folder, 'bin', 'postgres'),
      ['-D', directory, ...args],
      {
        ...spawn,
        env: plainEnvironment(),
        stdio: ['ignore', log.fd, log.fd],
        lastSignal: 'SIGINT',
        ...(options.temporary ? { lastFolder: cluster.folder } : {}),
      },
    );
    await waitUntilReady(server, data, logFile);
    return server;
  } finally {
    await log.close();
  }
}

async function loadPassword(cluster: Cluster): Promise<string> {
  const file = path.join(cluster.folder, 'postgres.password');
  const version = await readFile(path.join(cluster.folder, 'postgres', 'PG_VERSION'), 'utf8').catch(
    () => undefined,
  );
  if (version === undefined) {
    const password = randomBytes(24).toString('hex');
    await writeFile(file, password, { mode: 0o600 });
    await chmod(file, 0o600);
    await initialize(cluster, password);
    return password;
  }
  const { major } = cluster.binaries;
  if (major !== version.trim()) {
    throw new Error(`${cluster.folder} was written by PostgreSQL ${version.trim()}, and this is ${major}`);
  }
  return (await readFile(file, 'utf8')).trim();
}

/**
 * Starts a PostgreSQL on a free port of 127.0.0.1, with a superuser `postgres` and a random password. It first stops a
 * server that an earlier run left in `folder`, and removes its lock file. The caller makes sure that no running process
 * uses the folder.
 * Cost: about 0.6 s for a new cluster, 0.1 s for one that exists.
 * @throws Error with the end of PostgreSQL's log when it does not start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const user = await findServiceUser();
  const cluster: Cluster = {
    folder: path.resolve(options.folder),
    binaries: await preparePostgresBinaries(user !== undefined),
    user,
  };
  await mkdir(cluster.folder, { recursive: true, mode: 0o755 });
  const password = await loadPassword(cluster);
  await clearRemains(path.join(cluster.folder, 'postgres'));
  const { server, port } = await startOnFreePort(cluster, options);
  return {
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password,
    processId: server.processId,
    async stop() {
      // A temporary cluster needs no last checkpoint.
      await server.stop(options.temporary ? 'SIGQUIT' : 'SIGINT', STOP_TIMEOUT_MS);
      if (options.temporary) await removeFolder(cluster.folder);
    },
  };
}

/** Tries the next port when another process takes a free port before the server uses it. */
async function startOnFreePort(
  cluster: Cluster,
  options: EmbeddedPostgresOptions,
): Promise<{ server: Child; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    try {
      return { server: await startServer(cluster, options, port), port };
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('could not bind');
      if (!isTaken || attempt === 5) throw error;
    }
  }
}
