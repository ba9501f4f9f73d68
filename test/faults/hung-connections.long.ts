/** Backends of PostgreSQL that hang: every request is answered in time, and other connections replace theirs. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startServer, type TestServer } from '../support/server';
import { OwnerSession } from '../../src/core/storage/connection/owner-session';
import { defineStatement, template } from '../../src/core/storage/connection/statement';
import { throughForwarder } from './database-through';
import { startForwarder } from './forwarder';
import { rounds } from '../support/rounds';

const ROUNDS = rounds(2, 12);
const CLIENTS = 6;
const ROOT = '/w/system/api/v1/fhir/r4';
const STATEMENT_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 6_000;
/** Beyond the deadline: the time that an answer may take on a busy machine. */
const LATE_MS = 3_000;

let database: TestDatabase;
let server: TestServer;
let operator: Client;
let stopped: readonly number[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({
    database,
    environment: {
      STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
      REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
    },
  });
  operator = new Client({ ...database.settings, application_name: 'operator' });
  await operator.connect();
});

afterEach(() => goOn());

afterAll(async () => {
  await server.close();
  await operator.end();
  await database.drop();
});

/** Stops every backend that serves the server now. */
async function stopBackends(): Promise<void> {
  const { rows } = await operator.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and application_name = 'andiron'",
  );
  stopped = rows.map(({ pid }) => pid);
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');
}

function goOn(): void {
  for (const pid of stopped) process.kill(pid, 'SIGCONT');
  stopped = [];
}

async function until(holds: () => Promise<boolean>, milliseconds = 30_000): Promise<void> {
  const end = Date.now() + milliseconds;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it did not come to hold');
    await delay(20);
  }
}

const isReady = async (): Promise<boolean> => (await server.request('GET', '/health/ready')).status === 200;

it('is served by new connections while the old ones hang', async () => {
  const ids = Array.from({ length: CLIENTS }, (_, place) => `idle-${place}`);
  const put = (id: string) => server.request('PUT', `${ROOT}/Patient/${id}`, { resourceType: 'Patient', id });
  await Promise.all(ids.map(put));
  await until(isReady);
  await stopBackends();
  expect(stopped.length).toBeGreaterThan(0);
  const began = performance.now();
  expect((await server.request('GET', '/health/ready')).status).toBe(503);
  expect(performance.now() - began).toBeLessThan(2_000 + LATE_MS);
  await until(async () => (await Promise.all(ids.map(put))).every(({ status }) => status === 200));
  await until(isReady);
  goOn();
});

it('answers each request in time and correctly, at any state of the stopped backends', async () => {
  let longest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let isLoaded = true;
    const answers: { readonly id: string; readonly status: number; readonly text: string }[] = [];
    const load = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let step = 0; isLoaded; step++) {
        const id = `stopped-${round}-${client}-${step}`;
        for (const [method, path, body] of [
          ['PUT', `${ROOT}/Patient/${id}`, { resourceType: 'Patient', id }],
          ['GET', `${ROOT}/Patient/${id}`, undefined],
          ['GET', `${ROOT}/Patient?_id=${id}`, undefined],
        ] as const) {
          const began = performance.now();
          const { status, text } = await server.request(method, path, body);
          longest = Math.max(longest, performance.now() - began);
          if (method === 'PUT') answers.push({ id, status, text });
        }
      }
    });
    await until(() => Promise.resolve(answers.length > 5 * CLIENTS));
    await stopBackends();
    await until(() => Promise.resolve(answers.some(({ status }) => status === 503)));
    goOn();
    const before = answers.length;
    await until(() => Promise.resolve(answers.slice(before).some(({ status }) => status === 201)));
    isLoaded = false;
    await Promise.all(load);
    for (const { id, status, text } of answers) {
      if (text.includes('may have been stored')) continue;
      const read = await server.request('GET', `${ROOT}/Patient/${id}`);
      expect([id, status, read.status]).toEqual(status === 503 ? [id, 503, 404] : [id, 201, 200]);
    }
  }
  expect(longest).toBeLessThan(REQUEST_TIMEOUT_MS + LATE_MS);
  await until(isReady);
});

it('notices that the answer of a long statement was lost, and leaves running statements alone', async () => {
  const forwarder = await startForwarder();
  const through = await OwnerSession.open(throughForwarder(database, forwarder).settings);
  const direct = await OwnerSession.open(database.settings);
  const sleep = (seconds: number) =>
    defineStatement(template(sql`select pg_sleep(${sql.lit(seconds)})`), { named: false });
  try {
    for (const session of [through, direct]) await session.removeLimit();
    const lost = through.run(sleep(1));
    const working = direct.run(sleep(35));
    forwarder.hang();
    const began = performance.now();
    await expect(lost).rejects.toMatchObject({ key: 'storageUnavailable' });
    expect(performance.now() - began).toBeLessThan(40_000);
    expect(await working).toHaveLength(1);
  } finally {
    await through.close();
    await direct.close();
    await forwarder.close();
  }
});
