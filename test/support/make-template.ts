/** The migrated database that each test database is a copy of. */
import { loadSettings } from '../../src/config';
import { baseContent } from '../../src/core/conformance/base-resources';
import { migrate } from '../../src/core/storage/schema/migrate';
import { silentLog } from './log';
import { runOnServer, type Connection } from './services';

/** Its name in the clusters of `startPreparedPostgres`. */
export const PREPARED_TEMPLATE = 'andiron_test_template';

export async function makeTemplate(server: Connection, template: string): Promise<void> {
  await runOnServer(server, `drop database if exists "${template}" with (force)`);
  await runOnServer(server, `create database "${template}"`);
  await migrateTemplate(server, template);
}

export async function migrateTemplate(server: Connection, template: string): Promise<void> {
  await migrate({
    database: { ...server, database: template, ssl: false },
    base: baseContent(loadSettings({}).core.extensionBase),
    log: silentLog,
  });
}
