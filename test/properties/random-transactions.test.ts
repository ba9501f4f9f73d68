/** Random transactions have the results of a simple model; `random-transactions.long.ts` runs more of them. */
import { startServer, type TestServer } from '../support/server';
import { runTransactions } from './transactions/run';
import { TESTED_RELEASES } from '../support/releases';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ because: 'its rows are compared with a model' });
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

it('they leave an index that matches the stored versions', async () => {
  const differences = [];
  for await (const difference of server.app.core.verifyIndex({ tenant: 'system' }))
    differences.push(difference);
  expect(differences).toEqual([]);
});
