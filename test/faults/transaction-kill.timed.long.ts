/**
 * Transactions whose server is killed, or whose database connections are closed, at random moments: each is stored as
 * a whole or not at all, and acknowledged ones are stored.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Release } from '../../src/core';
import { openCore } from '../support/core';
import { createTestDatabase } from '../support/database';
import { startProcess } from '../support/process';
import { rounds } from '../support/rounds';

/** Transactions, one after the other, whose connections are closed by PostgreSQL. */
const ENDED = rounds(64, 160);
/** After every so many of them the server is killed under a crowd of transactions that are under way at once. */
const KILL_EVERY = 32;
const CROWD = 16;
/** So many were without an answer when their server was killed; else there are more crowds, up to so many. */
const KILLED = rounds(12, 40);
const MOST_CROWDS = 15;
/** Every so many are large enough to be written by several statements. */
const LARGE_EVERY = 20;
const SHARED = 3;
/** The first half of these transactions only creates resources, which is written in another way. */
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

it('transactions that are killed at random moments leave all or nothing', async () => {
  const database = await createTestDatabase();
  const owner = new Client(database.settings);
  await owner.connect();
  const sizes = new Map<number, number>();
  const acknowledged = new Set<number>();
  let attempts = 0;
  let killed = 0;
  let crowds = 0;
  let server = await startProcess({ database });
  const usual = { small: 60, large: 800, crowded: 200 };
  /** Resolves with how long the answer took; undefined: the server was killed, or could not say that it is done. */
  const begin = async (size: number): Promise<number | undefined> => {
    const attempt = ++attempts;
    sizes.set(attempt, size);
    const body = makeTransaction(attempt, size);
    const began = performance.now();
    const path = server.path('system', releaseOf(attempt));
    const status = await server.request('POST', path, body).then(
      (answer) => answer.status,
      () => 0,
    );
    expect([0, 200, 503]).toContain(status);
    if (status !== 200) return undefined;
    acknowledged.add(attempt);
    return performance.now() - began;
  };
  const endConnections = async (turn: number): Promise<void> => {
    const isLarge = turn % LARGE_EVERY === 0;
    const answered = begin(isLarge ? LARGE : SMALL);
    await delay(Math.random() * (isLarge ? usual.large : usual.small));
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name = 'andiron'`,
    );
    const took = await answered;
    if (took === undefined) return;
    // The time of answered requests shows how long they take: the next ones are closed within that time.
    if (isLarge) usual.large = took;
    else usual.small = took;
  };
  /** Each of the crowd begins at a moment of its own, so that the kill finds each somewhere else. */
  const killServer = async (): Promise<void> => {
    crowds++;
    let open = 0;
    const answered = Array.from({ length: CROWD }, async (_, index) => {
      await delay(Math.random() * usual.crowded);
      open++;
      const took = await begin(index === 0 ? LARGE : SMALL);
      if (took !== undefined) open--;
      if (took !== undefined && index > 0) usual.crowded = (usual.crowded + took) / 2;
    });
    await delay(usual.crowded * (0.7 + 0.8 * Math.random()));
    await server.kill();
    killed += open;
    // Some are to be through, or the moments are not random.
    if (open === CROWD) usual.crowded *= 2;
    await Promise.all(answered);
    await server.close();
    server = await startProcess({ database });
  };
  try {
    for (let turn = 1; turn <= ENDED; turn++) {
      await endConnections(turn);
      if (turn % KILL_EVERY === 0) await killServer();
    }
    while (killed < KILLED && crowds < MOST_CROWDS) await killServer();
    expect(killed).toBeGreaterThanOrEqual(KILLED);
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
    expect(whole.size).toBeLessThan(attempts - 10);
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
