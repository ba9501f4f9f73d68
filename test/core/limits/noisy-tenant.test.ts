/** One tenant asks for all it can; another goes on as if it were alone (docs/run/limits.md, Turns). Told by counts, not by a clock. */
import { Client } from 'pg';
import { type RequestContext, toResourceInput } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

const LIMITS = { maxDepth: 64 };
let opened: OpenedCore;
let owner: Client;
/** Looks at what the others wait for: inside its transaction the owner would see one moment of that. */
let observer: Client;
let noisy: RequestContext;
let quiet: RequestContext;
beforeAll(async () => {
  opened = await openCore({ environment: { DATABASE_CONNECTIONS: '14' } });
  for (const name of ['noisy', 'quiet']) await opened.core.tenants.create(name);
  noisy = await opened.context('noisy', 'r4');
  quiet = await opened.context('quiet', 'r4');
  for (const context of [noisy, quiet])
    for (let number = 0; number < 10; number++) await put(context, `p${number}`);
  [owner, observer] = [new Client(opened.database.settings), new Client(opened.database.settings)];
  await Promise.all([owner.connect(), observer.connect()]);
});
afterAll(async () => {
  await Promise.all([owner.end(), observer.end()]);
  await opened.close();
});

const bodyOf = (type: string, more: object): ReturnType<typeof toResourceInput> =>
  toResourceInput(JSON.stringify({ resourceType: type, ...more }), LIMITS);

const put = (context: RequestContext, id: string): Promise<unknown> =>
  opened.core.interactions.update(context, {
    type: 'Patient',
    id,
    input: bodyOf('Patient', { id, name: [{ family: 'Chalmers' }] }),
  });

const transaction = (
  context: RequestContext,
  resource: { readonly resourceType: string },
): Promise<unknown> =>
  opened.core.interactions.bundle(context, {
    input: bodyOf('Bundle', {
      type: 'transaction',
      entry: [{ resource, request: { method: 'POST', url: resource.resourceType } }],
    }),
  });

const subscription = {
  resourceType: 'Subscription',
  status: 'off',
  reason: 'x',
  criteria: 'Observation',
  channel: { type: 'rest-hook', endpoint: 'http://example.org/hook' },
};

const levin = { resourceType: 'Patient', name: [{ family: 'Levin' }] };

/** Returns the number of statements that wait for a lock. */
async function countHanging(): Promise<number> {
  const { rows } = await observer.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}

async function untilHanging(count: number): Promise<void> {
  while ((await countHanging()) < count) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Asks for connections of every kind. */
function useAll(context: RequestContext): Promise<unknown> {
  const { core } = opened;
  const family = ['family', 'Chalmers'] as const;
  return Promise.all([
    core.interactions.read(context, 'Patient', 'p1'),
    core.interactions.search(context, { type: 'Patient', parameters: [family] }),
    core.interactions.search(context, {
      type: 'Patient',
      parameters: [family, ['_total', 'accurate'], ['_include', '*']],
    }),
    put(context, 'p1'),
    transaction(context, levin),
  ]);
}

it('a tenant whose statements hang leaves connections of every kind to another tenant', async () => {
  const { core } = opened;
  await core.interactions.create(noisy, 'Subscription', bodyOf('Subscription', subscription));
  await useAll(quiet);
  // The table is used by Subscriptions alone: the quiet tenant has no uri in the index.
  await owner.query('begin');
  await owner.query('lock table andiron.uri_index in access exclusive mode');
  let written = 0;
  const flood = Array.from({ length: 15 }, (_, number) => [
    core.interactions.search(noisy, {
      type: 'Subscription',
      parameters: [['url', `http://example.org/${number}`]],
    }),
    // A total takes a snapshot of its own: it shares its statement with nobody.
    core.interactions.search(noisy, {
      type: 'Subscription',
      parameters: [
        ['url', `http://example.org/${number}`],
        ['_total', 'accurate'],
        ['_include', '*'],
      ],
    }),
    core.interactions.create(noisy, 'Subscription', bodyOf('Subscription', subscription)),
    transaction(noisy, subscription),
  ]).flat();
  const done = Promise.allSettled(flood.map((each) => each.then(() => written++)));
  // One connection of each pool is left (six for searches, three for writes, three for transactions). Writes go in one statement,
  // or in two where a slow machine has not prepared them together.
  await untilHanging(8);
  for (let time = 0; time < 3; time++) await useAll(quiet);
  expect(written).toBe(0);
  expect(await countHanging()).toBeLessThanOrEqual(5 + 2 + 2);
  await owner.query('rollback');
  await done;
  // On a slow machine some were told to come again.
  expect(written).toBeGreaterThan(0);
});
