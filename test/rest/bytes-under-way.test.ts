/** The limit on the memory of all bodies and answers of a process (MAX_BYTES_UNDER_WAY). */
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { eventually } from '../support/eventually';
import { startMeasuredServer, type MeasuredServer } from '../support/metrics';
import type { Answer } from '../support/server';

const MEGABYTE = 1024 * 1024;
const LARGEST = 4 * MEGABYTE;
const ENVIRONMENT = { MAX_BYTES_UNDER_WAY: String(4 * LARGEST), VALIDATION: 'structure' };
let server: MeasuredServer;
let root: string;
beforeAll(async () => {
  server = await startMeasuredServer({ because: 'MAX_BYTES_UNDER_WAY', environment: ENVIRONMENT });
  root = server.path('system', 'r4');
});
beforeEach(() => free());
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => server.close());

/** A Binary of about so many bytes. */
function binaryOf(id: string, bytes: number): string {
  const data = 'QUJD'.repeat(Math.floor((bytes - 100) / 4));
  return JSON.stringify({ resourceType: 'Binary', id, contentType: 'image/png', data });
}

function write(id: string, bytes: number, headers: Record<string, string> = {}): Promise<Answer> {
  return server.request('PUT', `${root}/Binary/${id}`, binaryOf(id, bytes), headers);
}

/** Sends a part of a body and then nothing more. */
async function begin(declared: number, sent: number): Promise<Socket> {
  const { hostname, port } = new URL(server.base);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const head = `PUT ${root}/Binary/slow HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${declared}\r\n\r\n`;
  socket.write(head);
  await new Promise((resolve) => socket.write(Buffer.alloc(sent, 0x20), resolve));
  return socket;
}

const UNDER_WAY = 'andiron_bytes_under_way';

/** Waits until the server holds nothing. A client has its answer a moment before. */
function free(of = server): Promise<void> {
  return eventually(async () => (await of.metric(UNDER_WAY)) === 0);
}

/** Sends all but the end of a body that needs the whole memory, and waits until the server holds it. */
async function fill(): Promise<Socket> {
  await free();
  const socket = await begin(LARGEST - 1000, LARGEST - 2000);
  await eventually(async () => (await server.metric(UNDER_WAY)) >= 4 * (LARGEST - 2000));
  return socket;
}

it('a body beyond the memory of the server is 413 and states the limit', async () => {
  const { status, json } = await write('b', LARGEST + 1000);
  expect([status, json.issue[0].code]).toEqual([413, 'too-long']);
  expect(json.issue[0].diagnostics).toContain(`at most ${LARGEST} bytes (MAX_BYTES_UNDER_WAY)`);
  await free();
  expect((await write('b', LARGEST - 1000)).status).toBe(201);
});

it('also where no length is declared, and where the body is compressed', async () => {
  expect((await write('c', 2 * LARGEST, { 'transfer-encoding': 'chunked' })).status).toBe(413);
  const bytes = gzipSync(binaryOf('c', 2 * LARGEST));
  expect(bytes.length).toBeLessThan(LARGEST / 10);
  const { status } = await server.request('PUT', `${root}/Binary/c`, bytes, { 'content-encoding': 'gzip' });
  expect(status).toBe(413);
});

it('requests beyond the free memory are 503 with Retry-After, small requests and health are answered', async () => {
  const socket = await fill();
  const refused = await write('d', MEGABYTE);
  expect([refused.status, refused.json.issue[0].code, refused.headers['retry-after']]).toEqual([503, 'throttled', '1']);
  const graphql = await server.request('POST', '/w/system/api/v1/graphql/r4', `{"query":"${' '.repeat(MEGABYTE)}"}`, { 'content-type': 'application/json' });
  expect([graphql.status, graphql.headers['retry-after']]).toEqual([503, '1']);
  expect((await server.request('GET', '/health/ready')).status).toBe(200);
  expect((await server.request('GET', `${root}/Binary/b?_elements=id`)).status).toBe(503);
  socket.destroy();
  await free();
  expect((await write('d', MEGABYTE)).status).toBe(201);
}); // prettier-ignore

it('a length that is only declared reserves nothing', async () => {
  await Promise.all(Array.from({ length: 10 }, () => begin(LARGEST - 1000, 1000)));
  expect([200, 201]).toContain((await write('e', 3 * MEGABYTE)).status);
});

it('a batch that reads a large resource many times fails entry by entry', async () => {
  expect((await write('large', MEGABYTE)).status).toBe(201);
  await free();
  const entry = Array.from({ length: 100 }, () => ({ request: { method: 'GET', url: 'Binary/large' } }));
  const { status, json } = await server.request('POST', root, {
    resourceType: 'Bundle',
    type: 'batch',
    entry,
  });
  expect(status).toBe(200);
  const statuses = json.entry.map((one: { response: { status: string } }) => one.response.status.slice(0, 3));
  expect(new Set(statuses)).toEqual(new Set(['200', '422']));
  expect(statuses.filter((one: string) => one === '200').length).toBeLessThan(6);
  await free();
  expect((await write('large', 3 * MEGABYTE)).status).toBe(200);
});

it('a GraphQL answer that repeats one text by aliases is refused before it is made', async () => {
  expect([200, 201]).toContain((await write('text', MEGABYTE)).status);
  await free();
  const aliases = Array.from({ length: 200 }, (_, at) => `a${at}: data`).join(' ');
  const query = `{ Binary(id: "text") { ${aliases} } }`;
  const { json } = await server.request('POST', '/w/system/api/v1/graphql/r4', { query }, { 'content-type': 'application/json' });
  expect(json.data).toBeNull();
  expect(json.errors).toHaveLength(1);
  expect(json.errors[0].extensions.resource.issue[0].code).toBe('too-costly');
}); // prettier-ignore

it('a message over a WebSocket that does not fit beside other bodies closes its connection with 1013', async () => {
  const url = `${server.base.replace('http', 'ws')}/w/system/api/v1/graphql/r4`;
  const connectWith = async (characters: number): Promise<number | string> => {
    const socket = new WebSocket(url, 'graphql-transport-ws');
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.send(JSON.stringify({ type: 'connection_init', payload: { note: 'a'.repeat(characters) } }));
    const ended = await new Promise<number | string>((resolve) => {
      socket.once('close', resolve);
      socket.once('message', (data: Buffer) =>
        resolve(String((JSON.parse(data.toString()) as { type: unknown }).type)),
      );
    });
    socket.terminate();
    return ended;
  };
  expect(await connectWith(MEGABYTE)).toBe('connection_ack');
  const socket = await fill();
  expect(await connectWith(MEGABYTE)).toBe(1013);
  socket.destroy();
  await free();
  expect(await connectWith(MEGABYTE)).toBe('connection_ack');
});

it('a client that reads nothing of its answer loses its connection, and frees its memory', async () => {
  expect([200, 201]).toContain((await write('unread', LARGEST - 1000)).status);
  const hasty = await startMeasuredServer({
    because: 'REQUEST_TIMEOUT_MS',
    database: server.database,
    environment: { ...ENVIRONMENT, REQUEST_TIMEOUT_MS: '3000' },
  });
  const { hostname, port } = new URL(hasty.base);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    `GET ${root}/Binary/unread HTTP/1.1\r\nhost: localhost\r\naccept: application/fhir+json\r\n\r\n`,
  );
  // Nothing is read, so that the end is not heard either: writing finds out.
  const writing = setInterval(() => socket.write('x'), 200);
  await closed;
  clearInterval(writing);
  await free(hasty);
  const large = binaryOf('unread', LARGEST - 1000);
  // A slow machine does not always write it within the time limit of this server.
  await eventually(async () => (await hasty.request('PUT', `${root}/Binary/unread`, large)).status === 200);
  await hasty.close();
});
