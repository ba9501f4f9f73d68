import { createTestDatabase } from '../../support/database';
import { runOnServer } from '../../support/services';

describe('a test database', () => {
  it('is a migrated one of its own and can be dropped', async () => {
    const database = await createTestDatabase();
    await runOnServer(database.settings, 'select count(*) from andiron.tenant');
    await database.drop();
    await expect(runOnServer(database.settings, 'select 1')).rejects.toThrow('does not exist');
  });
});
