/** What a client may ask for at most; each limit is a setting (docs/configuration.md). Numbers are rows of checks.md. */
import { connect, type Socket } from 'node:net';
import { startServer, type TestServer } from '../support/server';
import { slowness } from '../support/machine-speed';

const LIMITS = {
  MAX_BODY_BYTES: '4096',
  MAX_BUNDLE_BYTES: '16384',
  MAX_DEPTH: '16',
  MAX_BUNDLE_ENTRIES: '5',
  MAX_PATCH_OPERATIONS: '3',
  MAX_INDEX_ROWS: '50',
  MAX_URL_BYTES: '2000',
  MAX_HEADER_BYTES: '8192',
  MAX_HEADERS: '30',
  MAX_CONNECTIONS: '12',
  HEADERS_TIMEOUT_MS: '400',
  ARRIVAL_TIMEOUT_MS: '1200',
};

let server: TestServer;
let root: string;
beforeAll(async () => {
  server = await startServer({ environment: LIMITS });
  root = server.path('system', 'r4');
});
afterAll(() => server.close());

const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
  server.request(method, root + rest, body, headers);

/** A Basic of exactly so many bytes. */
function basicOf(bytes: number): string {
  const shell = '{"resourceType":"Basic","code":{"text":""}}';
  return shell.replace('""', `"${'x'.repeat(bytes - shell.length)}"`);
}

/** A Basic in which JSON is nested so deep. */
function nested(depth: number): object {
  let extension: object = { url: 'urn:x', valueBoolean: true };
  for (let level = 4; level < depth; level += 2) extension = { url: 'urn:x', extension: [extension] };
  return { resourceType: 'Basic', code: { text: 'x' }, extension: [extension] };
}

const bundle = (type: string, entries: number): object => ({
  resourceType: 'Bundle',
  type,
  entry: Array.from({ length: entries }, () => ({
    resource: { resourceType: 'Basic', code: { text: 'x' } },
    request: { method: 'POST', url: 'Basic' },
  })),
});

const patch = (operations: number): object[] =>
  Array.from({ length: operations }, () => ({ op: 'test', path: '/resourceType', value: 'Basic' }));

const people = (count: number): object => ({
  resourceType: 'Patient',
  identifier: Array.from({ length: count }, (_, at) => ({ system: 'urn:s', value: String(at) })),
});

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'x']));

const query = (bytes: number): string => {
  const start = `${root}/Patient?_id=`;
  return `/Patient?_id=${'a,'.repeat(bytes).slice(0, bytes - start.length)}`;
};

describe('what is as much as may be is taken, and more is refused with its status', () => {
  beforeAll(async () => {
    expect(
      (await send('PUT', '/Basic/b', { resourceType: 'Basic', id: 'b', code: { text: 'x' } })).status,
    ).toBe(201);
  });

  it.each<[string, number, number, string, (most: boolean) => Parameters<typeof send>]>([
    [
      '(check 42) bytes of a body',
      201,
      413,
      'too-long',
      (most) => ['POST', '/Basic', basicOf(most ? 4096 : 4097)],
    ],
    ['levels of JSON', 201, 400, 'structure', (most) => ['POST', '/Basic', nested(most ? 16 : 18)]],
    [
      '(check 61) operations of a patch',
      200,
      413,
      'too-long',
      (most) => ['PATCH', '/Basic/b', patch(most ? 3 : 4)],
    ],
    [
      'entries of a transaction',
      200,
      413,
      'too-long',
      (most) => ['POST', '', bundle('transaction', most ? 5 : 6)],
    ],
    [
      'values that search would find',
      201,
      422,
      'too-costly',
      (most) => ['POST', '/Patient', people(most ? 10 : 60)],
    ],
    ['bytes of an address', 200, 414, 'too-long', (most) => ['GET', query(most ? 2000 : 2001)]],
    // Those that the client of these tests sends by itself are a few.
    ['headers', 200, 431, 'too-long', (most) => ['GET', '/Basic/b', undefined, many(most ? 26 : 31)]],
    [
      'headers, many more',
      200,
      431,
      'too-long',
      (most) => ['GET', '/Basic/b', undefined, many(most ? 1 : 500)],
    ],
    [
      'bytes of headers',
      200,
      431,
      'too-long',
      (most) => ['GET', '/Basic/b', undefined, { x: 'x'.repeat(most ? 7000 : 9000) }],
    ],
    ['characters of an id', 404, 400, 'value', (most) => ['GET', `/Basic/${'x'.repeat(most ? 64 : 65)}`]],
  ])('%s', async (_title, taken, refused, code, request) => {
    const within = await send(...request(true));
    expect([within.status, within.status === taken ? '' : within.text]).toEqual([taken, '']);
    const beyond = await send(...request(false));
    expect([beyond.status, beyond.json.resourceType, beyond.json.issue[0].code]).toEqual([
      refused,
      'OperationOutcome',
      code,
    ]);
  });

  it('a search that is too long for an address is taken by POST', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status } = await send('POST', '/Patient/_search', `_id=${`${'x'.repeat(60)},`.repeat(50)}`, form);
    expect(status).toBe(200);
  });

  it('limits hold at other addresses too', async () => {
    expect((await server.request('GET', `/health/live?${'x'.repeat(2000)}`)).status).toBe(414);
    expect((await server.request('GET', '/nowhere', undefined, many(40))).status).toBe(431);
  });
});

describe('a connection', () => {
  /** What the server sends to somebody who sends the parts, each a while after the other, and then waits. */
  function talk(parts: readonly string[], pauseMs: number): Promise<{ received: string; ms: number }> {
    const started = performance.now();
    return new Promise((resolve) => {
      const socket = open();
      let received = '';
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('close', () => resolve({ received, ms: performance.now() - started }));
      parts.forEach((part, at) => setTimeout(() => socket.write(part), at * pauseMs));
    });
  }

  function open(): Socket {
    const socket = connect(Number(new URL(server.base).port), '127.0.0.1');
    socket.on('error', () => undefined);
    return socket;
  }

  const isTimeout = expect.stringMatching(/^HTTP\/1\.1 408 [\s\S]*"OperationOutcome"[\s\S]*"timeout"/);

  it('whose headers do not come is told 408 and closed', async () => {
    const head = `GET ${root}/Basic HTTP/1.1\r\nhost: x\r\n`;
    const { received, ms } = await talk([head, 'x-1: a\r\n', 'x-2: a\r\n'], 150);
    expect(received).toEqual(isTimeout);
    expect(ms / slowness()).toBeLessThan(1500);
  });

  it('whose body does not come is told 408 and closed, and nothing is stored', async () => {
    const head = `POST ${root}/Basic HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 300\r\n\r\n`;
    const { received, ms } = await talk([head, '{"resourceType"', ':"Basic",'], 150);
    expect(received).toEqual(isTimeout);
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(ms / slowness()).toBeLessThan(3000);
  });

  it('beyond as many as may be is closed, and one that comes when others have gone is served', async () => {
    const sockets = Array.from({ length: 12 }, open);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { received } = await talk([`GET ${root}/metadata HTTP/1.1\r\nhost: x\r\n\r\n`], 0);
    expect(received).toBe('');
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await send('GET', '/Basic/b')).status).toBe(200);
  });
});

it('limits that contradict each other stop the start', async () => {
  const start = (environment: Record<string, string>): Promise<TestServer> =>
    startServer({ database: server.database, environment });
  await expect(start({ MAX_URL_BYTES: '65536' })).rejects.toThrow('MAX_HEADER_BYTES is not larger');
  await expect(start({ ARRIVAL_TIMEOUT_MS: '1000' })).rejects.toThrow('ARRIVAL_TIMEOUT_MS is smaller');
});
