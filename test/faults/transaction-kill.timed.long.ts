/**
 * Transactions whose server is killed, or whose database connections are ended, at random moments: each is there as a
 * whole or not at all, and what was acknowledged is there (check 91).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Release } from '../../src/core';
import { openCore } from '../support/core';
import { createTestDatabase } from '../support/database';
import { startProcess } from '../support/process';

const ATTEMPTS = 200;
/** Every so many the server is killed; else its connections are ended by PostgreSQL. */
const KILL_EVERY = 40;
/** Every so many are large enough to be written by several statements. */
const LARGE_EVERY = 20;
const SHARED = 3;
/** Of so many one after the other the first half only makes resources, which is written in another way. */
const HALVES = 8;
/** As many as the halves take are of one release, the next ones of the other. */
const releaseOf = (attempt: number): Release => (Math.floor(attempt / HALVES) % 2 === 0 ? 'r4' : 'r4b');
const SMALL = 20;
const LARGE = 700;

function makeTransaction(attempt: number, size: number): object {
  const mark = `attempt-${attempt}.`;
  const shared = attempt % HALVES < HALVES / 2 ? 0 : SHARED;
  const made = Array.from({ length: size - shared }, () => ({
    resource: { resourceType: 'Basic', code: { text: mark } },
    request: { method: 'POST', url: 'Basic' },
  }));
  const changed = Array.from({ length: shared }, (_, index) => {
    const id = `shared-${(index * 2 + attempt) % SHARED}`;
    return {
      resource: { resourceType: 'Basic', id, code: { text: mark } },
      request: { method: 'PUT', url: `Basic/${id}` },
    };
  });
  return { resourceType: 'Bundle', type: 'transaction', entry: [...changed, ...made] };
}

it('two hundred transactions that are broken off at random moments leave all or nothing (check 91)', async () => {
  const database = await createTestDatabase();
  const owner = new Client(database.settings);
  await owner.connect();
  const sizes = new Map<number, number>();
  const acknowledged = new Set<number>();
  let server = await startProcess({ database });
  const usual = { small: 60, large: 800 };
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const isLarge = attempt % LARGE_EVERY === 0;
      const size = isLarge ? LARGE : SMALL;
      sizes.set(attempt, size);
      const body = makeTransaction(attempt, size);
      const began = performance.now();
      const answered = server.request('POST', server.path('system', releaseOf(attempt)), body).then(
        ({ status }) => status,
        () => 0,
      );
      await delay(Math.random() * (isLarge ? usual.large : usual.small));
      const isKilled = attempt % KILL_EVERY === 0;
      if (isKilled) await server.kill();
      else
        await owner.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and application_name = 'andiron'`,
        );
      const status = await answered;
      expect([0, 200, 503]).toContain(status);
      if (status === 200) {
        acknowledged.add(attempt);
        // What was answered in time shows how long it takes: the next ones are broken off within.
        const took = performance.now() - began;
        if (isLarge) usual.large = took;
        else usual.small = took;
      }
      if (!isKilled) continue;
      await server.close();
      server = await startProcess({ database });
    }
    const { rows } = await owner.query<{ attempt: number; count: number }>(
      `select substring(body from 'attempt-([0-9]+)')::int as attempt, count(*)::int as count
       from andiron.resource_version v join andiron.space s on s.number = v.space
       where v.body like '%attempt-%' group by 1`,
    );
    const whole = new Set(rows.map(({ attempt }) => attempt));
    expect(rows.filter(({ attempt, count }) => count !== sizes.get(attempt))).toEqual([]);
    expect([...acknowledged].filter((attempt) => !whole.has(attempt))).toEqual([]);
    // Both happened, or the moments were not random.
    expect(whole.size).toBeGreaterThan(10);
    expect(whole.size).toBeLessThan(ATTEMPTS - 10);
    const heads = await owner.query<{
      heads: number;
      sum: number;
      largest: number;
      versions: number;
      last: number;
    }>(
      `select (select count(*)::int from andiron.resource r where r.space > 2) as heads,
              (select coalesce(sum(r.version), 0)::int from andiron.resource r where r.space > 2) as sum,
              count(*)::int as versions, max(v.sequence)::int as last, max(c.last_sequence)::int as largest
       from andiron.resource_version v join andiron.space s on s.number = v.space
       join andiron.change_counter c on c.tenant = s.tenant where v.space > 2`,
    );
    const [totals] = heads.rows;
    expect(totals?.sum).toBe(totals?.versions);
    expect([totals?.last, totals?.largest]).toEqual([totals?.versions, totals?.versions]);
  } finally {
    await server.close();
  }
  const opened = await openCore({ database });
  expect(await opened.differences('system')).toEqual([]);
  await opened.close();
  await owner.end();
  await database.drop();
});
