/** Limits of requests, over several processes, with Redis and without (docs/run/limits.md). */
import type { Admission } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { startTestRedis, type TestRedis } from '../../support/redis';

let database: TestDatabase;
let redis: TestRedis;
let one: OpenedCore;
let other: OpenedCore;
beforeAll(async () => {
  database = await createTestDatabase();
  redis = await startTestRedis();
  const environment = { REDIS_HOST: redis.host, REDIS_PORT: String(redis.port) };
  one = await openCore({ database, environment });
  other = await openCore({ database, environment });
});
afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  await redis.stop();
  await database.drop();
});

/** A new tenant with these settings. */
async function makeTenant(settings: Readonly<Record<string, string>>): Promise<string> {
  const name = `limited-${Object.values(settings).join('-')}-${made++}`.replace(/[^a-z0-9-]/g, '-');
  await one.core.tenants.create(name, settings);
  return name;
}
let made = 0;

async function ask({ core, context }: OpenedCore, tenant: string, actor = 'anonymous'): Promise<Admission> {
  const admission = core.access.admit({ ...(await context(tenant, 'r4')), actor });
  if (admission === undefined) throw new Error('this tenant has no limits');
  return admission;
}

/** Returns how many of the requests are admitted. They reach the processes in turn, a few at the same time. */
async function countAdmitted(
  cores: readonly OpenedCore[],
  tenant: string,
  count: number,
  atOnce = 4,
): Promise<number> {
  let admitted = 0;
  for (let sent = 0; sent < count; sent += atOnce) {
    const asked = Array.from({ length: atOnce }, (_, index) => cores[(sent + index) % cores.length] ?? one);
    const answers = await Promise.all(asked.map((core) => ask(core, tenant)));
    admitted += answers.filter(({ isAdmitted }) => isAdmitted).length;
  }
  return admitted;
}

/** Restarts Redis without its data, and waits until both processes use it again. */
async function restartRedis(): Promise<void> {
  await redis.restart();
  await eventually(() => [one, other].every(({ core }) => core.health.isRedisReachable()));
}

/** Returns the requests that are refilled during the test: 60 a minute give one a second. */
function refilled(quota: number, since: number): number {
  return Math.ceil(((performance.now() - since) * quota) / 60_000);
}

it('two processes together admit as many requests as the limit allows', async () => {
  const tenant = await makeTenant({ 'rate-limit': '60/m' });
  const since = performance.now();
  const admitted = await countAdmitted([one, other], tenant, 200);
  expect(admitted).toBeGreaterThanOrEqual(60);
  expect(admitted).toBeLessThanOrEqual(60 + refilled(60, since));
  let refused = await ask(one, tenant);
  // One comes back each second, perhaps just now.
  while (refused.isAdmitted) refused = await ask(one, tenant);
  expect(refused.retryAfterSeconds).toBe(1);
  expect(refused.limits()).toMatchObject([
    { name: 'tenant-minute', quota: 60, windowSeconds: 60, remaining: 0 },
  ]);
});

it('admitted requests still count when Redis becomes unavailable and when it restarts empty', async () => {
  const tenant = await makeTenant({ 'rate-limit': '60/m' });
  const since = performance.now();
  let admitted = await countAdmitted([one, other], tenant, 20, 2);
  expect(admitted).toBe(20);
  await redis.stop();
  admitted += await countAdmitted([one, other], tenant, 20, 2);
  await restartRedis();
  admitted += await countAdmitted([one, other], tenant, 100, 2);
  // A process does not know what the other one takes from the store after its own last lookup.
  expect(admitted).toBeGreaterThanOrEqual(60);
  expect(admitted).toBeLessThanOrEqual(60 + refilled(60, since) + 8);
});

it('each process counts by itself while Redis is away', async () => {
  await redis.stop();
  const tenant = await makeTenant({ 'rate-limit': '60/m' });
  const since = performance.now();
  const admitted = await countAdmitted([one, other], tenant, 200);
  expect(admitted).toBeGreaterThanOrEqual(120);
  expect(admitted).toBeLessThanOrEqual(120 + 2 * refilled(60, since));
  await restartRedis();
  // What each process has used counts for both.
  expect(await countAdmitted([one, other], tenant, 20)).toBeLessThanOrEqual(refilled(60, since));
});

it('a client that has used up its limit leaves the rest of the tenant’s limit to other clients', async () => {
  const tenant = await makeTenant({ 'rate-limit': '40/m', 'rate-limit-client': '10/m' });
  const since = performance.now();
  const answers = [];
  for (let sent = 0; sent < 60; sent++) answers.push(await ask(one, tenant, 'loud'));
  const loud = answers.filter(({ isAdmitted }) => isAdmitted).length;
  expect(loud).toBeGreaterThanOrEqual(10);
  expect(loud).toBeLessThanOrEqual(10 + refilled(10, since));
  expect(
    answers
      .find(({ isAdmitted }) => !isAdmitted)
      ?.limits()
      .map(({ name }) => name),
  ).toEqual(['client-minute']);
  const quiet = await ask(one, tenant, 'quiet');
  expect(quiet.isAdmitted).toBe(true);
  const remaining = quiet.limits().find(({ name }) => name === 'tenant-minute')?.remaining;
  expect(remaining).toBeGreaterThanOrEqual(39 - loud);
  expect(remaining).toBeLessThanOrEqual(39 - loud + refilled(40, since));
});

it('a client can have a limit of its own, and off disables it', async () => {
  const tenant = await makeTenant({
    'rate-limit-client': '2/m',
    'rate-limit-client.lab': '5/m',
    'rate-limit-client.import': 'off',
  });
  const admitted = new Map<string, number>();
  for (const actor of ['ward', 'lab', 'import']) {
    for (let sent = 0; sent < 8; sent++) {
      const { isAdmitted } = await ask(one, tenant, actor);
      admitted.set(actor, (admitted.get(actor) ?? 0) + Number(isAdmitted));
    }
  }
  expect(Object.fromEntries(admitted)).toEqual({ ward: 2, lab: 5, import: 8 });
});

it('an additional charge of a request delays all processes, for at most ten minutes', async () => {
  for (const [charged, least, most] of [
    [10_000, 90, 101],
    [1_000_000, 590, 601],
  ] as const) {
    const tenant = await makeTenant({ 'rate-limit': '100/s' });
    await ask(one, tenant);
    one.core.access.charge(await one.context(tenant, 'r4'), charged);
    const refused = await ask(one, tenant);
    expect((await ask(other, tenant)).isAdmitted).toBe(false);
    expect(refused.isAdmitted).toBe(false);
    expect(refused.limits()).toMatchObject([{ name: 'tenant-second', remaining: 0 }]);
    expect(refused.retryAfterSeconds).toBeGreaterThanOrEqual(least);
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(most);
  }
});

it('a limit of concurrent requests holds for one tenant and does not affect another', async () => {
  const tenant = await makeTenant({ 'max-requests': '2', 'rate-limit': '10/m' });
  const quiet = await makeTenant({ 'max-requests': '1' });
  const [first, second, third] = [await ask(one, tenant), await ask(one, tenant), await ask(one, tenant)];
  expect([first, second, third].map(({ isAdmitted }) => isAdmitted)).toEqual([true, true, false]);
  // The refused request took no token.
  expect(third.limits()).toMatchObject([
    { name: 'tenant-minute', remaining: 8 },
    { name: 'tenant-concurrent', quota: 2, remaining: 0 },
  ]);
  expect(third.retryAfterSeconds).toBe(1);
  const elsewhere = await ask(one, quiet);
  expect(elsewhere.isAdmitted).toBe(true);
  for (let said = 0; said < 3; said++) first.leave();
  const next = await ask(one, tenant);
  expect(next.isAdmitted).toBe(true);
  expect((await ask(one, tenant)).isAdmitted).toBe(false);
  // Each process counts its own.
  expect((await ask(other, tenant)).isAdmitted).toBe(true);
  for (const admission of [second, next, elsewhere]) admission.leave();
});

it('a tenant without limits is not counted', async () => {
  const { core } = one;
  expect(core.access.admit(await one.context('system', 'r4'))).toBeUndefined();
});

it.each(['50', '0/s', '5/h', '5/s,6/s', '5/s, 6/m', '1e3/s', ''])(
  "'%s' is no rate, and changes nothing",
  async (rate) => {
    await expect(one.core.tenants.changeSettings('system', { 'rate-limit': rate })).rejects.toMatchObject({
      key: 'invalidValue',
    });
    expect((await one.core.tenants.describe('system'))?.settings['rate-limit']).toBe('off');
  },
);
