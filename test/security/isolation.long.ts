/**
 * Two tenants of one server, with the same ids and contents of their own, are asked at random and at the same time. They
 * live together twice: behind both walls, and behind the second alone (isolation/first-wall.ts); and each of them is also
 * alone in a database of its own. All are asked the same. What a client is answered is the same, byte by byte, but for
 * instants, ids that the server gives, and cursors; and nothing that the one is answered has the mark of the other.
 *
 *   ISOLATION_REQUESTS=100000 npm run test:isolation
 *
 * A difference is printed with its request; ISOLATION_SEED repeats a run.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { OPEN, startServer, type TestServer } from '../support/server';
import {
  ask,
  askAtRandom,
  differences,
  MOST_SHOWN,
  NEXT_MOMENT_MS,
  settle,
  startTally,
  worldOf,
  type Asked,
  type Tally,
} from './isolation/ask';
import { compareFeeds, follow, type Feed } from './isolation/feeds';
import { watchFirstWall, type FirstWall } from './isolation/first-wall';
import { fillings } from './isolation/requests/fillings';
import { erasures } from './isolation/requests/writes';
import { makeTenants } from './isolation/tenant';
import { PUBLIC_URL, World } from './isolation/world';
import { rounds } from '../support/rounds';

const setting = (name: string): number | undefined => {
  const text = process.env[`ISOLATION_${name}`];
  return text === undefined || text === '' ? undefined : Number(text);
};
/** Of both tenants together, behind each check; requests to the servers where a tenant is alone are not counted. */
const REQUESTS = setting('REQUESTS') ?? rounds(100, 200);
const SEED = setting('SEED') ?? 1;
const NAMES = ['alice', 'bob'] as const;
const BOTH_WALLS = 'both walls';
const SECOND_WALL = 'the second wall alone';
const WALLS = [BOTH_WALLS, SECOND_WALL] as const;
const ENVIRONMENT = {
  ...OPEN,
  PUBLIC_URL,
  PURGE_OPEN: 'on',
  // Answers must not depend on the load of the machine.
  GRAPHQL_SNAPSHOT_MS: '60000',
  STATEMENT_TIMEOUT_MS: '120000',
  REQUEST_TIMEOUT_MS: '300000',
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
let tenants: readonly Asked[];
let feeds: ReadonlyMap<Asked, readonly Feed[]>;
let wall: FirstWall;

beforeAll(async () => {
  for (const _one of [...WALLS, ...NAMES]) servers.push(await startServer({ environment: ENVIRONMENT }));
  const [both, second, ...alone] = servers;
  if (both === undefined || second === undefined) throw new Error('there are two servers of both tenants');
  wall = watchFirstWall(second.database.settings.database);
  tenants = await Promise.all(
    makeTenants(NAMES, SEED).map(async (tenant, index): Promise<Asked> => {
      const server = alone[index];
      if (server === undefined) throw new Error('each has a server of its own');
      const shared = new Map<string, World>([
        [BOTH_WALLS, await World.open(both, tenant.name)],
        [SECOND_WALL, await World.open(second, tenant.name)],
      ]);
      return { tenant, shared, alone: await World.open(server, tenant.name, 1000 * (index + 1)) };
    }),
  );
  feeds = new Map(await Promise.all(tenants.map(async (asked) => [asked, await follow(asked)] as const)));
  const tally = startTally(WALLS);
  await each(async (asked, other) => {
    for (const sent of fillings(asked.tenant)) {
      await ask(asked, other, [sent], tally);
      await delay(NEXT_MOMENT_MS);
    }
    await settle(asked);
  });
  expect(differences(tally)).toEqual([]);
}, 240_000);
afterAll(async () => {
  closeFeeds();
  for (const { shared, alone } of tenants)
    await Promise.all([...shared.values(), alone].map((one) => one.close()));
  await Promise.all(servers.map((server) => server.close()));
  wall.restore();
});

function closeFeeds(): void {
  for (const { followers } of [...feeds.values()].flat())
    for (const subscriber of followers) subscriber.close();
}

/** The work of both tenants at the same time. */
async function each(work: (asked: Asked, other: Asked) => Promise<void>): Promise<void> {
  const [first, second] = tenants;
  if (first === undefined || second === undefined) throw new Error('there are two tenants');
  await Promise.all([work(first, second), work(second, first)]);
}

function expectSomething({ requests, statuses }: Tally, told: number): void {
  expect(requests).toBeGreaterThanOrEqual(REQUESTS);
  expect(statuses.get('2xx')).toBeGreaterThan(REQUESTS / 2);
  expect(statuses.get('4xx')).toBeGreaterThan(REQUESTS / 100);
  expect(told).toBeGreaterThan(REQUESTS / 20);
}

it(
  'two tenants are answered as each of them alone, behind both checks and behind row-level security alone, also after an erasure',
  async () => {
    wall.takeAway();
    const tally = startTally(WALLS);
    await each((asked, other) => askAtRandom(asked, other, REQUESTS / 2, tally));
    expect(differences(tally)).toEqual([]);
    let told = 0;
    await each(async (asked, other) => {
      told += await compareFeeds(asked, other, feeds.get(asked) ?? [], 'the-last', tally);
    });
    await each(async (asked, other) => {
      for (const sent of erasures(asked.tenant)) await ask(asked, other, [sent], tally);
      await askAtRandom(asked, other, REQUESTS / 20, tally);
    });
    expect(differences(tally)).toEqual([]);
    expectSomething(tally, told);
    // Concurrent requests become one statement: 35 to 76 texts, by the load of the machine.
    expect(wall.opened.size).toBeGreaterThan(20);
    expect(wall.countRuns()).toBeGreaterThan(REQUESTS / 4);
  },
  TIME_MS,
);

it('without both checks the same requests find the other tenant: the compared answers would differ', async () => {
  // A live query would have changes without end.
  closeFeeds();
  const [first, second] = tenants.map(({ tenant, alone, shared }) => {
    const world = shared.get(SECOND_WALL);
    return { tenant, alone, shared: new Map(world === undefined ? [] : [[SECOND_WALL, world]]) };
  });
  if (first === undefined || second === undefined) throw new Error('there are two tenants');
  const tally = startTally(WALLS);
  // A write that finds a resource of the other's in place of its own would begin again without end.
  await lettingEverythingThrough(worldOf(first, SECOND_WALL).server, () =>
    askAtRandom(first, second, 500, tally, { onlyReads: true }),
  );
  expect(differences(tally).length).toBeGreaterThanOrEqual(MOST_SHOWN);
}, 240_000);
