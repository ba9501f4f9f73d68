/** A search of one tenant finds nothing by the values of another one's resources, neither in the index nor in a cache. */
import { toResourceInput, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

const TENANTS = ['alice', 'bob'] as const;

let opened: OpenedCore;
const contexts: RequestContext[] = [];
beforeAll(async () => {
  opened = await openCore({ environment: { VALIDATION: 'structure' } });
  const { core } = opened;
  for (const tenant of TENANTS) {
    await core.tenants.create(tenant);
    const context = await opened.context(tenant, 'r4');
    const patient = { resourceType: 'Patient', id: 'same', name: [{ family: `Family of ${tenant}` }] };
    const input = toResourceInput(JSON.stringify(patient), { maxDepth: 64 });
    await core.interactions.update(context, { type: 'Patient', id: 'same', input });
    contexts.push(context);
  }
});
afterAll(() => opened.close());

const find = async (context: RequestContext, family: string): Promise<readonly string[]> => {
  const parameters = [['family', family]] as const;
  const { matches } = await opened.core.interactions.search(context, { type: 'Patient', parameters });
  return matches.map(({ text }) => text);
};

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
