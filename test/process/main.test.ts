import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '../support/database';
import { startProcess } from '../support/process';

describe('the server process', () => {
  it('ends with code 0 on SIGTERM, after it has answered all requests', async () => {
    const server = await startProcess();
    const body = { resourceType: 'Patient', id: 'late' };
    const writes = Array.from({ length: 50 }, () =>
      server.request('PUT', `${server.path('system', 'r4')}/Patient/late`, body),
    );
    await Promise.race(writes);
    const ended = await server.terminate();
    const answers = await Promise.allSettled(writes);
    expect(ended).toBe('with code 0');
    for (const answer of answers) {
      if (answer.status === 'fulfilled') expect([200, 201]).toContain(answer.value.status);
    }
    await server.close();
  });

  it('ends though a client has opened a connection and never used it', async () => {
    const server = await startProcess();
    const { hostname, port } = new URL(server.base);
    const unused = connect(Number(port), hostname);
    try {
      await once(unused, 'connect');
      await expect(
        Promise.race([server.terminate(), delay(20_000, 'still running after 20 s', { ref: false })]),
      ).resolves.toBe('with code 0');
    } finally {
      unused.destroy();
      await server.close();
    }
  });

  it('logs its address, and no secrets', async () => {
    const server = await startProcess({
      environment: { SECRET_KEYS: 'swordfish-swordfish-swordfish-swordfish' },
    });
    await server.terminate();
    const output = await server.output();
    expect(output).toContain('"msg":"listening"');
    expect(output).not.toContain('swordfish');
    await server.close();
  });

  it('warns at every start when it is open to others', async () => {
    const server = await startProcess({ environment: { HOST: '0.0.0.0', AUTH_MODE: 'open' } });
    await server.terminate();
    expect(await server.output()).toContain('AUTH_MODE=open');
    await server.close();
  });

  it('warns at the start of enforced access where earlier versions used open, with the cause', async () => {
    const server = await startProcess({ environment: { PUBLIC_URL: 'https://fhir.example/base' } });
    await server.terminate();
    expect(await server.output()).toMatch(
      /AUTH_MODE is enforced and AUDIT is on, because PUBLIC_URL is https:\/\/fhir\.example\/base\. Earlier versions used open/,
    );
    await server.close();
  });

  it('warns when it may open fewer files than its limit of connections', async () => {
    const server = await startProcess({ environment: { MAX_CONNECTIONS: '1000000000' } });
    await server.terminate();
    const warned = (await server.output()).split('\n').filter((line) => line.includes('MAX_CONNECTIONS'));
    expect(warned).toHaveLength(1);
    expect(warned[0]).toMatch(
      /"level":40.*MAX_CONNECTIONS is 1000000000, but the process may open \d+ files/,
    );
    await server.close();
  });

  it('does not start without a database, with the reason', async () => {
    const database = await createTestDatabase();
    const environment = { FHIR_DATABASE_PORT: '1' };
    await expect(startProcess({ database, environment })).rejects.toThrow('andiron: ');
    await database.drop();
  });

  it('starts twice at once on an empty database', async () => {
    const database = await createTestDatabase({ empty: true });
    const servers = await Promise.all([startProcess({ database }), startProcess({ database })]);
    for (const server of servers) {
      expect((await server.request('GET', `${server.path('system', 'r4b')}/metadata`)).status).toBe(200);
    }
    await Promise.all(servers.map((server) => server.close()));
    await database.drop();
  });
});
