import { Client } from 'pg';
import { createTestDatabase } from '../support/database';
import { startServer } from '../support/server';

it('signing keys of the tenant system are there once a server has started for the first time, and stay after the next start', async () => {
  const database = await createTestDatabase();
  const storedKeys = async (): Promise<string[]> => {
    const started = await startServer({
      because: 'the first start',
      database,
      environment: { AUTH_MODE: 'enforced' },
    });
    await started.close();
    const admin = new Client(database.settings);
    await admin.connect();
    const { rows } = await admin.query<{ name: string; id: string }>(
      'select t.name, k.id from andiron.signing_key k join andiron.tenant t on t.number = k.tenant order by k.id',
    );
    await admin.end();
    return rows.map(({ name, id }) => `${name} ${id}`);
  };
  const first = await storedKeys();
  expect(first).toEqual([expect.stringMatching(/^system /), expect.stringMatching(/^system /)]);
  expect(await storedKeys()).toEqual(first);
  await database.drop();
});
