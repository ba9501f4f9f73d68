/** As random-transactions.test.ts, more of them: each tenant has its own, several at the same time. */
import { startServer, type TestServer } from '../support/server';
import { runTransactions } from './transactions/run';
import { rounds } from '../support/rounds';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const TENANTS = ['north', 'east', 'south', 'west'];
const TRANSACTIONS = rounds(60, 250);

it('random transactions in four tenants have the results of the model', async () => {
  for (const tenant of TENANTS) await server.app.core.tenants.create(tenant);
  const stored = await Promise.all(
    TENANTS.map((tenant, index) => {
      const release = index % 2 === 0 ? 'r4' : 'r4b';
      // Others each time: a difference is printed with its seed.
      const seed = (Date.now() & 0xffffff) * 4 + index;
      return runTransactions(server, { tenant, release, seed, transactions: TRANSACTIONS });
    }),
  );
  // Enough of them were stored for the model to be tested; how many of one tenant, is chance.
  const all = stored.reduce((sum, count) => sum + count, 0);
  expect(all).toBeGreaterThan(TENANTS.length * TRANSACTIONS * 0.3);
  expect(Math.min(...stored)).toBeGreaterThan(0);
});
