/** The server's own address in answers, behind proxies and without, and clients that disconnect. */
import { connect } from 'node:net';
import { makeClient } from '../support/access';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startServer, type TestServer } from '../support/server';

const patient = { resourceType: 'Patient' };
const forwarded = { 'x-forwarded-host': 'fhir.example', 'x-forwarded-proto': 'https' };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function locationUnder(
  environment: Record<string, string>,
  headers: Record<string, string>,
): Promise<string> {
  const server = await startServer({ because: 'TRUST_PROXY and PUBLIC_URL', database, environment });
  try {
    const { basic: authorization } = await makeClient(server.app.core, 'system');
    const answer = await server.request('POST', `${server.path('system', 'r4')}/Patient`, patient, {
      authorization,
      ...headers,
    });
    expect(answer.status).toBe(201);
    return (answer.headers.location ?? '').replace(server.base, 'own').replace(/Patient\/.*/, '');
  } finally {
    await server.close();
  }
}

it.each([
  ['its own address', {}, forwarded, 'own/w/system/api/v1/fhir/r4/'],
  [
    'the proxy it trusts',
    { TRUST_PROXY: 'true' },
    forwarded,
    'https://fhir.example/w/system/api/v1/fhir/r4/',
  ],
  ['no proxy on another network', { TRUST_PROXY: '10.0.0.0/8' }, forwarded, 'own/w/system/api/v1/fhir/r4/'],
  [
    'the first public address',
    { PUBLIC_URL: 'https://a.example/fhir,https://b.example', TRUST_PROXY: 'true' },
    forwarded,
    'https://a.example/fhir/w/system/api/v1/fhir/r4/',
  ],
])('answers name %s', async (_title, environment, headers, expected) => {
  expect(await locationUnder(environment, headers)).toBe(expected);
});

describe('a connection', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ because: 'it has no proxy', database });
  });
  afterAll(() => server.close());

  /** Sends text unchanged and returns everything until the server or, after `closeAfterMs`, the client closed. */
  function exchange(text: string, closeAfterMs?: number): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(server.base).port), '127.0.0.1', () => socket.write(text));
      let received = '';
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(received));
      if (closeAfterMs !== undefined) setTimeout(() => socket.destroy(), closeAfterMs);
    });
  }

  it('that speaks no HTTP, or sends endless headers, is answered with an OperationOutcome', async () => {
    const garbage = await exchange('HELO example.org\r\n\r\n');
    expect(garbage).toMatch(/^HTTP\/1\.1 400 [\s\S]*"OperationOutcome"/);
    const endless = await exchange(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`);
    expect(endless).toMatch(/^HTTP\/1\.1 431 [\s\S]*"OperationOutcome"/);
  });

  it('may name the whole address in its request line', async () => {
    const line = `GET ${server.root('system', 'r4')}/Patient?_count=1 HTTP/1.1`;
    expect(await exchange(`${line}\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });

  it('that breaks off at any point does no harm', async () => {
    const path = `${server.path('system', 'r4')}/Patient`;
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n`;
    await Promise.all([
      exchange('GET /', 20),
      exchange(head, 20),
      exchange(`${head}{"resourceType":`, 20),
      exchange(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 1),
    ]);
    expect((await server.request('GET', path)).status).toBe(200);
  });
});
