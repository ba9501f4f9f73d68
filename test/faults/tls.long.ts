/** PostgreSQL and Redis with TLS only: the certificates that the server trusts, and its errors for others. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { Client } from 'pg';
import { RedisCache } from '../../src/core/cache/redis-cache';
import { createAuthority, type Authority, type Certificate } from '../support/certificates';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { silentLog } from '../support/log';
import { startProcess } from '../support/process';
import { findServices } from '../support/services';
import { startTlsPostgres, startTlsRedis, type TlsRedis } from '../support/tls-services';
import { eventually } from '../support/eventually';
import { startMeasured, type MeasuredServer } from './two-servers';

const HITS = 'andiron_cache_lookups_total{outcome="hit"}';
const JSON_TYPE = { 'content-type': 'application/json' };

let folder: string;
let trusted: Authority;
let stranger: Authority;
let forName: Certificate;
let database: TestDatabase;
let redis: TlsRedis;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-tls-'));
  [trusted, stranger] = await Promise.all([
    createAuthority(folder, 'trusted'),
    createAuthority(folder, 'stranger'),
  ]);
  forName = await trusted.issue('DNS:localhost');
  database = await startTlsPostgres(forName, 'localhost', trusted.text);
  redis = await startTlsRedis(forName, trusted.text);
});
afterAll(async () => {
  await redis.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const databaseTls = () => ({ FHIR_DATABASE_SSL: 'true', FHIR_DATABASE_CA_FILE: trusted.file });
const redisTls = () => ({
  REDIS_HOST: 'localhost',
  REDIS_PORT: String(redis.port),
  REDIS_TLS: 'true',
  REDIS_CA_FILE: trusted.file,
});

const valueSet = (code: string): Record<string, unknown> => ({
  resourceType: 'ValueSet',
  id: 'encrypted',
  url: 'http://example.org/encrypted',
  status: 'active',
  compose: { include: [{ system: 'http://example.org/codes', concept: [{ code }] }] },
});

/** Lets `server` listen on a free port, and gives that. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Writes a ValueSet and expands it twice: the second answer comes out of Redis, if it is there. */
async function expandTwice(server: MeasuredServer, code: string): Promise<void> {
  const root = server.path('system', 'r4');
  const put = await server.request('PUT', `${root}/ValueSet/encrypted`, valueSet(code));
  expect([200, 201]).toContain(put.status);
  expect((await server.request('GET', `${root}/ValueSet/encrypted`)).headers.etag).toBe(put.headers.etag);
  for (let time = 0; time < 2; time++) {
    const { status, json } = await server.request('GET', `${root}/ValueSet/encrypted/$expand`);
    expect([status, json.expansion.contains[0].code]).toEqual([200, code]);
  }
}

it('a server that trusts their authority works with both', async () => {
  const own = await startTlsRedis(forName, trusted.text);
  const server = await startMeasured(database, {
    ...databaseTls(),
    ...redisTls(),
    REDIS_PORT: String(own.port),
  });
  const root = server.path('system', 'r4');
  await eventually(
    async () => (await server.request('GET', '/health/ready')).text === '{"status":"ready","notices":[]}',
    20_000,
  );
  const before = await server.metric(HITS);
  await expandTwice(server, 'with-redis');
  expect(await server.metric(HITS)).toBe(before + 1);

  // Many at once, which share statements and pipelined connections.
  const written = await Promise.all(
    Array.from({ length: 100 }, (_, number) =>
      server.request('PUT', `${root}/Patient/p${number}`, {
        resourceType: 'Patient',
        id: `p${number}`,
        name: [{ family: 'Encrypted' }],
      }),
    ),
  );
  expect(written.map(({ status }) => status)).toEqual(Array(100).fill(201));
  const read = await Promise.all(
    written.map((_, number) => server.request('GET', `${root}/Patient/p${number}`)),
  );
  expect(read.map(({ json }) => json.id)).toEqual(written.map((_, number) => `p${number}`));
  const found = await server.request('GET', `${root}/Patient?family=encrypted&_count=1000`);
  expect(found.json.entry).toHaveLength(100);
  // Tenants are made on a connection of their own.
  const tenant = await server.request('POST', '/w/system/api/v1/tenants', { name: 'encrypted' }, JSON_TYPE);
  expect(tenant.status).toBe(201);

  await own.stop();
  await expandTwice(server, 'while-it-is-away');
  const again = await startTlsRedis(forName, trusted.text, own.port);
  await eventually(async () => {
    const hits = await server.metric(HITS);
    await expandTwice(server, 'when-it-is-back');
    return (await server.metric(HITS)) > hits;
  }, 30_000);
  await server.close();
  await again.stop();
});

describe('the start ends with one line about PostgreSQL', () => {
  const sayings = async (environment: Readonly<Record<string, string>>, on = database): Promise<string[]> => {
    const error = await startProcess({ database: on, environment }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof Error)) throw new Error('the server has started');
    const [, ...lines] = error.message.trim().split('\n');
    // PostgreSQL is on another port each time.
    return lines.map((line) => line.replace(/port \d+/, 'port PORT'));
  };

  it('with a certificate that was not signed by the authority of the file', async () => {
    expect(await sayings({ ...databaseTls(), FHIR_DATABASE_CA_FILE: stranger.file })).toEqual([
      'andiron: PostgreSQL at localhost, port PORT, cannot be reached by TLS: unable to verify the first certificate. ' +
        'FHIR_DATABASE_SSL needs a trusted certificate: check FHIR_DATABASE_CA_FILE',
    ]);
  });

  it('with a certificate that was signed by an unknown authority', async () => {
    expect(await sayings({ FHIR_DATABASE_SSL: 'true' })).toEqual([
      'andiron: PostgreSQL at localhost, port PORT, cannot be reached by TLS: unable to verify the first certificate. ' +
        'FHIR_DATABASE_SSL needs a trusted certificate: check FHIR_DATABASE_CA_FILE',
    ]);
  });

  it('with a certificate for another host', async () => {
    expect(await sayings({ ...databaseTls(), FHIR_DATABASE_HOST: '127.0.0.1' })).toEqual([
      "andiron: PostgreSQL at 127.0.0.1, port PORT, cannot be reached by TLS: Hostname/IP does not match certificate's " +
        "altnames: IP: 127.0.0.1 is not in the cert's list. FHIR_DATABASE_HOST must be a name of the certificate",
    ]);
  });

  it('that refuses connections without TLS', async () => {
    expect(await sayings({})).toEqual([
      'andiron: PostgreSQL at localhost, port PORT, refuses the connection: no pg_hba.conf entry for host "127.0.0.1", ' +
        'user "postgres", database "postgres", no encryption. Check FHIR_DATABASE_USERNAME and FHIR_DATABASE_SSL, or ' +
        'pg_hba.conf of PostgreSQL',
    ]);
  });

  it('that does not speak TLS', async () => {
    const plain = await createTestDatabase();
    expect(await sayings(databaseTls(), plain)).toEqual([
      'andiron: PostgreSQL at 127.0.0.1, port PORT, cannot be reached by TLS: The server does not support SSL connections. ' +
        'Check FHIR_DATABASE_SSL, or switch TLS on in PostgreSQL',
    ]);
    await plain.drop();
  });

  it('that accepts the connection and sends nothing', async () => {
    const mute = createServer((socket) => socket.resume());
    const environment = { ...databaseTls(), FHIR_DATABASE_PORT: String(await listen(mute)) };
    expect(await sayings(environment)).toEqual([
      'andiron: PostgreSQL at localhost, port PORT, cannot be reached by TLS: timeout expired. ' +
        'Check FHIR_DATABASE_HOST and FHIR_DATABASE_PORT',
    ]);
    await new Promise((resolve) => mute.close(resolve));
  });
});

describe('Redis is not used, the log has the reason, and every request is answered,', () => {
  let plain: TestDatabase;
  beforeAll(async () => {
    plain = await createTestDatabase();
  });
  afterAll(() => plain.drop());

  async function reasonWithout(environment: Readonly<Record<string, string>>): Promise<unknown> {
    const server = await startMeasured(plain, { ...redisTls(), ...environment });
    const before = await server.metric(HITS);
    await expandTwice(server, 'without-redis');
    expect(await server.metric(HITS)).toBe(before);
    const ready = await server.request('GET', '/health/ready');
    expect([ready.status, ready.text]).toEqual([200, expect.stringContaining('Redis cannot be reached')]);
    const linesOfRedis = async (): Promise<string[]> =>
      (await server.output()).split('\n').filter((line) => line.includes('Redis'));
    await eventually(async () => (await linesOfRedis()).length > 0, 20_000);
    await server.terminate();
    const lines = await linesOfRedis();
    await server.close();
    expect(lines).toHaveLength(1);
    const line: { reason?: unknown } = JSON.parse(lines[0] ?? '');
    return line.reason;
  }

  it('when its certificate was not signed by the authority of the file', async () => {
    expect(await reasonWithout({ REDIS_CA_FILE: stranger.file })).toBe(
      'unable to verify the first certificate',
    );
  });

  it('when its certificate was signed by an unknown authority', async () => {
    expect(await reasonWithout({ REDIS_CA_FILE: '' })).toBe('unable to verify the first certificate');
  });

  it('when its certificate is for another host', async () => {
    expect(await reasonWithout({ REDIS_HOST: '127.0.0.1' })).toBe(
      "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: ",
    );
  });

  it('when it refuses connections without TLS', async () => {
    expect(await reasonWithout({ REDIS_TLS: 'false', REDIS_CA_FILE: '' })).toMatch(
      /^closed before it answered, as by a port for TLS: ./,
    );
  });

  it('when it does not speak TLS', async () => {
    const { host, port } = findServices().redis;
    expect(await reasonWithout({ REDIS_HOST: host, REDIS_PORT: String(port) })).toBe('connect ETIMEDOUT');
  });
});

it('a search of a disconnected client is cancelled over TLS too', async () => {
  const server = await startMeasured(database, databaseTls());
  const locker = new Client(database.settings);
  await locker.connect();
  const countWaiting = async (): Promise<number> => {
    const { rows } = await locker.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database()
        and application_name = 'andiron' and wait_event_type = 'Lock'`,
    );
    return rows[0]?.n ?? 0;
  };
  await locker.query('begin');
  await locker.query('lock table andiron.string_index in access exclusive mode');
  const controller = new AbortController();
  const address = `${server.base}${server.path('system', 'r4')}/Patient?family=encrypted`;
  const response = fetch(address, { signal: controller.signal });
  await eventually(async () => (await countWaiting()) === 1, 8_000);
  controller.abort();
  await expect(response).rejects.toThrow('aborted');
  // The database itself would end it after ten seconds.
  await eventually(async () => (await countWaiting()) === 0, 5_000);
  await locker.end();
  await server.close();
});

it('a Redis that is named by its address is trusted when its certificate is for that address', async () => {
  const byAddress = await startTlsRedis(await trusted.issue('IP:127.0.0.1'), trusted.text);
  const environment = { ...redisTls(), REDIS_HOST: '127.0.0.1', REDIS_PORT: String(byAddress.port) };
  const server = await startMeasured(await createTestDatabase(), environment);
  await expandTwice(server, 'by-address');
  expect(await server.metric(HITS)).toBe(1);
  await server.close();
  await server.database.drop();
  await byAddress.stop();
});

it.each([
  // The server name that the client has sent; false: none.
  ['localhost', 'localhost'],
  ['127.0.0.1', false],
])('Redis gets the server name of the connection: %s', async (host, expectedName) => {
  const { certificateFile, keyFile } = await trusted.issue('DNS:localhost, IP:127.0.0.1');
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
  const router = createTlsServer({ cert, key });
  const port = await listen(router);
  const receivedName = new Promise<unknown>((resolve) => {
    router.on('secureConnection', (socket) => {
      resolve(socket.servername);
      socket.destroy();
    });
  });
  const cache = new RedisCache({ host, port, tls: { ca: trusted.text } }, 'test', silentLog, () => undefined);
  expect(await receivedName).toBe(expectedName);
  cache.close();
  await new Promise((resolve) => router.close(resolve));
});
