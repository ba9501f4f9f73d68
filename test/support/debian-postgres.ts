/** Clusters of Debian's PostgreSQL 15, whose programs (pg_dump, pg_basebackup …) the embedded PostgreSQL does not have. */
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../src/embedded/free-port';
import { findServiceUser, type ServiceUser } from '../../src/embedded/service-user';
import type { TestDatabase } from './database';
import { NPX_LINE } from './launch';
import { closedAtEnd } from './left-open';
import type { Connection } from './services';

const BIN = '/usr/lib/postgresql/15/bin';
const PASSWORD = 'superuser-of-the-test';
const run = promisify(execFile);

/** A folder in which commands find clusters, backups and the archive. */
export interface BackupFolder {
  readonly folder: string;
  /** Runs commands of bash, which end at the first error, with these variables. **Throws** Error with their output. */
  runScript(script: string, variables: Readonly<Record<string, string>>): Promise<string>;
  /** A new cluster that runs, with a superuser `postgres`; `name` is that of its folder. */
  startCluster(name: string): Promise<Cluster>;
  /** A standby that streams from a cluster. */
  startStandby(of: Cluster, name: string): Promise<Cluster>;
}

export interface Cluster {
  /** The settings of the superuser, for the database `postgres`. */
  readonly settings: Connection;
  /** PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATA. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The database `andiron` of a cluster, for a role that need not be a superuser. It ends with its cluster. */
export function databaseOf(
  { settings: { host, port } }: Cluster,
  user: string,
  password: string,
): TestDatabase {
  return {
    settings: { host, port, user, password, database: 'andiron', ssl: false },
    environment: {
      FHIR_DATABASE_HOST: host,
      FHIR_DATABASE_PORT: String(port),
      FHIR_DATABASE_USERNAME: user,
      FHIR_DATABASE_PASSWORD: password,
      FHIR_DATABASE_NAME: 'andiron',
    },
    drop: () => Promise.resolve(),
  };
}

/**
 * Makes a folder whose owner runs PostgreSQL. It is removed after the test.
 * @throws Error where Debian's PostgreSQL 15 is not installed
 */
export async function makeBackupFolder(): Promise<BackupFolder> {
  const user = await findServiceUser();
  await run(path.join(BIN, 'pg_basebackup'), ['--version']).catch(() => {
    throw new Error("This test needs Debian's PostgreSQL: apt-get install postgresql-15");
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-backup-'));
  await chmod(folder, 0o755);
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  closedAtEnd(() => rm(folder, { recursive: true, force: true }));
  await addProgram(folder);
  const runScript: BackupFolder['runScript'] = (script, variables) =>
    runBash(script, { folder, user, variables });
  return {
    folder,
    runScript,
    startCluster: (name) => startCluster(runScript, path.join(folder, name)),
    startStandby: (of, name) => startStandby(runScript, of, path.join(folder, name)),
  };
}

/** `npx` on the PATH, by which the pages call the program. */
async function addProgram(folder: string): Promise<void> {
  const program = path.join(folder, 'bin', 'npx');
  await mkdir(path.dirname(program));
  await writeFile(program, `#!/bin/sh\n${NPX_LINE}\n`, { mode: 0o755 });
}

interface BashOptions {
  readonly folder: string;
  readonly user: ServiceUser | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

async function runBash(script: string, { folder, user, variables }: BashOptions): Promise<string> {
  const env = {
    ...variables,
    PATH: `${path.join(folder, 'bin')}:${BIN}:${process.env['PATH']}`,
    LC_ALL: 'C',
  };
  // The servers that pg_ctl starts keep the outputs open, so that no pipe may lead here.
  const output = path.join(folder, 'output');
  const whole = `set -euo pipefail\nexec >'${output}' 2>&1 </dev/null\numask 077\n${script}`;
  const options = { cwd: folder, env, ...user, timeout: 120_000 };
  const read = (): Promise<string> => readFile(output, 'utf8').catch(() => '');
  return run('bash', ['-c', whole], options).then(read, async (error: Error) => {
    throw new Error(`${script}\n${await read()}${error.message}`);
  });
}

async function startCluster(runScript: BackupFolder['runScript'], data: string): Promise<Cluster> {
  const port = await findFreePort();
  const settings = {
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: PASSWORD,
    database: 'postgres',
  };
  const variables = {
    PGHOST: settings.host,
    PGPORT: String(port),
    PGUSER: settings.user,
    PGPASSWORD: PASSWORD,
    PGDATA: data,
  };
  closedAtEnd(async () => {
    await runScript('pg_ctl -m immediate stop', variables);
  });
  await runScript(
    `printf %s "$PGPASSWORD" >password
     initdb -U postgres --auth=scram-sha-256 --pwfile=password -E UTF8 --locale=C.UTF-8 --no-sync
     printf '%s\\n' "port = $PGPORT" "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" >>"$PGDATA/postgresql.conf"
     pg_ctl -w -l "$PGDATA/log" start`,
    variables,
  );
  return { settings, variables };
}

async function startStandby(
  runScript: BackupFolder['runScript'],
  { settings: primary, variables }: Cluster,
  data: string,
): Promise<Cluster> {
  const settings = { ...primary, port: await findFreePort() };
  const own = { ...variables, PGPORT: String(settings.port), PGDATA: data };
  closedAtEnd(async () => {
    await runScript('pg_ctl -m immediate stop || true', own);
  });
  await runScript(
    `PGPORT=${primary.port} pg_basebackup --write-recovery-conf --checkpoint=fast --no-sync --pgdata="$PGDATA"
     echo "port = $PGPORT" >>"$PGDATA/postgresql.conf"
     pg_ctl -w -l "$PGDATA/log" start`,
    own,
  );
  return { settings, variables: own };
}
