/** `@atomic` documents whose server is killed, or whose database connections are ended, at random moments. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { gatewayPath } from '../graphql/gateway-client';
import { createTestDatabase } from '../support/database';
import { startProcess } from '../support/process';

const ATTEMPTS = 50;
/** Every so many the server is killed; else its connections are ended by PostgreSQL. */
const KILL_EVERY = 25;
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

it('fifty @atomic documents that are broken off at random moments leave all or nothing', async () => {
  const database = await createTestDatabase();
  const owner = new Client(database.settings);
  await owner.connect();
  const acknowledged = new Set<number>();
  let server = await startProcess({ database });
  let usual = 80;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const began = performance.now();
      const answered = server
        .request('POST', gatewayPath('system', 'r4'), makeBody(attempt), {
          'content-type': 'application/json',
        })
        .then(
          ({ status }) => status,
          () => 0,
        );
      await delay(Math.random() * usual);
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
        usual = performance.now() - began;
      }
      if (!isKilled) continue;
      await server.close();
      server = await startProcess({ database });
    }
    const { rows } = await owner.query<{ attempt: number; count: number; broken: number }>(
      `select substring(v.body from 'attempt-([0-9]+)')::int as attempt, count(*)::int as count,
         count(*) filter (where v.body like '%urn:uuid:%')::int as broken
       from andiron.resource_version v where v.body like '%attempt-%' group by 1`,
    );
    const whole = new Set(rows.map(({ attempt }) => attempt));
    expect(rows.filter(({ count, broken }) => count !== CREATED + 2 || broken > 0)).toEqual([]);
    expect([...acknowledged].filter((attempt) => !whole.has(attempt))).toEqual([]);
    // Both happened, or the moments were not random.
    expect(whole.size).toBeGreaterThan(5);
    expect(whole.size).toBeLessThan(ATTEMPTS - 5);
  } finally {
    await server.close();
    await owner.end();
    await database.drop();
  }
});
