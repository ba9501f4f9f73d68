/**
 * kill -9 in the middle of erasures, and of imports of a tenant: nothing is half erased, nothing that was reported as
 * erased remains, and a tenant is served only when it is complete; repeating the request completes the work.
 *
 * KILLS is the number of kills of each (once), at random moments.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { OwnerSession } from '../../src/core/storage/connection/owner-session';
import { countRows, readOwnedTables } from '../../src/core/storage/schema/owned-tables';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { openCore, type OpenedCore } from '../support/core';
import { startProcess, type ServerProcess } from '../support/process';
import { startServer, type Answer, type TestServer } from '../support/server';
import { countHalves, countVersions, fillPatient, isComplete, slowDown, statusOf } from './erased-data';

const KILLS = Number(process.env['KILLS'] ?? 1);
const ENVIRONMENT = { PURGE_OPEN: 'on', AUDIT: 'off' };
const JSON_TYPE = { 'content-type': 'application/json' };
const LINES = { 'content-type': 'application/x-ndjson' };
const OBSERVATIONS = 80;
/** Milliseconds within which a process is killed after the request, until the duration is known. */
const LATEST = 900;
/** Enough kills that some come before the answer, and some after it. */
const MANY = 40;
const TIME_MS = 300_000 + KILLS * 30_000;
const TENANTS = '/w/system/api/v1/tenants';

let database: TestDatabase;
let server: TestServer;
let reader: OpenedCore;
let owner: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({ database, environment: ENVIRONMENT });
  reader = await openCore({ database, environment: ENVIRONMENT });
  owner = new Client(database.settings);
  await owner.connect();
  await slowDown(owner);
});
afterAll(async () => {
  await owner.end();
  await reader.close();
  await server.close();
  await database.drop();
});

/** Processes that were killed while they did the same. */
interface Killed {
  /** Milliseconds within which the next one is killed: somewhat more than the duration of an answer. */
  latest: number;
  answered: number;
  unanswered: number;
}

const startKilling = (): Killed => ({ latest: LATEST, answered: 0, unanswered: 0 });

/** Sends a request to a process that is killed soon; undefined: it has not answered. */
async function sendAndKill(
  killed: Killed,
  send: (victim: ServerProcess) => Promise<Answer>,
): Promise<Answer | undefined> {
  const victim = await startProcess({ database, environment: ENVIRONMENT });
  const began = performance.now();
  let took = 0;
  const sent = send(victim).then(
    (answer) => {
      took = performance.now() - began;
      return answer;
    },
    () => undefined,
  );
  await delay(Math.random() * killed.latest);
  await victim.kill();
  const answer = await sent;
  await victim.close();
  if (answer === undefined) killed.unanswered++;
  else killed.answered++;
  killed.latest = answer === undefined ? killed.latest * 1.1 : took * 1.3;
  // As if the 20 seconds had gone by after which a process without a sign of life is not waited for.
  await owner.query(`update andiron.server_process set beat = beat - interval '1 minute'`);
  return answer;
}

/** Both happened, or the moments were not random. */
function expectBoth({ answered, unanswered }: Killed): void {
  if (KILLS < MANY) return;
  expect(answered).toBeGreaterThan(KILLS / 20);
  expect(unanswered).toBeGreaterThan(KILLS / 4);
}

it(
  'a purge that is killed has purged whole resources, and resumes when it is sent again',
  async () => {
    const killed = startKilling();
    await server.createTenant('purged');
    await fillPatient(server, 'purged', 'stays', OBSERVATIONS);
    for (let kill = 0; kill < KILLS; kill++) {
      await fillPatient(server, 'purged', `p${kill}`, OBSERVATIONS);
      const path = `${server.path('purged', 'r4')}/Patient/p${kill}/$purge`;
      const answer = await sendAndKill(killed, (victim) => victim.request('POST', path));
      expect(await countHalves(owner, 'purged')).toBe(0);
      expect(await reader.differences('purged')).toEqual([]);
      if (answer?.status === 200 && isComplete(answer))
        expect(await countVersions(owner, `p${kill}`)).toBe(0);
      const again = await server.request('POST', path);
      expect([again.status, isComplete(again), await countVersions(owner, `p${kill}`)]).toEqual([
        200,
        true,
        0,
      ]);
    }
    expectBoth(killed);
    expect(await countVersions(owner, 'stays')).toBe(2 * (OBSERVATIONS + 1));
    // A single resource is erased whole or not at all too.
    const one = `${server.path('purged', 'r4')}/Observation/stays-1/$purge`;
    const answer = await sendAndKill(startKilling(), (victim) => victim.request('POST', one));
    expect(await countHalves(owner, 'purged')).toBe(0);
    const left = await server.request('GET', one.replace('/$purge', ''));
    expect([200, 404]).toContain(left.status);
    if (answer?.status === 200) expect(left.status).toBe(404);
    expect(isComplete(await server.request('POST', one))).toBe(true);
    expect(await countVersions(owner, 'stays')).toBe(2 * OBSERVATIONS);
    expect(await reader.differences('purged')).toEqual([]);
  },
  TIME_MS,
);

it(
  'a tenant whose removal is killed is whole, or is not served; the same request removes it',
  async () => {
    const killed = startKilling();
    const all = 2 * (OBSERVATIONS + 1);
    for (let kill = 0; kill < KILLS; kill++) {
      const name = `doomed-${kill}`;
      await server.createTenant(name);
      await fillPatient(server, name, `d${kill}`, OBSERVATIONS);
      const { rows } = await owner.query<{ tenant: number; spaces: number[]; counters: number[] }>(
        `select t.number as tenant, array_agg(s.number) as spaces, array_agg(distinct s.counter) as counters
       from andiron.tenant t join andiron.space s on s.tenant = t.number where t.name = $1 group by t.number`,
        [name],
      );
      const [owned] = rows;
      if (owned === undefined) throw new Error('the tenant is missing');
      const path = `${TENANTS}/${name}?confirm=${name}`;
      const answer = await sendAndKill(killed, (victim) => victim.request('DELETE', path));
      const status = await statusOf(owner, name);
      if (status === 'active') expect(await countVersions(owner, `d${kill}`)).toBe(all);
      else await expectNotAnswered(name);
      if (answer?.status === 200) expect(status).toBeUndefined();
      const again = await server.request('DELETE', path, undefined, JSON_TYPE);
      if (status === undefined) expect(again.status).toBe(404);
      else expect([again.status, again.json.isComplete]).toEqual([200, true]);
      const session = await OwnerSession.open(database.settings);
      for (const table of await readOwnedTables(session))
        expect([table.name, await countRows(session, table, owned)]).toEqual([table.name, 0]);
      await session.close();
      expect(await statusOf(owner, name)).toBeUndefined();
    }
    expectBoth(killed);
  },
  TIME_MS,
);

/** It is cached for two seconds at most. */
async function expectNotAnswered(name: string): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; await delay(100))
    if ((await server.request('GET', `${server.path(name, 'r4')}/Patient?_count=0`)).status === 404) return;
  throw new Error(`${name} is still answered`);
}

it(
  'a tenant whose import is killed does not exist, and the same request makes it, of the same bytes',
  async () => {
    const killed = startKilling();
    await server.createTenant('source');
    await fillPatient(server, 'source', 's', OBSERVATIONS);
    const { text } = await server.request('GET', `${TENANTS}/source/export`);
    for (let kill = 0; kill < KILLS; kill++) {
      const name = `copy-${kill}`;
      const path = `${TENANTS}/${name}/import`;
      const answer = await sendAndKill(killed, (victim) => victim.request('POST', path, text, LINES));
      const status = await statusOf(owner, name);
      expect([undefined, 'importing', 'active']).toContain(status);
      if (answer?.status === 201) expect(status).toBe('active');
      if (status !== 'active') await expectNotAnswered(name);
      const again = await server.request('POST', path, text, LINES);
      expect(again.status).toBe(status === 'active' ? 409 : 201);
      const copied = await server.request('GET', `${TENANTS}/${name}/export`);
      expect(copied.text.replace(`"name":"${name}"`, '"name":"source"')).toBe(text);
      expect(await reader.differences(name)).toEqual([]);
    }
    expectBoth(killed);
    // An export that is killed on its way has no last line, and makes no tenant.
    const cut = text.slice(0, Math.floor(text.length * (0.2 + 0.7 * Math.random())));
    expect((await server.request('POST', `${TENANTS}/cut/import`, cut, LINES)).status).toBe(400);
    expect(await statusOf(owner, 'cut')).toBe('importing');
  },
  TIME_MS,
);
