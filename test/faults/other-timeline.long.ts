/**
 * The answers of a server about a lost answer when the database returns: restarted, without its standby, or another one after a
 * failover.
 */
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { identifyBackend } from '../../src/core/storage/connection/backend';
import { requireCommitted } from '../../src/core/storage/connection/lost-answer';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/embedded/postgres';
import { eventually } from '../support/eventually';
import { closedAtEnd } from '../support/left-open';
import { runOnServer, withClient } from '../support/services';

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

/** Sets the standbys that must confirm commits. */
async function setSynchronous(names: string): Promise<void> {
  await runOnServer(settings(), `alter system set synchronous_standby_names = '${names}'`);
  await runOnServer(settings(), 'select pg_reload_conf()');
}

/** The sessions whose commit waits for a standby. */
const countWaiting = (): Promise<number> =>
  withClient(settings(), async (client) => {
    const { rows } = await client.query("select 1 from pg_stat_activity where wait_event = 'SyncRep'");
    return rows.length;
  });

it('what no synchronous standby has confirmed may have been stored, and no session goes on waiting', async () => {
  await setSynchronous('absent');
  closedAtEnd(() => setSynchronous(''));
  const client = new Client(settings());
  client.on('error', () => undefined);
  await client.connect();
  closedAtEnd(() => client.end());
  const backend = await identifyBackend(client);
  let transaction = '';
  let isAnswered = true;
  // The setting applies a moment after the reload.
  await eventually(async () => {
    if (!isAnswered) return (await countWaiting()) === 1;
    await client.query('begin');
    await client.query("select pg_logical_emit_message(true, 'test', '')");
    const { rows } = await client.query<{ number: string }>('select pg_current_xact_id()::text as number');
    transaction = rows[0]?.number ?? '';
    isAnswered = false;
    void client.query('commit').then(
      () => (isAnswered = true),
      () => undefined,
    );
    return false;
  });
  await expect(requireCommitted(settings(), backend, transaction)).rejects.toMatchObject({
    key: 'maybeStored',
  });
  await eventually(async () => (await countWaiting()) === 0);
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
