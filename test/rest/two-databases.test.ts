/** Two servers in one process, each with a database of its own, in which the spaces have the same numbers. */
import { Client } from 'pg';
import { startServer, type TestServer } from '../support/server';

const servers: TestServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** The same writes in the same millisecond, as far as a database can see: the spaces of both are at the same change. */
async function startWith(family: string, code: string): Promise<TestServer> {
  const server = await startServer({ because: 'it is one of two with databases of their own' });
  servers.push(server);
  const bodies = [
    { resourceType: 'Patient', name: [{ family, text: 'Ana of the river' }] },
    {
      resourceType: 'ValueSet',
      url: 'urn:set',
      status: 'active',
      compose: { include: [{ system: 'urn:s', concept: [{ code }] }] },
    },
    { resourceType: 'Observation', status: 'final', code: { coding: [{ system: 'urn:s', code }] } },
  ];
  for (const body of bodies) {
    const path = `${server.path('system', 'r4')}/${body.resourceType}`;
    expect((await server.request('POST', path, JSON.stringify(body))).status).toBe(201);
  }
  const owner = new Client(server.database.settings);
  await owner.connect();
  await owner.query('update andiron.resource_version set last_updated = 1750000000000 where sequence > 0');
  await owner.end();
  return server;
}

it('results of one server are not used from the cache of the other', async () => {
  const codes = ['one', 'two'];
  for (const code of codes) await startWith(`Family ${code}`, code);
  for (const [index, server] of servers.entries()) {
    const { json } = await server.request('GET', `${server.path('system', 'r4')}/Patient?name:text=river`);
    expect(json).toMatchObject({
      total: 1,
      entry: [{ resource: { name: [{ family: `Family ${codes[index]}` }] } }],
    });
  }
  for (const server of servers) {
    const { json } = await server.request(
      'GET',
      `${server.path('system', 'r4')}/Observation?code:in=urn:set`,
    );
    expect(json).toMatchObject({ total: 1 });
  }
});
