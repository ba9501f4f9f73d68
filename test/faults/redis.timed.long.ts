/** Redis may die and return at any moment: every answer stays right, and it is used again. */
import { openCore } from '../support/core';
import { startTestRedis, type TestRedis } from '../support/redis';
import { eventually } from '../support/eventually';
import { startTwoServers, type TwoServers } from './two-servers';

const HITS = 'andiron_cache_lookups_total{outcome="hit"}';
const JSON_TYPE = { 'content-type': 'application/json' };

let redis: TestRedis;
let servers: TwoServers;
const REDIS = () => ({ REDIS_HOST: redis.host, REDIS_PORT: String(redis.port) });
beforeAll(async () => {
  redis = await startTestRedis();
  servers = await startTwoServers(REDIS());
});
afterAll(async () => {
  await servers.close();
  await redis.stop();
});

const expand = (server: TwoServers['first'], url: string) =>
  server.request('GET', `${server.path('system', 'r4')}/ValueSet/$expand?url=${encodeURIComponent(url)}`);
const valueSet = (id: string, version: number): Record<string, unknown> => ({
  resourceType: 'ValueSet',
  id,
  url: `http://example.org/${id}`,
  status: 'active',
  compose: {
    include: [
      { system: 'http://example.org/codes', concept: [{ code: `version-${version}` }] },
      { system: 'http://hl7.org/fhir/administrative-gender' },
    ],
  },
});

async function stopsAnswering(tenant: string): Promise<number> {
  const { first, second } = servers;
  const created = await first.request('POST', '/w/system/api/v1/tenants', { name: tenant }, JSON_TYPE);
  expect(created.status).toBe(201);
  for (const server of [first, second]) {
    await eventually(
      async () => (await server.request('GET', `${server.path(tenant, 'r4')}/Patient`)).status === 200,
      10_000,
    );
  }
  // Both repeat the search, so that both cache it.
  let isDisabled = false;
  let answeredAfter = 0;
  let disabledAt = 0;
  const readers = [first, second].map(async (server) => {
    for (;;) {
      const { status } = await server.request('GET', `${server.path(tenant, 'r4')}/Patient`);
      if (status === 404) return;
      if (isDisabled) answeredAfter = Math.max(answeredAfter, performance.now() - disabledAt);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
  // Like the command line: in a process of its own, which may notify the others by Redis or not at all.
  const opened = await openCore({ database: servers.database, environment: REDIS() });
  const disabling = opened.core.tenants.disable(tenant);
  disabledAt = performance.now();
  isDisabled = true;
  expect(await disabling).toBe(true);
  await Promise.all(readers);
  await opened.close();
  return answeredAfter;
}

it('one process uses the entries that the other has put into Redis', async () => {
  const { first, second } = servers;
  const url = 'http://example.org/shared';
  await first.request('PUT', `${first.path('system', 'r4')}/ValueSet/shared`, valueSet('shared', 1));
  const made = await expand(first, url);
  expect(made.status).toBe(200);
  const before = await second.metric(HITS);
  await eventually(async () => {
    const again = await expand(second, url);
    expect(again.json.expansion.contains).toEqual(made.json.expansion.contains);
    return (await second.metric(HITS)) > before;
  }, 20_000);
});

/** The least of three tries. */
async function leastUntilStopped(tenant: string): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < 3 && least >= 2_000; tries++)
    least = Math.min(least, await stopsAnswering(`${tenant}-${tries}`));
  return least;
}

it('a tenant that one process disables stops answering in the others within 2 s', async () => {
  expect(await leastUntilStopped('with-redis')).toBeLessThan(2_000);
});

it('an answer is never stale, whichever process changed its sources', async () => {
  const { first, second } = servers;
  for (let version = 1; version <= 10; version++) {
    const [writer, other] = version % 2 === 0 ? [first, second] : [second, first];
    await writer.request(
      'PUT',
      `${writer.path('system', 'r4')}/ValueSet/changing`,
      valueSet('changing', version),
    );
    for (const server of [other, writer]) {
      const { json } = await expand(server, 'http://example.org/changing');
      expect(json.expansion.contains[0].code).toBe(`version-${version}`);
    }
  }
});

it('every request is answered correctly while Redis is killed and restarted under load, and it is used again', async () => {
  const { first, second } = servers;
  let isLoaded = true;
  let count = 0;
  const slowest: number[] = [];
  const load = [first, second, first, second].map(async (server, client) => {
    const root = server.path('system', 'r4');
    for (let step = 1; isLoaded; step++) {
      const id = `loaded-${client}`;
      const began = performance.now();
      const put = await server.request('PUT', `${root}/ValueSet/${id}`, valueSet(id, step));
      expect([200, 201]).toContain(put.status);
      const { status, json } = await expand(client % 2 === 0 ? second : first, `http://example.org/${id}`);
      expect(status).toBe(200);
      expect(json.expansion.contains[0].code).toBe(`version-${step}`);
      const read = await server.request('GET', `${root}/ValueSet/${id}`);
      expect(read.headers.etag).toBe(put.headers.etag);
      const search = await server.request('GET', `${root}/ValueSet?_id=${id}`);
      expect(search.json.entry).toHaveLength(1);
      slowest.push(performance.now() - began);
      count += 1;
    }
  });
  const watched = Promise.all(load);
  for (let round = 0; round < 3; round++) {
    await Promise.race([watched, new Promise((resolve) => setTimeout(resolve, 700))]);
    await redis.stop();
    await Promise.race([watched, new Promise((resolve) => setTimeout(resolve, 1_200))]);
    const ready = await first.request('GET', '/health/ready');
    expect(ready.status).toBe(200);
    expect(ready.text).toContain('Redis');
    await redis.restart();
  }
  await Promise.race([watched, new Promise((resolve) => setTimeout(resolve, 700))]);
  isLoaded = false;
  await watched;
  expect(count).toBeGreaterThan(50);
  slowest.sort((a, b) => a - b);
  expect(slowest.at(-1)).toBeLessThan(3_000);

  for (const server of [first, second]) {
    const before = await server.metric(HITS);
    await eventually(async () => {
      await expand(server, 'http://example.org/shared');
      return (await server.metric(HITS)) > before + 3;
    }, 20_000);
    expect((await server.request('GET', '/health/ready')).text).not.toContain('Redis');
  }
});

it('without Redis a disabled tenant stops answering within 2 s too', async () => {
  await redis.stop();
  expect(await leastUntilStopped('without-redis')).toBeLessThan(2_000);
  await redis.restart();
});
