/** A tenant neither finds, reads nor changes another one's resources, whatever their ids and values. */
import { toResourceInput, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

const TENANTS = ['alice', 'bob'] as const;

let opened: OpenedCore;
const contexts: RequestContext[] = [];
/** What became of the first write of each tenant. */
const firsts: PromiseSettledResult<number>[] = [];
beforeAll(async () => {
  opened = await openCore({ environment: { VALIDATION: 'structure' } });
  const { core } = opened;
  for (const tenant of TENANTS) {
    await core.tenants.create(tenant);
    const context = await opened.context(tenant, 'r4');
    const [first] = await Promise.allSettled([put(context, 'same')]);
    firsts.push(first);
    contexts.push(context);
  }
});
afterAll(() => opened.close());

/** Milliseconds after which an update that nobody disturbs has failed. */
const SOON = 20_000;

async function put(context: RequestContext, id: string): Promise<number> {
  const patient = { resourceType: 'Patient', id, name: [{ family: `Family of ${context.space.tenant}` }] };
  const input = toResourceInput(JSON.stringify(patient), { maxDepth: 64 });
  const limited = { ...context, deadline: Date.now() + SOON };
  const { version } = await opened.core.interactions.update(limited, { type: 'Patient', id, input });
  return version.versionId;
}

const find = async (context: RequestContext, family: string): Promise<readonly string[]> => {
  const parameters = [['family', family]] as const;
  const { matches } = await opened.core.interactions.search(context, { type: 'Patient', parameters });
  return matches.map(({ text }) => text);
};

it('each tenant can have a resource with the same id', () => {
  expect(firsts).toEqual(TENANTS.map(() => ({ status: 'fulfilled', value: 1 })));
});

it('tenants share no cached page, although they have changed equally often', async () => {
  // The first answers fill the cache.
  for (let time = 0; time < 5; time++)
    for (const context of contexts) {
      expect(await find(context, 'family')).toEqual([
        expect.stringContaining(`Family of ${context.space.tenant}`),
      ]);
    }
});

it('a resource is not found by what the other tenant has under the same id', async () => {
  for (const context of contexts)
    for (const tenant of TENANTS)
      expect(await find(context, `family of ${tenant}`)).toHaveLength(
        tenant === context.space.tenant ? 1 : 0,
      );
});

it('a resource of another tenant is not found by its id', async () => {
  const [alice, bob] = contexts;
  if (alice === undefined || bob === undefined) throw new Error('there are two tenants');
  await expect(put(alice, 'of-alice')).resolves.toBe(1);
  const reading = opened.core.interactions.read(bob, 'Patient', 'of-alice');
  await expect(reading).rejects.toMatchObject({ key: 'notFound' });
});

it('an update leaves the resource that another tenant has under the same id', async () => {
  const [alice, bob] = contexts;
  if (alice === undefined || bob === undefined) throw new Error('there are two tenants');
  for (const context of contexts) await expect(put(context, 'twice')).resolves.toBe(1);
  await expect(put(alice, 'twice')).resolves.toBe(2);
  const { versionId, text } = await opened.core.interactions.read(bob, 'Patient', 'twice');
  expect([versionId, text]).toEqual([1, expect.stringContaining('Family of bob')]);
  // A head that the other's update has changed has another version than the text.
  await expect(put(bob, 'twice')).resolves.toBe(2);
});
