/** Row-level security is proven again while the server runs: a connection on which it is off is not used. */
import { sql } from 'kysely';
import { Client } from 'pg';
import { Connections } from '../../../src/core/storage/connection/connections';
import { defineStatement, template } from '../../../src/core/storage/connection/statement';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { closedAtEnd } from '../../support/left-open';
import { recordingLog } from '../../support/log';
import { startServer, type TestServer } from '../../support/server';
import { SYSTEM_R4 } from './opened-storage';

const WHO = defineStatement(template(sql`select current_user::text, pg_backend_pid()`));
const RESET = defineStatement(template(sql`reset role`), { named: false });
const OFF =
  'row-level security is off on a connection, which is closed; others are checked before they are used again';
const ON = 'row-level security is on again';

let database: TestDatabase;
let owner: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Client(database.settings);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

/** Connections of which each is proven whenever it is borrowed, one for searches. */
function open(proofIntervalMs: number) {
  const { log, lines } = recordingLog();
  const connections = new Connections({ ...database.settings, connections: 4, proofIntervalMs }, log, true);
  return { connections, lines, close: closedAtEnd(() => connections.close()) };
}

it('a connection that has lost the role of the application is closed, and another one answers', async () => {
  const { connections, lines, close } = open(0);
  const [[role, pid] = []] = await connections.run({ lane: 'search', space: SYSTEM_R4 }, WHO, {});
  expect(role).toBe('andiron_application');
  expect((await connections.run({ lane: 'search', space: SYSTEM_R4 }, WHO, {}))[0]?.[1]).toBe(pid);
  await connections.run({ lane: 'search', space: SYSTEM_R4 }, RESET, {});
  const [[next, other] = []] = await connections.run({ lane: 'search', space: SYSTEM_R4 }, WHO, {});
  expect(next).toBe('andiron_application');
  expect(other).not.toBe(pid);
  expect(connections.rowSecurity.holds).toBe(true);
  expect(lines.map(({ level, message }) => [level, message])).toEqual([
    ['error', OFF],
    ['info', ON],
  ]);
  await close();
});

it('a proof is valid for the set time', async () => {
  const { connections, close } = open(3_600_000);
  await connections.run({ lane: 'search', space: SYSTEM_R4 }, RESET, {});
  expect((await connections.run({ lane: 'search', space: SYSTEM_R4 }, WHO, {}))[0]?.[0]).not.toBe(
    'andiron_application',
  );
  await close();
});

it('while a table has no row-level security nothing is read or written, and the log has one line about it', async () => {
  const { connections, lines, close } = open(0);
  await connections.run({ lane: 'read', space: SYSTEM_R4 }, WHO, {});
  await owner.query('alter table andiron.string_index disable row level security');
  for (let time = 0; time < 5; time++)
    for (const lane of ['read', 'write', 'search'] as const)
      await expect(connections.run({ lane, space: SYSTEM_R4 }, WHO, {})).rejects.toMatchObject({
        key: 'storageUnavailable',
      });
  expect(connections.rowSecurity.holds).toBe(false);
  await owner.query('alter table andiron.string_index enable row level security');
  await connections.run({ lane: 'read', space: SYSTEM_R4 }, WHO, {});
  expect(connections.rowSecurity.holds).toBe(true);
  expect(lines.map(({ message }) => message)).toEqual([OFF, ON]);
  await close();
});

describe('a server on whose database row-level security is switched off', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ because: 'policies of its database are removed', database });
  });
  afterAll(() => server.close());

  it('is not ready and answers nothing until it is on again', async () => {
    const path = `${server.path('system', 'r4')}/Patient/secure`;
    expect((await server.request('PUT', path, { resourceType: 'Patient', id: 'secure' })).status).toBe(201);
    expect((await server.request('GET', '/health/ready')).status).toBe(200);
    await owner.query('alter table andiron.resource_version disable row level security');
    const { status, json } = await server.request('GET', '/health/ready');
    expect(status).toBe(503);
    expect(json.notices).toEqual(['Row-level security is off: no request is answered until it is on']);
    expect((await server.request('GET', path)).status).toBe(503);
    expect((await server.request('GET', `${server.path('system', 'r4')}/Patient?name=x`)).status).toBe(503);
    await owner.query('alter table andiron.resource_version enable row level security');
    expect((await server.request('GET', '/health/ready')).status).toBe(200);
    expect((await server.request('GET', path)).status).toBe(200);
  });
});
