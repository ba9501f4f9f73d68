/** Quotas of a tenant (docs/run/limits.md, Quotas). */
import { toResourceInput, type Release, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

const LIMITS = { maxDepth: 64 };
const OVER = { key: 'quotaExceeded', status: 507 };
let opened: OpenedCore;
let made = 0;
beforeAll(async () => {
  opened = await openCore({ environment: { QUOTA_BYTES: '100000', PURGE_OPEN: 'on' } });
});
afterAll(() => opened.close());

async function makeTenant(settings: Readonly<Record<string, string>>): Promise<string> {
  const name = `quota-${made++}`;
  await opened.core.tenants.create(name, settings);
  return name;
}

const bodyOf = (resource: object): ReturnType<typeof toResourceInput> =>
  toResourceInput(JSON.stringify(resource), LIMITS);
const basic = { resourceType: 'Basic', code: { text: 'x' } };
const create = (context: RequestContext, resource: object = basic): Promise<unknown> =>
  opened.core.interactions.create(context, 'Basic', bodyOf(resource));
const put = (context: RequestContext, id: string): Promise<unknown> =>
  opened.core.interactions.update(context, { type: 'Basic', id, input: bodyOf({ ...basic, id }) });

const purge = (context: RequestContext, id: string): Promise<unknown> =>
  opened.core.interactions.invoke(context, {
    level: 'instance',
    type: 'Basic',
    id,
    code: 'purge',
    safe: false,
  });

async function usageOf(tenant: string): Promise<{ resources: number; bytes: number }> {
  const described = await opened.core.tenants.describe(tenant);
  if (described === undefined) throw new Error('no such tenant');
  return described.usage;
}

/** Resources as a search of both releases finds them. */
async function countFound(tenant: string): Promise<number> {
  let all = 0;
  for (const release of ['r4', 'r4b'] as const) {
    const context = await opened.context(tenant, release);
    const page = await opened.core.interactions.search(context, {
      type: 'Basic',
      parameters: [['_summary', 'count']],
    });
    all += page.total ?? 0;
  }
  return all;
}

describe('a tenant that may have five resources', () => {
  it('can store five over both releases, even by concurrent requests; other tenants are not limited', async () => {
    const tenant = await makeTenant({ 'quota-resources': '5' });
    const contexts = await Promise.all(
      (['r4', 'r4b'] as Release[]).map((release) => opened.context(tenant, release)),
    );
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, number) => contexts[number % 2]).map((context) =>
        create(context ?? never()),
      ),
    );
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toHaveLength(15);
    for (const reason of refused) expect(reason).toMatchObject(OVER);
    expect(await countFound(tenant)).toBe(5);
    expect((await usageOf(tenant)).resources).toBe(5);
    await expect(create(await opened.context(await makeTenant({}), 'r4'))).resolves.toBeDefined();
  });

  it('can change and delete them, and can create others after a deletion', async () => {
    const tenant = await makeTenant({ 'quota-resources': '2' });
    const context = await opened.context(tenant, 'r4');
    await put(context, 'a');
    await put(context, 'b');
    await put(context, 'a');
    await expect(put(context, 'c')).rejects.toMatchObject(OVER);
    await opened.core.interactions.delete(context, 'Basic', 'a');
    await opened.core.interactions.delete(context, 'Basic', 'a');
    await put(context, 'c');
    // It would come back.
    await expect(put(context, 'a')).rejects.toMatchObject(OVER);
    expect((await usageOf(tenant)).resources).toBe(2);
  });

  it('can store a transaction only as a whole', async () => {
    const tenant = await makeTenant({ 'quota-resources': '2' });
    const context = await opened.context(tenant, 'r4');
    const entry = Array.from({ length: 3 }, () => ({
      resource: basic,
      request: { method: 'POST', url: 'Basic' },
    }));
    const send = (count: number): Promise<unknown> =>
      opened.core.interactions.bundle(context, {
        input: bodyOf({ resourceType: 'Bundle', type: 'transaction', entry: entry.slice(0, count) }),
      });
    await expect(send(3)).rejects.toMatchObject(OVER);
    expect(await usageOf(tenant)).toEqual({ resources: 0, bytes: 0 });
    await send(2);
    expect((await usageOf(tenant)).resources).toBe(2);
  });
});

it('the quota of bytes counts the texts of all versions, and a deletion needs none', async () => {
  const tenant = await makeTenant({ 'quota-bytes': '400' });
  const context = await opened.context(tenant, 'r4');
  await put(context, 'a');
  const { bytes } = await usageOf(tenant);
  expect(bytes).toBeGreaterThan(40);
  let versions = 1;
  for (; (versions + 1) * bytes <= 400; versions++) await put(context, 'a');
  await expect(put(context, 'a')).rejects.toMatchObject(OVER);
  expect(await usageOf(tenant)).toEqual({ resources: 1, bytes: versions * bytes });
  await opened.core.interactions.delete(context, 'Basic', 'a');
  expect(await usageOf(tenant)).toEqual({ resources: 0, bytes: versions * bytes });
});

it('a tenant without a quota has the default of the server, and off disables it', async () => {
  const long = { ...basic, code: { text: 'x'.repeat(100_000) } };
  const [usual, free] = [await makeTenant({}), await makeTenant({ 'quota-bytes': 'off' })];
  await expect(create(await opened.context(usual, 'r4'), long)).rejects.toMatchObject(OVER);
  await create(await opened.context(free, 'r4'), long);
  expect(await usageOf(usual)).toEqual({ resources: 0, bytes: 0 });
  expect((await usageOf(free)).bytes).toBeGreaterThan(100_000);
});

it('a purged resource no longer counts', async () => {
  const tenant = await makeTenant({ 'quota-bytes': '100000' });
  const context = await opened.context(tenant, 'r4');
  await put(context, 'stays');
  const before = await usageOf(tenant);
  for (const id of ['goes', 'goes', 'went']) await put(context, id);
  await opened.core.interactions.delete(context, 'Basic', 'went');
  await purge(context, 'goes');
  await purge(context, 'went');
  expect(await usageOf(tenant)).toEqual(before);
});

function never(): never {
  throw new Error('there are two');
}
