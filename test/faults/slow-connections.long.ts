/** PostgreSQL is slow: requests that wait for a connection fail in time, and no connection is lost. */
import { sql } from 'kysely';
import { Connections } from '../../src/core/storage/connection/connections';
import { defineStatement, template } from '../../src/core/storage/connection/statement';
import { createTestDatabase } from '../support/database';
import { silentLog } from '../support/log';
import { startForwarder } from './forwarder';
import { eventually } from '../support/eventually';

const STATEMENT = defineStatement(template(sql`select 1`));
/** A connection needs three answers to open (0.5 s each), which is in time, and nine more until it may be used. */
const LATE_MS = 500;
const PATIENCE_MS = 30_000;

it('a connection that was opened too late for its request serves the next', async () => {
  const testDatabase = await createTestDatabase();
  const forwarder = await startForwarder();
  forwarder.point(testDatabase.settings.port);
  const database = new Connections({ ...testDatabase.settings, port: forwarder.port }, silentLog, true);
  const run = (): Promise<unknown> => database.run({ lane: 'search', space: undefined }, STATEMENT, {});
  await run();

  forwarder.delayBy(LATE_MS);
  const outcomes = await Promise.allSettled([run(), run()]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);

  forwarder.delayBy(0);
  await eventually(async () => database.usage().search.idle === 2, PATIENCE_MS);
  expect(database.usage().search).toEqual({ total: 2, idle: 2, waiting: 0, limit: 6 });
  await Promise.all([run(), run()]);
  await database.close();
  await forwarder.close();
  await testDatabase.drop();
});
