import { once } from 'node:events';
import { connect } from 'node:net';
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
        ...{ HOST: '0.0.0.0', AUTH_MODE: 'open', MAX_CONNECTIONS: '1000000000' },
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

  it('does not start without a database, with the reason', async () => {
    const database = await createTestDatabase();
    const environment = { FHIR_DATABASE_PORT: '1' };
    await expect(startProcess({ database, environment })).rejects.toThrow('andiron: ');
    await database.drop();
  });
});
