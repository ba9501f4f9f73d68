/** Absolute references to the server itself, such as its own fullUrls, are local without PUBLIC_URL too. */
import { createServer } from 'node:net';
import { createApp } from '../../src/app';
import { recordingLog } from '../support/log';
import { makeSettings, startServer, type TestServer } from '../support/server';
import { TESTED_RELEASES } from '../support/releases';

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  return typeof address === 'object' && address !== null ? address.port : 0;
}

let server: TestServer;
let port: number;
beforeAll(async () => {
  port = await freePort();
  server = await startServer({
    because: 'PORT and HOST without PUBLIC_URL',
    environment: { PORT: String(port), HOST: '127.0.0.1', PUBLIC_URL: '' },
  });
  await server.createTenant('other');
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('without PUBLIC_URL on a loopback port, under %s', (release) => {
  const path = (rest: string): string => `${server.path('system', release)}/${rest}`;
  const found = async (query: string): Promise<string[]> => {
    const { status, json } = await server.request('GET', path(query));
    expect([query, status]).toEqual([query, 200]);
    return (json.entry ?? [])
      .map(
        ({ resource }: { resource: { resourceType: string; id: string } }) =>
          `${resource.resourceType}/${resource.id}`,
      )
      .sort();
  };
  const HOSTS = ['localhost', '127.0.0.1', '[::1]'];

  beforeAll(async () => {
    const patient = { resourceType: 'Patient', id: 'own', name: [{ family: 'Absolute' }] };
    expect((await server.request('PUT', path('Patient/own'), patient)).status).toBe(201);
    for (const [index, host] of HOSTS.entries()) {
      const id = `o${index}`;
      const { status } = await server.request('PUT', path(`Observation/${id}`), {
        resourceType: 'Observation',
        id,
        status: 'final',
        code: { text: 'weight' },
        subject: { reference: `http://${host}:${port}${path('Patient/own')}` },
      });
      expect(status).toBe(201);
    }
  });
  const OBSERVATIONS = ['Observation/o0', 'Observation/o1', 'Observation/o2'];

  it.each([
    ['Observation?subject=Patient/own', OBSERVATIONS],
    ['Observation?patient=own', OBSERVATIONS],
    ['Observation?patient.family=Absolute', OBSERVATIONS],
    ['Patient?_has:Observation:patient:status=final&_id=own', ['Patient/own']],
    ['Observation?_include=Observation:subject', [...OBSERVATIONS, 'Patient/own']],
    ['Patient?_id=own&_revinclude=Observation:subject', [...OBSERVATIONS, 'Patient/own']],
    ['Patient/own/Observation', OBSERVATIONS],
    ['Patient/own/$everything', [...OBSERVATIONS, 'Patient/own']],
  ])('%s finds what refers by an absolute address', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it('a search by the absolute address finds them all', async () => {
    const address = encodeURIComponent(`http://localhost:${port}${path('Patient/own')}`);
    expect(await found(`Observation?subject=${address}`)).toEqual(OBSERVATIONS);
  });

  it('a fullUrl of the server leads back to its resource', async () => {
    const { json } = await server.request('GET', path('Patient?_id=own'));
    const address = encodeURIComponent(json.entry[0].fullUrl);
    expect(await found(`Observation?subject=${address}`)).toEqual(OBSERVATIONS);
  });

  it('GraphQL follows them', async () => {
    const { json } = await server.request(
      'POST',
      `/w/system/api/v1/graphql/${release}`,
      { query: '{ Observation(id: "o1") { subject { resource { ... on Patient { id } } } } }' },
      { 'content-type': 'application/json' },
    );
    expect(json).toEqual({ data: { Observation: { subject: { resource: { id: 'own' } } } } });
  });

  it.each(HOSTS)('a reference to another tenant at %s is refused, whether or not it exists', async (host) => {
    const answers = [];
    for (const tenant of ['other', 'nowhere']) {
      const reference = `http://${host}:${port}/w/${tenant}/api/v1/fhir/${release}/Patient/own`;
      const { status, json } = await server.request('POST', path('Basic'), {
        resourceType: 'Basic',
        code: { text: 'a' },
        subject: { reference },
      });
      answers.push([
        status,
        json.issue[0].diagnostics.replaceAll(tenant, 'TENANT'),
        json.issue[0].expression,
      ]);
    }
    expect(answers[0]?.[0]).toBe(422);
    expect(answers[0]).toEqual(answers[1]);
  });

  it('the Host header makes no address ours', async () => {
    const { status, json } = await server.request(
      'POST',
      path('Basic'),
      {
        resourceType: 'Basic',
        code: { text: 'a' },
        subject: { reference: `http://localhost:1${path('Patient/own')}` },
      },
      { host: 'localhost:1' },
    );
    expect(status).toBe(201);
    expect(await found(`Basic?subject=Patient/own&_id=${json.id}`)).toEqual([]);
  });
});

it('a change of the port asks for a reindex in the log of the start', async () => {
  const { log, lines } = recordingLog();
  const app = await createApp(makeSettings(server.database, { PORT: String(await freePort()) }), log);
  await app.listen();
  await app.close();
  const warning = lines.find(({ message }) => message.includes('the search index has other settings'));
  expect(warning?.message).toContain(' it was made with another PUBLIC_URL, HOST or PORT; ');
  expect(JSON.stringify(warning?.details)).toContain(`own addresses http://127.0.0.1:${port}`);
});
