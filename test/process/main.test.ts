import { once } from 'node:events';
import { connect } from 'node:net';
import { findFreePort } from '../../src/embedded/free-port';
import type { Answer } from '../support/http';
import { createTestDatabase } from '../support/database';
import { startProcess } from '../support/process';

/** Observations of two processes that start at once on an empty database, and end. */
interface Seen {
  /** Statuses of their CapabilityStatements. */
  readonly metadata: readonly number[];
  /** Answers of the open one to writes that were in progress at its end; no answer for those it had not accepted. */
  readonly late: readonly PromiseSettledResult<Answer>[];
  /** The exits of both. */
  readonly ended: readonly string[];
  readonly open: string;
  readonly enforced: string;
}

async function observe(): Promise<Seen> {
  const database = await createTestDatabase({ empty: true });
  const [open, enforced] = await Promise.all([
    startProcess({
      database,
      environment: {
        ...{ HOST: '0.0.0.0', AUTH_MODE: 'open', MAX_CONNECTIONS: '1000000000', LOG_LEVEL: 'debug' },
        SECRET_KEYS: 'swordfish-swordfish-swordfish-swordfish',
        // Longer than Node itself gives a whole request.
        HEADERS_TIMEOUT_MS: '600000',
      },
    }),
    startProcess({
      because: 'PUBLIC_URL',
      database,
      environment: { PUBLIC_URL: 'https://fhir.example/base' },
    }),
  ]);
  const { hostname, port } = new URL(open.base);
  // Opened and never used.
  const unused = connect(Number(port), hostname);
  try {
    await once(unused, 'connect');
    const metadata = await Promise.all(
      [open, enforced].map((server) => server.request('GET', `${server.path('system', 'r4b')}/metadata`)),
    );
    const body = { resourceType: 'Patient', id: 'late' };
    const writes = Array.from({ length: 50 }, () =>
      open.request('PUT', `${open.path('system', 'r4')}/Patient/late`, body),
    );
    await Promise.race(writes);
    const ended = await Promise.all([open.terminate(), enforced.terminate()]);
    return {
      metadata: metadata.map(({ status }) => status),
      late: await Promise.allSettled(writes),
      ended,
      open: await open.output(),
      enforced: await enforced.output(),
    };
  } finally {
    unused.destroy();
    await Promise.all([open.close(), enforced.close()]);
    await database.drop();
  }
}

describe('the server process', () => {
  let seen: Seen;
  beforeAll(async () => {
    seen = await observe();
  });

  it('starts twice at once on an empty database', () => {
    expect(seen.metadata).toEqual([200, 200]);
  });

  it('ends with code 0 on SIGTERM, after it has answered all requests, though a client has a connection that it never used', () => {
    expect(seen.ended).toEqual(['with code 0', 'with code 0']);
    const statuses = seen.late.flatMap((one) => (one.status === 'fulfilled' ? [one.value.status] : []));
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
  });

  it('logs its address, and no secrets', () => {
    expect(seen.open).toContain('"msg":"listening"');
    expect(seen.open).not.toContain('swordfish');
  });

  it('warns at every start when it is open to others', () => {
    expect(seen.open).toContain('AUTH_MODE=open');
  });

  it('warns at the start of enforced access where earlier versions used open, with the cause', () => {
    expect(seen.enforced).toMatch(
      /AUTH_MODE is enforced and AUDIT is on, because PUBLIC_URL is https:\/\/fhir\.example\/base\. Earlier versions used open/,
    );
  });

  it('warns when it may open fewer files than its limit of connections', () => {
    const warned = seen.open.split('\n').filter((line) => line.includes('MAX_CONNECTIONS'));
    expect(warned).toHaveLength(1);
    expect(warned[0]).toMatch(
      /"level":40.*MAX_CONNECTIONS is 1000000000, but the process may open \d+ files/,
    );
  });

  it('does not warm itself where it is not in production', () => {
    expect(seen.open).not.toContain('warmed up');
  });

  it('does not start without a database, with the reason', async () => {
    const database = await createTestDatabase();
    const environment = { FHIR_DATABASE_PORT: '1' };
    await expect(startProcess({ database, environment })).rejects.toThrow('andiron: ');
    await database.drop();
  });
});

const AUDITED = '/w/system/api/v1/fhir/r4/AuditEvent?_total=accurate&_count=0';

it('a server in production warms itself before it listens, and nothing of that is a request of a client', async () => {
  const metrics = await findFreePort();
  const server = await startProcess({
    because: 'WARM_UP',
    environment: {
      NODE_ENV: 'production',
      AUDIT: 'on',
      LOG_LEVEL: 'debug',
      METRICS_ADDRESS: `127.0.0.1:${metrics}`,
    },
  });
  try {
    const [warmed = '', ...before] = (await server.output())
      .split('"msg":"listening"')[0]!
      .split('\n')
      .reverse()
      .slice(1);
    const [, runs] = /"runs":(\d+),.*"msg":"warmed up"/.exec(warmed) ?? [];
    expect(Number(runs)).toBeGreaterThan(0);
    expect(before.join('\n')).not.toMatch(/"msg":"request"|"level":[45]0.*warm/);
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    expect(text).not.toMatch(/andiron_request_duration_seconds_count\{interaction="(?!health)/);
    // The reads of the start would be among them; the search itself is recorded after its answer.
    expect((await server.request('GET', AUDITED)).json.total).toBe(0);
  } finally {
    await server.close();
  }
});

it('WARM_UP=off turns that off', async () => {
  const environment = { NODE_ENV: 'production', WARM_UP: 'off', LOG_LEVEL: 'debug' };
  const server = await startProcess({ environment });
  expect(await server.output()).not.toContain('warmed up');
  await server.close();
});
