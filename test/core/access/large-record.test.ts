/** A record with more resources than the planner counts. */
import { toResourceInput, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { TESTED_RELEASES } from '../../support/releases';

describe.each(TESTED_RELEASES)('an app with a large record, in %s', (release) => {
  let opened: OpenedCore;
  let open: RequestContext;
  const put = async (context: RequestContext, type: string, id: string, more: object): Promise<void> => {
    const input = toResourceInput(JSON.stringify({ resourceType: type, id, ...more }), { maxDepth: 64 });
    await opened.core.interactions.update(context, { type, id, input });
  };
  const observation = (performer: string) => ({
    ...{ status: 'final', code: { text: 'x' }, subject: { reference: 'Patient/ann' } },
    performer: [{ reference: `Practitioner/${performer}` }],
  });

  beforeAll(async () => {
    opened = await openCore({ environment: { VALIDATION: 'structure', SEARCH_SORT_LIMIT: '3' } });
    open = await opened.context('system', release);
    await put(open, 'Patient', 'ann', {});
    for (const id of ['known', 'stranger']) await put(open, 'Practitioner', id, {});
    for (let index = 0; index < 8; index++) await put(open, 'Observation', `o${index}`, observation('known'));
  });
  afterAll(() => opened.close());

  it('finds and reads what it refers to, and writes in it', async () => {
    const { core } = opened;
    const app: RequestContext = {
      ...open,
      access: {
        ...{ client: 'app', patient: 'ann', scopes: ['patient/*.cruds'], policies: [] },
        ...{ isAdministrator: false, isAuditor: false },
      },
    };
    const { matches } = await core.interactions.search(app, { type: 'Practitioner', parameters: [] });
    expect(matches.map(({ id }) => id)).toEqual(['known']);
    expect((await core.interactions.read(app, 'Practitioner', 'known')).id).toBe('known');
    await expect(core.interactions.read(app, 'Practitioner', 'stranger')).rejects.toMatchObject({
      key: 'notFound',
    });
    await put(app, 'Observation', 'own', observation('stranger'));
    await expect(core.interactions.read(app, 'Practitioner', 'stranger')).rejects.toMatchObject({
      key: 'notFound',
    });
  });
});
