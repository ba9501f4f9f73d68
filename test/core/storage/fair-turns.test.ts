/** Turns of tenants at limited slots (docs/run/limits.md, Turns). */
import { FairTurns } from '../../../src/core/storage/connection/fair-turns';
import { eventually } from '../../support/eventually';

/** Runs the continuations of resolved promises. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The started tasks, in order; each runs until `end`. */
class Scene {
  readonly begun: string[] = [];
  readonly refused: string[] = [];

  constructor(readonly turns: FairTurns) {}

  come(tenant: number, name: string, isCancelled?: () => boolean): void {
    const turn = this.turns.enter(tenant, isCancelled);
    if (turn === undefined) this.begun.push(name);
    else
      turn.then(
        () => this.begun.push(name),
        ({ key }: { key: string }) => this.refused.push(`${name} ${key}`),
      );
  }

  async end(tenant: number): Promise<void> {
    this.turns.leave(tenant);
    await settle();
  }
}

it('the first task of a tenant is next, however many of another tenant wait', async () => {
  const scene = new Scene(new FairTurns({ slots: 2, most: 2 }));
  for (let index = 0; index < 1_000; index++) scene.come(1, `a${index}`);
  scene.come(2, 'b0');
  scene.come(2, 'b1');
  await scene.end(1);
  expect(scene.begun).toEqual(['a0', 'a1', 'b0']);
  await scene.end(2);
  // Both have as many running tasks, so they take turns.
  expect(scene.begun.slice(3)).toEqual(['b1']);
  await scene.end(2);
  await scene.end(1);
  expect(scene.begun.slice(4)).toEqual(['a2', 'a3']);
});

it('each of many tenants is served once before one is served twice', async () => {
  const scene = new Scene(new FairTurns({ slots: 1, most: 1 }));
  scene.come(9, 'first');
  for (let tenant = 1; tenant <= 5; tenant++)
    for (let index = 0; index < 3; index++) scene.come(tenant, `${tenant}`);
  const order = [9, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4];
  for (const tenant of order) await scene.end(tenant);
  expect(scene.begun.slice(1)).toEqual([...'123451234512345']);
});

it('a tenant may use all slots while it is the only one, and all but one afterwards', async () => {
  const scene = new Scene(new FairTurns({ slots: 3, most: 2, mostAlone: 3 }));
  for (let index = 0; index < 6; index++) scene.come(1, `a${index}`);
  expect(scene.begun).toEqual(['a0', 'a1', 'a2']);
  scene.come(2, 'b0');
  await scene.end(1);
  expect(scene.begun).toEqual(['a0', 'a1', 'a2', 'b0']);
  await scene.end(2);
  // A slot is free, but a3 may not have it.
  expect(scene.begun).toHaveLength(4);
  scene.come(3, 'c0');
  expect(scene.begun.at(-1)).toBe('c0');
  await scene.end(1);
  expect(scene.begun.at(-1)).toBe('a3');
});

it('a task without a tenant does not count as a second tenant', () => {
  const scene = new Scene(new FairTurns({ slots: 3, most: 2, mostAlone: 3 }));
  scene.come(0, 'control');
  scene.come(-1, 'base');
  for (let index = 0; index < 3; index++) scene.come(1, `a${index}`);
  expect(scene.begun).toEqual(['control', 'base', 'a0']);
});

it('a task that is cancelled, waits too long or exceeds the limit of its tenant is refused and takes no slot', async () => {
  const scene = new Scene(new FairTurns({ slots: 1, most: 1, maxWaiting: 2 }));
  let isGone = false;
  scene.come(1, 'a0');
  scene.come(1, 'a1', () => isGone);
  scene.come(1, 'a2');
  scene.come(1, 'a3');
  await settle();
  expect(scene.refused).toEqual(['a3 overloaded']);
  isGone = true;
  await scene.end(1);
  expect(scene.refused).toEqual(['a3 overloaded', 'a1 timeout']);
  expect(scene.begun).toEqual(['a0', 'a2']);

  const hasty = new Scene(new FairTurns({ slots: 1, most: 1, maxWaitMs: 20 }));
  hasty.come(1, 'a0');
  hasty.come(2, 'b0');
  await eventually(() => hasty.refused.length > 0);
  await hasty.end(1);
  expect([hasty.begun, hasty.refused, hasty.turns.waitingCount]).toEqual([['a0'], ['b0 overloaded'], 0]);
});
