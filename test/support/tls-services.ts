/** A PostgreSQL and a Redis that speak nothing but TLS. */
import { appendFile, chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { Client } from 'pg';
import { eventually } from './eventually';
import { startChild } from '../../src/embedded/child';
import { findFreePort } from '../../src/embedded/free-port';
import { startEmbeddedPostgres } from '../../src/embedded/postgres';
import type { Certificate } from './certificates';
import type { TestDatabase } from './database';
import { closedAtEnd } from './left-open';
import { findRedisProgram } from './programs';

const START_TIMEOUT_MS = 60_000;

async function waitFor(what: string, isReady: () => Promise<boolean>): Promise<void> {
  await eventually(isReady, START_TIMEOUT_MS).catch(() => {
    throw new Error(`${what} does not speak TLS`);
  });
}

/**
 * A PostgreSQL on 127.0.0.1 with an empty database, which only lets in who comes by TLS. `drop` stops it.
 * @param name what its certificate is for, such as localhost
 * @param authority the PEM text of who signed it
 */
export async function startTlsPostgres(
  certificate: Certificate,
  name: string,
  authority: string,
): Promise<TestDatabase> {
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-tls-postgres-'));
  const postgres = await startEmbeddedPostgres({ folder, durable: false, temporary: true });
  const drop = closedAtEnd(() => postgres.stop());
  const data = path.join(folder, 'postgres');
  const { uid, gid } = await stat(data);
  for (const [file, place] of [
    [certificate.certificateFile, 'server.crt'],
    [certificate.keyFile, 'server.key'],
  ] as const) {
    const copy = path.join(data, place);
    await copyFile(file, copy);
    // PostgreSQL refuses a key that others can read.
    await chmod(copy, 0o600);
    await chown(copy, uid, gid);
  }
  await appendFile(path.join(data, 'postgresql.conf'), '\nssl = on\n');
  await writeFile(path.join(data, 'pg_hba.conf'), 'hostssl all all all scram-sha-256\n');
  process.kill(postgres.processId, 'SIGHUP');
  const { port, user, password } = postgres;
  const settings = { host: name, port, user, password, database: 'postgres', ssl: { ca: authority } };
  await waitFor('PostgreSQL', async () => {
    const client = new Client(settings);
    try {
      await client.connect();
      const { rows } = await client.query<{ ssl: boolean }>(
        'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
      );
      return rows[0]?.ssl === true;
    } catch {
      return false;
    } finally {
      await client.end();
    }
  });
  return {
    settings,
    environment: {
      FHIR_DATABASE_HOST: name,
      FHIR_DATABASE_PORT: String(port),
      FHIR_DATABASE_USERNAME: user,
      FHIR_DATABASE_PASSWORD: password,
      FHIR_DATABASE_NAME: 'postgres',
    },
    drop,
  };
}

export interface TlsRedis {
  readonly port: number;
  stop(): Promise<void>;
}

function answersPing(port: number, authority: string): Promise<boolean> {
  return new Promise((resolve) => {
    // The tests are about the names in the certificate.
    const socket = connect({ host: '127.0.0.1', port, ca: authority, checkServerIdentity: () => undefined });
    const finish = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('secureConnect', () => socket.write('PING\r\n'));
    socket.once('data', (answer) => finish(answer.toString().startsWith('+PONG')));
  });
}

/**
 * A Redis on 127.0.0.1, at `port` or at a free one, without a port for plain connections.
 * @param authority the PEM text of who signed its certificate
 */
export async function startTlsRedis(
  certificate: Certificate,
  authority: string,
  port?: number,
): Promise<TlsRedis> {
  const chosen = port ?? (await findFreePort());
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-tls-redis-'));
  const network = ['--bind', '127.0.0.1', '--port', '0', '--tls-port', String(chosen)];
  const { certificateFile, keyFile } = certificate;
  const tls = ['--tls-cert-file', certificateFile, '--tls-key-file', keyFile, '--tls-auth-clients', 'no'];
  // Redis requires an authority even if it does not verify client certificates.
  const own = ['--tls-ca-cert-file', certificateFile, '--save', '', '--dir', folder];
  const server = await startChild(await findRedisProgram(), [...network, ...tls, ...own], {
    cwd: folder,
    stdio: 'ignore',
    lastSignal: 'SIGTERM',
    lastFolder: folder,
  });
  const stop = closedAtEnd(async () => {
    await server.stop('SIGTERM', 5_000);
    await rm(folder, { recursive: true, force: true });
  });
  await waitFor('Redis', () => answersPing(chosen, authority));
  return { port: chosen, stop };
}
