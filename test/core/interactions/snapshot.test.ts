import { type RequestContext, toResourceInput, Usage } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { eventually } from '../../support/eventually';
import { PATIENCE_MS } from '../../support/patience';

const LIMITS = { maxDepth: 64 };
const patient = (id: string, family: string): string =>
  JSON.stringify({ resourceType: 'Patient', id, name: [{ family }] });
const SEARCH = { type: 'Patient', parameters: [['family', 'Snapshot']] } as const;

let opened: OpenedCore;
let context: RequestContext;
beforeAll(async () => {
  opened = await openCore();
  context = await opened.context('system', 'r4');
  await Promise.all(Array.from({ length: 40 }, (_, number) => put(`p${number}`, 'Snapshot')));
  await Promise.all(Array.from({ length: 10 }, (_, number) => observe(`p${number}`)));
});
afterAll(() => opened.close());

const put = (id: string, family: string): Promise<unknown> =>
  opened.core.interactions.update(context, {
    type: 'Patient',
    id,
    input: toResourceInput(patient(id, family), LIMITS),
  });

const observe = (patientId: string): Promise<unknown> => {
  const code = { text: 'x' };
  const subject = { reference: `Patient/${patientId}` };
  const text = JSON.stringify({ resourceType: 'Observation', status: 'final', code, subject });
  return opened.core.interactions.create(context, 'Observation', toResourceInput(text, LIMITS));
};

describe('reads and searches in a snapshot', () => {
  it('return the state of one moment during concurrent writes', async () => {
    const { core } = opened;
    await core.interactions.inSnapshot(context, PATIENCE_MS, async (within) => {
      const before = await core.interactions.read(within, 'Patient', 'p1');
      await put('p1', 'Later');
      await put('new', 'Snapshot');
      const [again, found, history, absent] = await Promise.all([
        core.interactions.read(within, 'Patient', 'p1'),
        core.interactions.search(within, SEARCH),
        core.interactions.history(within, { type: 'Patient', id: 'p1' }),
        core.interactions.find(within, 'Patient', 'new'),
      ]);
      expect(again).toEqual(before);
      expect(found.matches.map(({ id }) => id)).toHaveLength(40);
      expect(history.versions.map(({ versionId }) => versionId)).toEqual([1]);
      expect(absent).toBeUndefined();
      expect((await core.interactions.read(context, 'Patient', 'p1')).versionId).toBe(2);
    });
    expect((await core.interactions.search(context, SEARCH)).matches).toHaveLength(40);
  });

  it('are batched: forty reads and ten searches at once are a few statements', async () => {
    const { core } = opened;
    const asked: RequestContext = { ...context, usage: new Usage() };
    await core.interactions.inSnapshot(asked, PATIENCE_MS, (within) =>
      Promise.all([
        ...Array.from({ length: 40 }, (_, number) => core.interactions.read(within, 'Patient', `p${number}`)),
        ...Array.from({ length: 10 }, (_, number) =>
          core.interactions.search(within, {
            type: 'Observation',
            parameters: [['subject', `Patient/p${number}`]],
          }),
        ),
      ]),
    );
    expect(asked.usage?.statements).toBeLessThanOrEqual(3);
    expect(asked.usage?.rows).toBeGreaterThanOrEqual(50);
  });

  it('fail with timeout after the deadline, and release the connection', async () => {
    const { core } = opened;
    const late = core.interactions.inSnapshot(context, 20, async (within) => {
      await core.interactions.read(within, 'Patient', 'p2');
      await new Promise((resolve) => setTimeout(resolve, 40));
      return core.interactions.read(within, 'Patient', 'p3');
    });
    await expect(late).rejects.toMatchObject({ status: 503 });
    await expect(core.interactions.read(context, 'Patient', 'p3')).resolves.toMatchObject({ id: 'p3' });
    // The rollback is under way when the caller is told.
    await eventually(() => {
      const { search } = core.health.connections();
      return Promise.resolve(search !== undefined && search.idle === search.total);
    });
  });

  it('release the connection after an error', async () => {
    const { core } = opened;
    const failing = core.interactions.inSnapshot(context, PATIENCE_MS, async (within) => {
      await core.interactions.read(within, 'Patient', 'p2');
      throw new Error('of the test');
    });
    await expect(failing).rejects.toThrow('of the test');
    for (let number = 0; number < 20; number++)
      await core.interactions.inSnapshot(context, PATIENCE_MS, (within) =>
        core.interactions.read(within, 'Patient', 'p2'),
      );
  });
});

describe('the statements of a request', () => {
  it('are counted for each request, once for a batch of reads', async () => {
    const { core } = opened;
    const [first, second] = [new Usage(), new Usage()];
    await Promise.all([
      ...Array.from({ length: 30 }, (_, number) =>
        core.interactions.read({ ...context, usage: first }, 'Patient', `p${number}`),
      ),
      core.interactions.read({ ...context, usage: second }, 'Patient', 'p1'),
      core.interactions.search({ ...context, usage: second }, SEARCH),
    ]);
    expect(first.statements).toBeLessThanOrEqual(2);
    expect(second.statements).toBeGreaterThanOrEqual(2);
    expect(second.statements).toBeLessThanOrEqual(4);
  });
});
