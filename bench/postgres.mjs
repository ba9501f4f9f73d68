/** A PostgreSQL of its own for one run of the bench, with fsync and synchronous_commit on. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { requireBuilt, stopAtEnd } from './processes.mjs';

/** What seven rounds of 4 s of imports write, theirs and the limit server's; less than `max_wal_size` allows. */
const LOG_MEGABYTES = 2560;

/**
 * Starts an empty cluster; it and its folder are gone when the bench is.
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
  /** Nothing where there is one of that name. */
  const createDatabase = async (name, template = 'template1') => {
    const known = await query('postgres', `select from pg_database where datname = '${name}'`);
    if (known.length === 0) await query('postgres', `create database ${name} template ${template}`);
  };
  /**
   * Ends in a checkpoint after which LOG_MEGABYTES of the write-ahead log go into files that are there already, as on a
   * server that has been writing for a while. A new one makes each file while its clients wait.
   */
  const readyLog = async () => {
    await query('postgres', `alter system set min_wal_size = '${LOG_MEGABYTES}MB'`);
    await query('postgres', 'select pg_reload_conf()');
    await query(
      'postgres',
      `select count(pg_logical_emit_message(false, 'bench', repeat('x', 1000000))) from generate_series(1, ${LOG_MEGABYTES})`,
    );
    // The first gives the files of what was before back, the second those of the messages.
    await query('postgres', 'checkpoint');
    await query('postgres', 'checkpoint');
  };
  return { port, processId, password, version, url, query, createDatabase, readyLog };
}
