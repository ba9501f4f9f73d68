/** A PostgreSQL for one run of the bench, with fsync and synchronous_commit on. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { requireBuilt, stopAtEnd } from './processes.mjs';

/** Megabytes that seven rounds of 4 s of imports write, including the limit server's; less than `max_wal_size`. */
const LOG_MEGABYTES = 2560;

/**
 * Starts an empty cluster, which is removed with its folder when the bench ends.
 * @returns port, process id, password of the superuser `postgres`, version, `url(database)`, `query(database, text)`
 *   (rows), `createDatabase(name, template)`, `readyLog()`
 */
export async function startPostgres() {
  const { startEmbeddedPostgres } = requireBuilt('embedded/postgres.js');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'andiron-bench-postgres-'));
  fs.chmodSync(folder, 0o755);
  const { port, processId, password } = await stopAtEnd(
    startEmbeddedPostgres({ folder, durable: true, temporary: true }),
    (server) => server.stop(),
  );
  const url = (database) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const query = async (database, text) => {
    const client = new pg.Client({ connectionString: url(database) });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const [settings] = await query(
    'postgres',
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as synchronous_commit, current_setting('full_page_writes') as full_page_writes`,
  );
  const { version, ...durability } = settings;
  for (const [name, value] of Object.entries(durability)) {
    if (value !== 'on') throw new Error(`the bench measures with ${name} on, and it is ${value}`);
  }
  /** Does nothing where the database exists. */
  const createDatabase = async (name, template = 'template1') => {
    const present = await query('postgres', `select from pg_database where datname = '${name}'`);
    if (present.length === 0) await query('postgres', `create database ${name} template ${template}`);
  };
  /**
   * Ends with a checkpoint after which LOG_MEGABYTES of the write-ahead log go into existing files, as on a server that has
   * run for a while. A new server creates each file while its clients wait.
   */
  const readyLog = async () => {
    await query('postgres', `alter system set min_wal_size = '${LOG_MEGABYTES}MB'`);
    await query('postgres', 'select pg_reload_conf()');
    await query(
      'postgres',
      `select count(pg_logical_emit_message(false, 'bench', repeat('x', 1000000))) from generate_series(1, ${LOG_MEGABYTES})`,
    );
    // The first checkpoint recycles the files from before, the second those of the messages.
    await query('postgres', 'checkpoint');
    await query('postgres', 'checkpoint');
  };
  return { port, processId, password, version, url, query, createDatabase, readyLog };
}
