/** Random transactions have the results of a simple model; `random-transactions.long.ts` runs more of them. */
import { reindex } from '../support/reindex';
import { TESTED_RELEASES } from '../support/releases';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { runTransactions } from './transactions/run';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const TRANSACTIONS = 150;

it.each(TESTED_RELEASES)(
  'random transactions under %s are done as a whole or refused as a whole, as the model says',
  async (release) => {
    const seed = release === 'r4' ? 1 : 2;
    const stored = await runTransactions(server, {
      tenant: 'system',
      release,
      seed,
      transactions: TRANSACTIONS,
    });
    // Both happen often, or nothing would be shown.
    expect(stored).toBeGreaterThan(TRANSACTIONS * 0.3);
    expect(stored).toBeLessThan(TRANSACTIONS * 0.9);
  },
);

it.each(TESTED_RELEASES)('they leave an index under %s that matches the stored versions', async (release) => {
  expect(await reindex(server, 'system', release)).toMatchObject({
    repaired: 0,
    added: 0,
    removed: 0,
    losses: [],
  });
});
