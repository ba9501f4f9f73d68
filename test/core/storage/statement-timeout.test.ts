/** PostgreSQL itself ends a statement that takes too long, on connections of each kind. */
import { sql } from 'kysely';
import { Connections } from '../../../src/core/storage/connection/connections';
import { LANES, waitLimit } from '../../../src/core/storage/connection/database';
import { OwnerSession } from '../../../src/core/storage/connection/owner-session';
import { defineStatement, template } from '../../../src/core/storage/connection/statement';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { silentLog } from '../../support/log';
import { SYSTEM_R4 } from './opened-storage';

const LIMIT_MS = 300;
const LIMIT = defineStatement(template(sql`select current_setting('statement_timeout')`));
const PROCESS = defineStatement(template(sql`select pg_backend_pid()`));
const SLEEP = defineStatement(template(sql`select pg_sleep(600)::text`));

let database: TestDatabase;
let connections: Connections;
let owner: OwnerSession;
beforeAll(async () => {
  database = await createTestDatabase();
  const options = { ...database.settings, connections: 4, statementTimeoutMs: LIMIT_MS };
  connections = new Connections(options, silentLog, true);
  owner = await OwnerSession.open(options);
});
afterAll(async () => {
  await owner.close();
  await connections.close();
  await database.drop();
});

it.each(LANES)('a connection of the lane %s has the limit', async (lane) => {
  expect(await connections.run({ lane, space: SYSTEM_R4 }, LIMIT, {})).toEqual([[`${LIMIT_MS}ms`]]);
});

it('so have the connection of the readiness check and that of the owner', async () => {
  const context = { lane: 'read', space: undefined } as const;
  const probed = await connections.probe.query((probe) => probe.run(context, LIMIT, {}));
  expect([probed, await owner.run(LIMIT)]).toEqual([[[`${LIMIT_MS}ms`]], [[`${LIMIT_MS}ms`]]]);
});

it('waits for a connection for half of the time that a statement may take, and at least five seconds', () => {
  const waitWith = (statementTimeoutMs?: number): number =>
    waitLimit({ ...database.settings, ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }) });
  expect([waitWith(), waitWith(LIMIT_MS), waitWith(60_000)]).toEqual([5_000, 5_000, 30_000]);
});

it('a statement that takes longer is cancelled by PostgreSQL, and its connection stays', async () => {
  const context = { lane: 'write', space: SYSTEM_R4 } as const;
  const before = await connections.run(context, PROCESS, {});
  await expect(connections.run(context, SLEEP, {})).rejects.toMatchObject({ key: 'timeout' });
  expect(await connections.run(context, PROCESS, {})).toEqual(before);
});
