/**
 * A client that guesses secrets waits equally long, whatever becomes of the processes that have counted, with and without Redis
 * (docs/run/access.md, Failed attempts).
 */
import { findFreePort } from '../../src/embedded/free-port';
import { makeClient, toBasic, type MadeClient } from '../support/access';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startProcess, type ServerProcess } from '../support/process';
import { startTestRedis, type TestRedis } from '../support/redis';
import { startServer, type TestServer } from '../support/server';

/** Wrong ones that one client and address has free. */
const FREE = 5;
const ADDRESS = '/w/acme/api/v1/fhir/r4/Patient?_count=0';

let redis: TestRedis;
let database: TestDatabase;
let environment: Readonly<Record<string, string>>;
/** It stays; the other ones are killed. */
let server: TestServer;

type Target = Pick<TestServer, 'request'>;

beforeAll(async () => {
  redis = await startTestRedis();
  database = await createTestDatabase();
  environment = {
    AUTH_MODE: 'enforced',
    REDIS_HOST: redis.host,
    REDIS_PORT: String(redis.port),
  };
  server = await startServer({ because: 'it counts with processes that are killed', database, environment });
  await server.app.core.tenants.create('acme');
});
afterAll(async () => {
  await server.close();
  await redis.stop();
  await database.drop();
});

const startOther = async (): Promise<ServerProcess> =>
  startProcess({
    ...{ database, port: await findFreePort() },
    environment: { ...environment, LOG_LEVEL: 'silent' },
  });

const makeOne = (): Promise<MadeClient> => makeClient(server.app.core, 'acme');

async function prove(at: Target, authorization: string): Promise<number> {
  return (await at.request('GET', ADDRESS, undefined, { authorization })).status;
}

/** The statuses of so many wrong secrets, one after the other. */
async function guess(at: Target, { id }: MadeClient, times: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < times; count++) statuses.push(await prove(at, toBasic(id, `guess ${count}`)));
  return statuses;
}

const countRefused = (statuses: readonly number[]): number =>
  statuses.filter((status) => status === 401).length;

it('a process that is killed loses no count of wrong secrets, not even of those that it checks at the same time', async () => {
  const [client, checked] = [await makeOne(), await makeOne()];
  const first = await startOther();
  expect(await guess(first, client, 3)).toEqual([401, 401, 401]);
  const guesses = Array.from({ length: 8 }, (_, count) =>
    prove(first, toBasic(checked.id, `guess ${count}`)),
  );
  // One of them is answered, the others are in progress.
  await Promise.race(guesses);
  await first.kill();
  const before = countRefused(
    (await Promise.allSettled(guesses)).map((one) => (one.status === 'fulfilled' ? one.value : 0)),
  );
  const after = countRefused(await guess(server, checked, 8));
  expect(before + after).toBeLessThanOrEqual(FREE);
  expect(await guess(server, client, 4)).toEqual([401, 401, 429, 429]);
  const second = await startOther();
  expect(await guess(second, client, 2)).toEqual([429, 429]);
  expect(await prove(second, client.basic)).toBe(429);
  await second.kill();
});

it('without Redis it is counted as exactly, and what was counted with Redis stays counted', async () => {
  const [client, earlier] = [await makeOne(), await makeOne()];
  const first = await startOther();
  expect(countRefused(await guess(first, earlier, FREE + 1))).toBe(FREE);
  await redis.stop();
  expect(await guess(first, client, 3)).toEqual([401, 401, 401]);
  await first.kill();
  expect(await guess(server, client, 4)).toEqual([401, 401, 429, 429]);
  const second = await startOther();
  expect(await guess(second, client, 2)).toEqual([429, 429]);
  expect(await prove(second, client.basic)).toBe(429);
  for (const at of [second, server]) expect(await guess(at, earlier, 2)).toEqual([429, 429]);
  await second.kill();
  await redis.restart();
});

it('the count of a process is the same while Redis goes and returns empty', async () => {
  const client = await makeOne();
  expect(await guess(server, client, 4)).toEqual([401, 401, 401, 401]);
  await redis.stop();
  expect(await guess(server, client, 3)).toEqual([401, 429, 429]);
  await redis.restart();
  expect(await guess(server, client, 2)).toEqual([429, 429]);
});
