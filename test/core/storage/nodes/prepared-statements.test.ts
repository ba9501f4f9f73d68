/** A process of a node has a bound on the statements that it prepares, because each shard group has its own. */
import { sql } from 'kysely';
import { Connections } from '../../../../src/core/storage/connection/connections';
import type { Shards } from '../../../../src/core/storage/connection/database';
import { defineStatement, template } from '../../../../src/core/storage/connection/statement';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { silentLog } from '../../../support/log';
import { SYSTEM_R4 } from '../opened-storage';

const CONTEXT = { lane: 'read', space: SYSTEM_R4 } as const;
const PROCESS = defineStatement(template(sql`select pg_backend_pid()`), { named: false });
const NOTHING = defineStatement(template(sql`select 1`), { named: false });
/** All tables have their plain names. */
const SHARDS: Shards = {
  named: (_space, statement) => statement,
  changes: () => false,
  guard: () => NOTHING,
};

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('a process of a node that has prepared a thousand statements is replaced, and no statement fails', async () => {
  const connections = new Connections(
    { ...database.settings, connections: 4, shards: SHARDS },
    silentLog,
    true,
  );
  try {
    const processes = new Set<unknown>();
    for (let number = 0; number < 1_500; number++) {
      const statement = defineStatement(template(sql`select ${sql.raw(String(number))}::int`));
      expect(await connections.run(CONTEXT, statement, {})).toEqual([[number]]);
      if (number % 100 === 0) processes.add((await connections.run(CONTEXT, PROCESS, {}))[0]?.[0]);
    }
    expect(processes.size).toBe(2);
  } finally {
    await connections.close();
  }
});
