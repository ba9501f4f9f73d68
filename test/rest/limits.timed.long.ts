/** Limits on requests; each limit is a setting (docs/reference/configuration.md). */
import { connect, type Socket } from 'node:net';
import type { Release } from '../../src/core';
import { startServer, type TestServer } from '../support/server';
import { slowness } from '../support/machine-speed';
import { TESTED_RELEASES } from '../support/releases';

const LIMITS = {
  MAX_BODY_BYTES: '4096',
  MAX_BUNDLE_BYTES: '16384',
  MAX_DEPTH: '16',
  MAX_BUNDLE_ENTRIES: '5',
  MAX_PATCH_OPERATIONS: '3',
  MAX_INDEX_ROWS: '50',
  MAX_EXPANSION_CODES: '3',
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

const send = (
  method: string,
  rest: string,
  body?: unknown,
  headers: Record<string, string> = {},
  release: Release = 'r4',
) => server.request(method, server.path('system', release) + rest, body, headers);
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

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

/** A text of this many bytes: the content, padded with blanks. */
const padded = (value: object, bytes: number): string => JSON.stringify(value).padEnd(bytes, ' ');

const bundle = (type: string, entries: number): object => ({
  resourceType: 'Bundle',
  type,
  entry: Array.from({ length: entries }, () => ({
    resource: { resourceType: 'Basic', code: { text: 'x' } },
    request: { method: 'POST', url: 'Basic' },
  })),
});

/** Adds an extension of 3,000 bytes and copies it so often, at last in its own place. */
const growing = (copies: number): object[] => [
  { op: 'add', path: '/extension', value: [{ url: 'urn:x', valueString: 'x'.repeat(3000) }] },
  ...Array.from({ length: copies }, () => ({ op: 'copy', from: '/extension', path: '/extension' })),
];

const patch = (operations: number): object[] =>
  Array.from({ length: operations }, () => ({ op: 'test', path: '/resourceType', value: 'Basic' }));

const people = (count: number): object => ({
  resourceType: 'Patient',
  identifier: Array.from({ length: count }, (_, at) => ({ system: 'urn:s', value: String(at) })),
});

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'x']));

const query = (release: Release, bytes: number): string => {
  const start = `${server.path('system', release)}/Patient?_id=`;
  return `/Patient?_id=${'a,'.repeat(bytes).slice(0, bytes - start.length)}`;
};

describe.each(TESTED_RELEASES)(
  'under %s a request at the limit is accepted, and a larger one is refused with its status',
  (release) => {
    beforeAll(async () => {
      const basic = { resourceType: 'Basic', id: 'b', code: { text: 'x' } };
      expect((await send('PUT', '/Basic/b', basic, {}, release)).status).toBe(201);
    });

    type Request = [method: string, rest: string, body?: unknown, headers?: Record<string, string>];

    it.each<[string, number, number, string, (most: boolean) => Request]>([
      ['bytes of a body', 201, 413, 'too-long', (most) => ['POST', '/Basic', basicOf(most ? 4096 : 4097)]],
      ['levels of JSON', 201, 400, 'structure', (most) => ['POST', '/Basic', nested(most ? 16 : 18)]],
      ['operations of a patch', 200, 413, 'too-long', (most) => ['PATCH', '/Basic/b', patch(most ? 3 : 4)]],
      ...['batch', 'transaction'].flatMap(
        (type): [string, number, number, string, (most: boolean) => Request][] => [
          [`entries of a ${type}`, 200, 413, 'too-long', (most) => ['POST', '', bundle(type, most ? 5 : 6)]],
          [
            `bytes of a ${type}`,
            200,
            413,
            'too-long',
            (most) => ['POST', '', padded(bundle(type, 1), most ? 16384 : 16385)],
          ],
        ],
      ),
      [
        'bytes of a form',
        200,
        413,
        'too-long',
        (most) => ['POST', '/Patient/_search', '_id=a&_='.padEnd(most ? 4096 : 4097, 'x'), FORM],
      ],
      [
        'bytes that a patch adds',
        200,
        422,
        'too-costly',
        (most) => ['PATCH', '/Basic/b', growing(most ? 1 : 2)],
      ],
      [
        'codes of an expansion',
        200,
        422,
        'too-costly',
        (most) => [
          'GET',
          `/ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/${most ? 'search-entry-mode' : 'administrative-gender'}`,
        ],
      ],
      [
        'values that search would find',
        201,
        422,
        'too-costly',
        (most) => ['POST', '/Patient', people(most ? 10 : 60)],
      ],
      ['bytes of an address', 200, 414, 'too-long', (most) => ['GET', query(release, most ? 2000 : 2001)]],
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
    ])('%s', async (_title, accepted, refused, code, request) => {
      const submit = ([method, rest, body, headers]: Request) => send(method, rest, body, headers, release);
      const within = await submit(request(true));
      expect([within.status, within.status === accepted ? '' : within.text]).toEqual([accepted, '']);
      const beyond = await submit(request(false));
      expect([beyond.status, beyond.json.resourceType, beyond.json.issue[0].code]).toEqual([
        refused,
        'OperationOutcome',
        code,
      ]);
    });

    it('a search that is too long for an address is accepted by POST', async () => {
      const ids = `_id=${`${'x'.repeat(60)},`.repeat(50)}`;
      const { status } = await send('POST', '/Patient/_search', ids, FORM, release);
      expect(status).toBe(200);
    });

    it('limits hold at other addresses too', async () => {
      expect((await server.request('GET', `/health/live?${'x'.repeat(2000)}`)).status).toBe(414);
      expect((await server.request('GET', '/nowhere', undefined, many(40))).status).toBe(431);
    });
  },
);

describe('a connection', () => {
  /** The response of the server to parts that arrive one after the other, without an end. */
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

  it('without its headers in time gets 408 and is closed', async () => {
    const head = `GET ${root}/Basic HTTP/1.1\r\nhost: localhost\r\n`;
    const { received, ms } = await talk([head, 'x-1: a\r\n', 'x-2: a\r\n'], 150);
    expect(received).toEqual(isTimeout);
    expect(ms / slowness()).toBeLessThan(1500);
  });

  it('without its body in time gets 408 and is closed, and nothing is stored', async () => {
    const head = `POST ${root}/Basic HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 300\r\n\r\n`;
    const { received, ms } = await talk([head, '{"resourceType"', ':"Basic",'], 150);
    expect(received).toEqual(isTimeout);
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(ms / slowness()).toBeLessThan(3000);
  });

  it('gets 408 also after it has sent content of unknown length, whose body may take any time', async () => {
    const content = `POST ${root}/Binary HTTP/1.1\r\nhost: localhost\r\ncontent-type: image/png\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
    const head = `POST ${root}/Basic HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 300\r\n\r\n`;
    const { received, ms } = await talk([content, head, '{"resourceType"', ':"Basic",'], 300);
    expect(received).toMatch(/^HTTP\/1\.1 201 [\s\S]*HTTP\/1\.1 408 /);
    expect(ms / slowness()).toBeLessThan(4000);
  });

  it('beyond the limit is closed, and one that comes when others have ended is served', async () => {
    const sockets = Array.from({ length: 12 }, open);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { received } = await talk([`GET ${root}/metadata HTTP/1.1\r\nhost: localhost\r\n\r\n`], 0);
    expect(received).toBe('');
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await send('GET', '/Basic/b')).status).toBe(200);
  });
});

it.each(TESTED_RELEASES)('a patch of %s that grows without end is refused within a second', async (release) => {
  const usual = await startServer({ database: server.database });
  const path = `${usual.path('system', release)}/Patient`;
  const { json } = await usual.request('POST', path, { resourceType: 'Patient', active: true });
  const contact = (length: number) => ({ op: 'add', path: '/contact', value: [{ name: { text: 'x'.repeat(length) } }] });
  const copies = (count: number, from: string, to: string) =>
    Array.from({ length: count }, () => ({ op: 'copy', from, path: to }));
  const send = (patch: readonly object[]) => usual.request('PATCH', `${path}/${json.id}`, patch);
  // The thread for long bodies takes a while to start.
  expect((await send([contact(500_000)])).status).toBe(200);
  for (const patch of [
    copies(1001, '/active', '/deceasedBoolean'),
    [contact(1000), ...copies(30, '/contact', '/contact/-')],
    Array.from({ length: 30 }, (_, index) => ({ op: 'copy', from: '', path: `/b${index}` })),
    [contact(10_000_000), ...copies(999, '/contact/0', '/contact/-')],
  ]) {
    const body = Buffer.from(JSON.stringify(patch));
    const began = performance.now();
    const { status } = await usual.request('PATCH', `${path}/${json.id}`, body);
    const ms = performance.now() - began;
    expect([413, 422]).toContain(status);
    if (ms > 1000) expect(ms / slowness()).toBeLessThan(1000);
  }
  expect((await usual.request('GET', `${path}/${json.id}`)).headers.etag).toBe('W/"2"');
  await usual.close();
}); // prettier-ignore

it('limits that contradict each other stop the start', async () => {
  const start = (environment: Record<string, string>): Promise<TestServer> =>
    startServer({ database: server.database, environment });
  await expect(start({ MAX_URL_BYTES: '65536' })).rejects.toThrow('MAX_HEADER_BYTES must be larger');
  await expect(start({ ARRIVAL_TIMEOUT_MS: '1000' })).rejects.toThrow('ARRIVAL_TIMEOUT_MS must be at least');
});
