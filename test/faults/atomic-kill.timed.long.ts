/** `@atomic` documents whose server is killed, or whose database connections are closed, at random moments. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { gatewayPath, toGatewayAnswer } from '../graphql/gateway-client';
import { openCore } from '../support/core';
import { createTestDatabase } from '../support/database';
import { startProcess } from '../support/process';
import { rounds } from '../support/rounds';

/** At least; more where nearly all of them came to the same. */
const ATTEMPTS = rounds(20, 50);
const MOST_ATTEMPTS = 150;
/** So many are done, and so many are not, or the moments were not random. */
const OF_EACH = 6;
/** Every so many the server is killed; else its connections are ended by PostgreSQL. */
const KILL_EVERY = 10;
const CREATED = 20;

const URN = 'urn:uuid:9d0c1f3e-0000-4000-8000-00000000000a';
/** A Patient, one that is changed each time, and others that refer to the first. */
const DOCUMENT = `mutation($patient: ResourceInput!, $shared: ResourceInput!, $basic: ResourceInput!) @atomic {
  patient: create(resource: $patient, as: "${URN}") { versionId }
  shared: update(resource: $shared) { versionId }
  ${Array.from({ length: CREATED }, (_, index) => `b${index}: create(resource: $basic) { versionId }`).join('\n  ')}
}`;

function makeBody(attempt: number): object {
  const mark = `attempt-${attempt}.`;
  return {
    query: DOCUMENT,
    variables: {
      patient: { resourceType: 'Patient', name: [{ family: mark }] },
      shared: { resourceType: 'Basic', id: 'shared', code: { text: mark } },
      basic: { resourceType: 'Basic', code: { text: mark }, subject: { reference: URN } },
    },
  };
}

/** Returns, for each attempt that left anything, the number of versions, and of those with a reference that was not resolved. */
async function readLeft(
  owner: Client,
): Promise<readonly { attempt: number; count: number; broken: number }[]> {
  const { rows } = await owner.query<{ attempt: number; count: number; broken: number }>(
    `select substring(v.body from 'attempt-([0-9]+)')::int as attempt, count(*)::int as count,
       count(*) filter (where v.body like '%urn:uuid:%')::int as broken
     from andiron.resource_version v where v.body like '%attempt-%' group by 1`,
  );
  return rows;
}

it('@atomic documents that are killed at random moments leave all or nothing', async () => {
  const database = await createTestDatabase();
  const owner = new Client(database.settings);
  await owner.connect();
  const acknowledged = new Set<number>();
  let server = await startProcess({ database });
  let usual = 80;
  let attempts = 0;
  const isEnough = async (): Promise<boolean> => {
    if (attempts < ATTEMPTS) return false;
    const whole = (await readLeft(owner)).length;
    return attempts >= MOST_ATTEMPTS || (whole >= OF_EACH && attempts - whole >= OF_EACH);
  };
  try {
    while (!(await isEnough())) {
      const attempt = ++attempts;
      const began = performance.now();
      const answered = server
        .request('POST', gatewayPath('system', 'r4'), makeBody(attempt), {
          'content-type': 'application/json',
        })
        .then(
          (answer) => ({ status: toGatewayAnswer(answer).status, took: performance.now() - began }),
          () => ({ status: 0, took: 0 }),
        );
      // Some of them in the time that lies between the commit and the answer, and some behind it.
      await delay(Math.random() * 1.3 * usual);
      const isKilled = attempt % KILL_EVERY === 0;
      if (isKilled) await server.kill();
      else
        await owner.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and application_name = 'andiron'`,
        );
      const { status, took } = await answered;
      expect([0, 200, 503]).toContain(status);
      if (status === 200) {
        acknowledged.add(attempt);
        // The time of answered requests shows how long they take: the next ones are killed within that time, or a
        // moment later.
        usual = took;
      }
      if (!isKilled) continue;
      await server.close();
      server = await startProcess({ database });
    }
    const rows = await readLeft(owner);
    const whole = new Set(rows.map(({ attempt }) => attempt));
    expect(rows.filter(({ count, broken }) => count !== CREATED + 2 || broken > 0)).toEqual([]);
    expect([...acknowledged].filter((attempt) => !whole.has(attempt))).toEqual([]);
    expect(whole.size).toBeGreaterThanOrEqual(OF_EACH);
    expect(attempts - whole.size).toBeGreaterThanOrEqual(OF_EACH);
    // The search index belongs to the same transactions.
    const opened = await openCore({ database });
    expect(await opened.differences()).toEqual([]);
    await opened.close();
  } finally {
    await server.close();
    await owner.end();
    await database.drop();
  }
});
