/**
 * Two tenants of one server, with the same ids and different contents, get random requests at the same time. They share a
 * server twice: behind both checks, and behind row-level security alone (isolation/first-wall.ts); each of them is also
 * alone in a database. All get the same requests. The answers to a client are the same, byte by byte, except instants, ids
 * of the server, and cursors; and no answer to one tenant has the mark of the other.
 *
 *   ISOLATION_REQUESTS=100000 npm run test:isolation
 *
 * A difference is printed with its request; ISOLATION_SEED repeats a run.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { OPEN, startServer, type TestServer } from '../support/server';
import {
  sendToAll,
  sendAtRandom,
  differences,
  MOST_SHOWN,
  NEXT_MOMENT_MS,
  settle,
  startTally,
  worldOf,
  type Worlds,
  type Tally,
} from './isolation/ask';
import { compareFeeds, follow, type Feed } from './isolation/feeds';
import { watchFirstCheck, type FirstCheck } from './isolation/first-wall';
import { fillings } from './isolation/requests/fillings';
import { erasures } from './isolation/requests/writes';
import { makeTenants } from './isolation/tenant';
import { PUBLIC_URL, World } from './isolation/world';
import { rounds } from '../support/rounds';

const setting = (name: string): number | undefined => {
  const text = process.env[`ISOLATION_${name}`];
  return text === undefined || text === '' ? undefined : Number(text);
};
/** Requests of both tenants together, behind each check; those to the servers where a tenant is alone are not counted. */
const REQUESTS = setting('REQUESTS') ?? rounds(1_000, 2_000);
const SEED = setting('SEED') ?? 1;
const NAMES = ['alice', 'bob'] as const;
const BOTH_CHECKS = 'both checks';
const SECOND_CHECK = 'row-level security alone';
const CHECKS = [BOTH_CHECKS, SECOND_CHECK] as const;
const ENVIRONMENT = {
  ...OPEN,
  PUBLIC_URL,
  PURGE_OPEN: 'on',
};
const TIME_MS = 240_000 + REQUESTS * 2_000;

/** Row-level security is still there and refuses nothing while `work` is done. */
async function lettingEverythingThrough({ database }: TestServer, work: () => Promise<void>): Promise<void> {
  const owner = new Client(database.settings);
  await owner.connect();
  const { rows } = await owner.query<{ table: string }>(
    "select format('%I.%I', schemaname, tablename) as table from pg_policies where policyname = 'own_space' and cmd = 'SELECT'",
  );
  for (const { table } of rows)
    await owner.query(`create policy everything on ${table} for select using (true)`);
  try {
    await work();
  } finally {
    for (const { table } of rows) await owner.query(`drop policy everything on ${table}`);
    await owner.end();
  }
}

const servers: TestServer[] = [];
let tenants: readonly Worlds[];
let feeds: ReadonlyMap<Worlds, readonly Feed[]>;
let firstCheck: FirstCheck;

beforeAll(async () => {
  for (const _one of [...CHECKS, ...NAMES]) servers.push(await startServer({ environment: ENVIRONMENT }));
  const [both, second, ...alone] = servers;
  if (both === undefined || second === undefined) throw new Error('there are two servers of both tenants');
  firstCheck = watchFirstCheck(second.database.settings.database);
  tenants = await Promise.all(
    makeTenants(NAMES, SEED).map(async (tenant, index): Promise<Worlds> => {
      const server = alone[index];
      if (server === undefined) throw new Error('each has a server of its own');
      const shared = new Map<string, World>([
        [BOTH_CHECKS, await World.open(both, tenant.name)],
        [SECOND_CHECK, await World.open(second, tenant.name)],
      ]);
      return { tenant, shared, alone: await World.open(server, tenant.name) };
    }),
  );
  feeds = new Map(await Promise.all(tenants.map(async (worlds) => [worlds, await follow(worlds)] as const)));
  const tally = startTally(CHECKS);
  await each(async (worlds, other) => {
    for (const sent of fillings(worlds.tenant)) {
      await sendToAll(worlds, other, [sent], tally);
      await delay(NEXT_MOMENT_MS);
    }
    await settle(worlds);
  });
  expect(differences(tally)).toEqual([]);
});
afterAll(async () => {
  closeFeeds();
  for (const { shared, alone } of tenants)
    await Promise.all([...shared.values(), alone].map((one) => one.close()));
  await Promise.all(servers.map((server) => server.close()));
  firstCheck.restore();
});

function closeFeeds(): void {
  for (const { followers } of [...feeds.values()].flat())
    for (const subscriber of followers) subscriber.close();
}

/** The work of both tenants at the same time. */
async function each(work: (worlds: Worlds, other: Worlds) => Promise<void>): Promise<void> {
  const [first, second] = tenants;
  if (first === undefined || second === undefined) throw new Error('there are two tenants');
  await Promise.all([work(first, second), work(second, first)]);
}

/** Data that every round reads without the first check. */
const OPENED_TABLES = ['andiron.resource', 'andiron.resource_version'];

function expectSomething({ requests, statuses }: Tally, reported: number): void {
  expect(requests).toBeGreaterThanOrEqual(REQUESTS);
  expect(statuses.get('2xx')).toBeGreaterThan(REQUESTS / 2);
  expect(statuses.get('4xx')).toBeGreaterThan(REQUESTS / 100);
  expect(reported).toBeGreaterThan(REQUESTS / 20);
}

it(
  'two tenants are answered as each of them alone, behind both checks and behind row-level security alone, also after an erasure',
  async () => {
    firstCheck.takeAway();
    const tally = startTally(CHECKS);
    await each((worlds, other) => sendAtRandom(worlds, other, REQUESTS / 2, tally));
    expect(differences(tally)).toEqual([]);
    let reported = 0;
    await each(async (worlds, other) => {
      reported += await compareFeeds(worlds, other, feeds.get(worlds) ?? [], 'the-last', tally);
    });
    await each(async (worlds, other) => {
      for (const sent of erasures(worlds.tenant)) await sendToAll(worlds, other, [sent], tally);
      await sendAtRandom(worlds, other, REQUESTS / 20, tally);
    });
    expect(differences(tally)).toEqual([]);
    expectSomething(tally, reported);
    // The number of texts depends on the load of the machine, since concurrent requests become one statement.
    const tables = [...firstCheck.opened]
      .flatMap((text) => text.match(/\bandiron\.\w+/g) ?? [])
      // On a node of Citus a table has the number of its shard behind its name.
      .map((table) => table.replace(/_\d+$/, ''));
    expect(tables).toEqual(expect.arrayContaining(OPENED_TABLES));
    expect(firstCheck.countRuns()).toBeGreaterThan(REQUESTS / 4);
  },
  TIME_MS,
);

it('without both checks the same requests find the other tenant: the compared answers would differ', async () => {
  // A live query would have changes without end.
  closeFeeds();
  const [first, second] = tenants.map(({ tenant, alone, shared }) => {
    const world = shared.get(SECOND_CHECK);
    return { tenant, alone, shared: new Map(world === undefined ? [] : [[SECOND_CHECK, world]]) };
  });
  if (first === undefined || second === undefined) throw new Error('there are two tenants');
  const tally = startTally(CHECKS);
  // A write that finds a resource of the other's in place of its own would begin again without end.
  await lettingEverythingThrough(worldOf(first, SECOND_CHECK).server, () =>
    sendAtRandom(first, second, 500, tally, { onlyReads: true }),
  );
  expect(differences(tally).length).toBeGreaterThanOrEqual(MOST_SHOWN);
});
