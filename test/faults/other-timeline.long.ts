/**
 * The answers of a server about a lost answer when the database returns: restarted, or another one after a failover.
 */
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { identifyBackend } from '../../src/core/storage/connection/backend';
import { requireCommitted } from '../../src/core/storage/connection/lost-answer';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/embedded/postgres';
import { closedAtEnd } from '../support/left-open';

let folder: string;
let postgres: EmbeddedPostgres;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-timeline-'));
  await start();
  closedAtEnd(() => postgres.stop());
});
afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  postgres = await startEmbeddedPostgres({ folder, durable: true, temporary: false });
}
const settings = () => {
  const { host, port, user, password } = postgres;
  return { host, port, user, password, database: 'postgres', ssl: false as const };
};

/** Commits a transaction on a connection of its own: its backend and number. */
async function commit() {
  const client = new Client(settings());
  await client.connect();
  const backend = await identifyBackend(client);
  await client.query('begin');
  const { rows } = await client.query<{ number: string }>('select pg_current_xact_id()::text as number');
  await client.query('commit');
  await client.end();
  return { backend, transaction: rows[0]?.number ?? '' };
}

it('a restarted PostgreSQL shows whether it was stored', async () => {
  const { backend, transaction } = await commit();
  await postgres.stop();
  await start();
  await requireCommitted(settings(), backend, transaction);
});

it('after a failover to another timeline it may have been stored', async () => {
  const { backend, transaction } = await commit();
  await postgres.stop();
  // Recovery from an archive ends with a timeline of its own, as the promotion of a standby does.
  const data = path.join(folder, 'postgres');
  await appendFile(path.join(data, 'postgresql.auto.conf'), "restore_command = 'false'\n");
  await writeFile(path.join(data, 'recovery.signal'), '', { mode: 0o644 });
  await start();
  await expect(requireCommitted(settings(), backend, transaction)).rejects.toMatchObject({
    key: 'maybeStored',
  });
});
