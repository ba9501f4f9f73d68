/** The version sequence and the time of a change (docs/reference/behaviour.md, Versions). */
import { WriteQueues } from '../../../src/core/storage/write/write-queues';
import { makeWrite, openStorage, SYSTEM_R4, SYSTEM_R4B, type OpenedStorage } from './opened-storage';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

it('the version-sequence of a tenant has no gap over both releases and several processes, despite refused writes', async () => {
  const queues = [1, 2].map(() => new WriteQueues(storage.database, 10_000, () => undefined));
  const other = await storage.createTenant('other');
  const given: number[] = [];
  const work = async (client: number): Promise<void> => {
    const writes = queues[client % 2];
    for (let step = 0; step < 30; step++) {
      const space = [SYSTEM_R4, SYSTEM_R4B, other][(client + step) % 3] ?? SYSTEM_R4;
      const key = 1 + ((client * 7 + step) % 90);
      const rows = makeWrite(key).rows;
      const bad = {
        ...rows,
        strings: [{ parameter: 1, value: '\0', exact: 0, isWhole: true, isLowest: true, isHighest: true }],
      };
      const refused = step % 10 === 9;
      const written = await writes
        ?.write(space, makeWrite(key, refused ? { rows: bad } : {}))
        .catch(() => undefined);
      if (written !== undefined && space !== other) given.push(written.sequence);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, client) => work(client)));
  given.sort((a, b) => a - b);
  expect(given.length).toBeGreaterThan(50);
  expect(given).toEqual(given.map((_, index) => index + 1));
  const { rows } = await storage.owner.query<{ sequence: number; last: number }>(
    `select v.sequence::int as sequence, c.last_sequence::int as last from andiron.resource_version v
     join andiron.space s on s.number = v.space join andiron.change_counter c on c.tenant = s.tenant
     where v.space in ($1, $2) order by v.sequence`,
    [SYSTEM_R4, SYSTEM_R4B],
  );
  expect(rows.map(({ sequence }) => sequence)).toEqual(given);
  expect(rows[0]?.last).toBe(given.length);
});

it('last_updated grows with each version, even if the clock stops or goes back', async () => {
  const writes = new WriteQueues(storage.database, 10_000, () => undefined);
  const key = 5_000;
  const instants: number[] = [];
  for (let expected = 0; expected < 40; expected++) {
    if (expected === 20) {
      // As if the clock had been an hour ahead until now.
      await storage.owner.query(
        'update andiron.resource set last_updated = last_updated + 3600000 where space = $1 and resource_key = $2',
        [SYSTEM_R4, key],
      );
    }
    const change = expected === 0 ? 'create' : expected % 7 === 0 ? 'delete' : 'update';
    const written = await writes.write(SYSTEM_R4, makeWrite(key, { expected, change }));
    instants.push(written?.lastUpdated ?? 0);
  }
  for (let index = 1; index < instants.length; index++) {
    expect(instants[index]).toBeGreaterThan(instants[index - 1] ?? Infinity);
  }
});
