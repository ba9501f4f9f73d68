import { addressOf, describeUntested } from '../../../../src/core/storage/nodes/cluster';
import { slotBounds } from '../../../../src/core/storage/nodes/placement';
import { chooseNumbers, hashOf } from '../../../../src/core/storage/tenants/slot-numbers';
import { runHere } from '../../../support/command-here';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { toEnvironment } from '../../../support/environment';

it('versions of Citus and PostgreSQL that were not tried are named', () => {
  expect(describeUntested({ citus: '13.2', postgres: 17 })).toBeUndefined();
  expect(describeUntested({ citus: '12.1', postgres: 16 })).toBe(
    'Citus 12.1 was not tried with this version of Andiron: it needs 13.2',
  );
  expect(describeUntested({ citus: '13.2', postgres: 15 })).toBe(
    'PostgreSQL 15 with Citus was not tried with this version of Andiron: it needs 17',
  );
});

it('the hashes of all numbers of a tenant are within its bounds', () => {
  for (let round = 0; round < 10; round++) {
    const [tenant = 0, ...spaces] = chooseNumbers(5);
    const { least, most } = slotBounds(tenant);
    for (const space of spaces) {
      expect(hashOf(space) | 0).toBeGreaterThanOrEqual(least);
      expect(hashOf(space) | 0).toBeLessThanOrEqual(most);
    }
  }
});

it('the address of a node by IPv6 has brackets', () => {
  expect(addressOf({ host: '::1', port: 5432 })).toBe('[::1]:5432');
});

describe('on a database that is not distributed', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it.each([
    [['distribute'], 'The database has no extension citus: install Citus on each node'],
    [['nodes'], 'The database is not distributed: npx --no-install andiron distribute'],
    [['tenant', 'move', 'system', '--to', '127.0.0.1:1'], 'The database is not distributed: it has no nodes'],
  ])('andiron %j says so in one line', async (words, line) => {
    const { code, output, errors } = await runHere(words, { environment: toEnvironment(database) });
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(/^andiron: [^\n]*\n$/);
    expect(errors).toContain(line);
  });

  it('the list of tenants has no nodes', async () => {
    const { output } = await runHere(['tenant', 'list'], { environment: toEnvironment(database) });
    expect(output).toMatch(/^system {2}active {4}[^ ]+Z\n$/);
  });
});
