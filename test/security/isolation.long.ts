/**
 * Two tenants of one server, with the same ids and contents of their own, are asked at random and at the same time; each
 * of them is also alone in a database of its own, which is asked the same. What a client is answered is the same, byte by
 * byte, but for instants, ids that the server gives, and cursors; and nothing that the one is answered has the mark of the
 * other. Once with both walls, once with the second alone (isolation/first-wall.ts).
 *
 *   ISOLATION_REQUESTS=100000 npm run test:isolation
 *
 * A difference is printed with its request; ISOLATION_SEED repeats a run.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Release } from '../../src/core';
import { subscribeByEvents, type Subscriber } from '../graphql/live/subscriber';
import { startServer, type Answer, type TestServer } from '../support/server';
import { watchFirstWall, type FirstWall } from './isolation/first-wall';
import {
  erasures,
  fillings,
  generateStep,
  makeTenants,
  markerOf,
  MARKER_SYSTEM,
  type Step,
  type Tenant,
} from './isolation/generate';
import { PUBLIC_URL, World, type Sent } from './isolation/world';

const setting = (name: string): number | undefined => {
  const text = process.env[`ISOLATION_${name}`];
  return text === undefined || text === '' ? undefined : Number(text);
};
/** Of both tenants together; those to the servers where a tenant is alone are not counted. */
const REQUESTS = setting('REQUESTS') ?? 200;
const SEED = setting('SEED') ?? 1;
const MOST_SHOWN = 5;
const NAMES = ['alice', 'bob'] as const;
const ENVIRONMENT = {
  PUBLIC_URL,
  AUDIT: 'off',
  PURGE_OPEN: 'on',
  // What is answered must not hang on how busy the machine is.
  GRAPHQL_SNAPSHOT_MS: '60000',
  STATEMENT_TIMEOUT_MS: '120000',
  REQUEST_TIMEOUT_MS: '300000',
};
const RELEASES: readonly Release[] = ['r4', 'r4b'];
const FEED = `subscription($type: ResourceType, $query: String) { resourceChanged(type: $type, query: $query) { action type id versionId sequence } }`;
/** What is changed in the same millisecond in one world, and not in the other, lies in another order by `_lastUpdated`. */
const NEXT_MOMENT_MS = 2;
/** Of each of the two runs. */
const TIME_MS = 120_000 + REQUESTS * 300;

/** A tenant beside the other and alone, asked the same. */
interface Pair {
  readonly tenant: Tenant;
  readonly shared: World;
  readonly alone: World;
  readonly feeds: readonly Feed[];
}

interface Feed {
  readonly shared: Subscriber;
  readonly alone: Subscriber;
  /** What it must be told: nothing, or something. */
  readonly isOfOther: boolean;
  readonly release: Release;
}

interface Tally {
  readonly wrong: string[];
  /** Requests by the first digit of the status. */
  readonly statuses: Map<string, number>;
  requests: number;
}

async function follow(shared: World, alone: World, tenant: Tenant): Promise<Feed[]> {
  const feeds: Feed[] = [];
  for (const release of RELEASES) {
    for (const isOfOther of [false, true]) {
      const query = isOfOther ? `_tag=${MARKER_SYSTEM}|${markerOf(tenant.other)}` : undefined;
      const open = (world: World): Promise<Subscriber> =>
        subscribeByEvents({
          ...world.gateway(release),
          document: FEED,
          variables: query === undefined ? {} : { query, type: 'Patient' },
        });
      feeds.push({ shared: await open(shared), alone: await open(alone), isOfOther, release });
    }
  }
  return feeds;
}

/** Asks both worlds and tells where they differ. `isRead`: what a busy machine had no time for is asked again. */
async function ask(
  pair: Pair,
  other: Pair,
  sent: readonly Sent[],
  tally: Tally,
  isRead = false,
): Promise<void> {
  const { shared, alone, tenant } = pair;
  const asked = await Promise.all(
    sent.map(async (request) => {
      for (let tries = 1; ; tries++) {
        const both = await Promise.all([
          shared.send(request, other.shared),
          alone.send(request, other.alone),
        ]);
        if (!isRead || tries === MOST_TRIES || !both.some(isLate)) return both;
      }
    }),
  );
  for (const [index, [one, two]] of asked.entries()) {
    const request = sent[index];
    if (request === undefined) throw new Error('each answer has a request');
    tally.requests++;
    const status = `${Math.floor(one.status / 100)}xx`;
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    const [got, expected] = [shared.describe(one), alone.describe(two)];
    const mark = markerOf(tenant.other);
    const isLeak = got.includes(mark) && !`${request.path} ${request.body ?? ''}`.includes(mark);
    if (got === expected && !isLeak && one.status < 500) continue;
    const what = explain(tenant.name, tally.requests, request, got, expected);
    tally.wrong.push(isLeak ? `${LEAK} ${what}` : what);
  }
}

const MOST_TRIES = 4;
const LEAK = 'It holds the mark of the other tenant.';
const isLate = ({ status, text }: Answer): boolean => status === 503 || text.includes('"code":"timeout"');

function explain(tenant: string, at: number, request: Sent, got: string, expected: string): string {
  let same = 0;
  while (same < got.length && got[same] === expected[same]) same++;
  const around = (text: string): string => text.slice(Math.max(0, same - 200), same + 300);
  return [
    `ISOLATION_SEED=${SEED}, request ${at} of ${tenant}: ${request.method} ${request.path} ${request.body ?? ''} ${JSON.stringify(request.headers ?? {})}`,
    `  beside the other …${around(got)}`,
    `  alone            …${around(expected)}`,
  ].join('\n');
}

async function settle(pair: Pair): Promise<void> {
  await Promise.all([pair.shared.settle(), pair.alone.settle()]);
}

/** One tenant's requests, one step after the other, until all have been sent or too much was wrong. */
async function run(pair: Pair, other: Pair, requests: number, tally: Tally): Promise<void> {
  for (let sent = 0; sent < requests && tally.wrong.length < MOST_SHOWN;) {
    const { requests: some, isDefinition, isRead }: Step = generateStep(pair.tenant);
    await ask(pair, other, some, tally, isRead);
    if (isRead !== true) await delay(NEXT_MOMENT_MS);
    if (isDefinition) await settle(pair);
    sent += some.length;
  }
}

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

/** What live queries have told: the same changes, with the same numbers, and none of the other tenant. */
async function compareFeeds(pair: Pair, other: Pair, name: string, tally: Tally): Promise<number> {
  let told = 0;
  for (const release of RELEASES) {
    const body = JSON.stringify({ resourceType: 'Basic', id: name, code: { text: 'the last change' } });
    const sent = { method: 'PUT', path: `/fhir/${release}/Basic/${name}`, body };
    await ask(pair, other, [sent], tally);
  }
  for (const { shared, alone, isOfOther } of pair.feeds) {
    if (!isOfOther) {
      for (const end = Date.now() + 30_000; Date.now() < end; await delay(20))
        if ([shared, alone].every(({ changes }) => changes.at(-1)?.id === name)) break;
    }
    const [got, expected] = [shared, alone].map((feed) =>
      feed.changes.map(({ type, id, versionId, action, sequence }) => {
        const name = /^[0-9a-hjkmnp-tv-z]{16}$/.test(id) ? 'made by the server' : id;
        return `${sequence} ${type}/${name} ${versionId} ${action}`;
      }),
    );
    expect(shared.errors).toEqual([]);
    expect(got).toEqual(expected);
    told += shared.changes.length;
    if (isOfOther) expect(got).toEqual([]);
  }
  return told;
}

let servers: readonly TestServer[];
let pairs: readonly [Pair, Pair];
let wall: FirstWall;

beforeAll(async () => {
  const start = (): Promise<TestServer> => startServer({ environment: ENVIRONMENT });
  const [together, ...alone] = (servers = [await start(), await start(), await start()]);
  if (together === undefined) throw new Error('there are three servers');
  wall = watchFirstWall(together.database.settings.database);
  const made = await Promise.all(
    makeTenants(NAMES, SEED).map(async (tenant, index): Promise<Pair> => {
      const server = alone[index];
      if (server === undefined) throw new Error('there are three servers');
      const shared = await World.open(together, tenant.name);
      const lone = await World.open(server, tenant.name, 1000 * (index + 1));
      return { tenant, shared, alone: lone, feeds: await follow(shared, lone, tenant) };
    }),
  );
  const [first, second] = made;
  if (first === undefined || second === undefined) throw new Error('there are two tenants');
  pairs = [first, second];
  const tally = startTally();
  await both(async (pair, other) => {
    for (const sent of fillings(pair.tenant)) {
      await ask(pair, other, [sent], tally);
      await delay(NEXT_MOMENT_MS);
    }
    await settle(pair);
  });
  expect(tally.wrong).toEqual([]);
}, 120_000);
afterAll(async () => {
  closeFeeds();
  for (const { shared, alone } of pairs) await Promise.all([shared.close(), alone.close()]);
  await Promise.all(servers.map((server) => server.close()));
  wall.restore();
});

function closeFeeds(): void {
  for (const { feeds } of pairs)
    for (const feed of feeds) for (const subscriber of [feed.shared, feed.alone]) subscriber.close();
}

const startTally = (): Tally => ({ wrong: [], statuses: new Map(), requests: 0 });

const both = (work: (pair: Pair, other: Pair) => Promise<void>): Promise<unknown> =>
  Promise.all([work(pairs[0], pairs[1]), work(pairs[1], pairs[0])]);

/** Asks and compares all. `name` tells its last changes from those of other calls. */
async function askAll(name: string): Promise<Tally> {
  const tally = startTally();
  await both((pair, other) => run(pair, other, REQUESTS / 2, tally));
  expect(tally.wrong).toEqual([]);
  let told = 0;
  await both(async (pair, other) => {
    told += await compareFeeds(pair, other, name, tally);
  });
  // That something was asked at all: found, refused, and told by live queries.
  expect(tally.requests).toBeGreaterThanOrEqual(REQUESTS);
  expect(tally.statuses.get('2xx')).toBeGreaterThan(REQUESTS / 2);
  expect(tally.statuses.get('4xx')).toBeGreaterThan(REQUESTS / 100);
  expect(told).toBeGreaterThan(REQUESTS / 20);
  return tally;
}

it(
  'two tenants behind both walls are answered as each of them is alone',
  async () => {
    await askAll('both-walls');
  },
  TIME_MS,
);

it(
  'two tenants behind the second wall alone are, too, also after something was erased',
  async () => {
    wall.takeAway();
    const tally = await askAll('second-wall');
    await both(async (pair, other) => {
      for (const sent of erasures(pair.tenant)) await ask(pair, other, [sent], tally);
      await run(pair, other, REQUESTS / 20, tally);
    });
    expect(tally.wrong).toEqual([]);
    expect(wall.opened.size).toBeGreaterThan(50);
  },
  TIME_MS,
);

it('without both walls the same questions find the other tenant: what is looked at would be seen', async () => {
  const [first, second] = pairs;
  // A live query would be told of changes without end.
  closeFeeds();
  const tally = startTally();
  await lettingEverythingThrough(first.shared.server, () => run(first, second, 500, tally));
  expect(tally.wrong.length).toBeGreaterThanOrEqual(MOST_SHOWN);
}, 120_000);
