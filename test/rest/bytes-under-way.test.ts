/** The limit on the memory of all bodies and answers of a process (MAX_BYTES_UNDER_WAY). */
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { eventually } from '../support/eventually';
import { startServer, type Answer, type TestServer } from '../support/server';

const MEGABYTE = 1024 * 1024;
const LARGEST = 4 * MEGABYTE;
let server: TestServer;
let root: string;
beforeAll(async () => {
  server = await startServer({
    because: 'MAX_BYTES_UNDER_WAY and REQUEST_TIMEOUT_MS',
    environment: {
      MAX_BYTES_UNDER_WAY: String(4 * LARGEST),
      VALIDATION: 'structure',
      REQUEST_TIMEOUT_MS: '3000',
    },
  });
  root = server.path('system', 'r4');
});
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

/** Asks until the status is this one. */
async function until(status: number, send: () => Promise<Answer>): Promise<Answer> {
  let answer: Answer | undefined;
  await eventually(async () => (answer = await send()).status === status);
  if (answer === undefined) throw new Error('nothing was sent');
  return answer;
}

it('a body beyond the memory of the server is 413 and states the limit', async () => {
  const { status, json } = await write('b', LARGEST + 1000);
  expect([status, json.issue[0].code]).toEqual([413, 'too-long']);
  expect(json.issue[0].diagnostics).toContain(`at most ${LARGEST} bytes (MAX_BYTES_UNDER_WAY)`);
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
  const socket = await begin(LARGEST - 1000, LARGEST - 2000);
  const refused = await until(503, () => write('d', MEGABYTE));
  expect([refused.status, refused.json.issue[0].code, refused.headers['retry-after']]).toEqual([503, 'throttled', '1']);
  const graphql = await server.request('POST', '/w/system/api/v1/graphql/r4', `{"query":"${' '.repeat(MEGABYTE)}"}`, { 'content-type': 'application/json' });
  expect([graphql.status, graphql.headers['retry-after']]).toEqual([503, '1']);
  expect((await server.request('GET', '/health/ready')).status).toBe(200);
  expect((await server.request('GET', `${root}/Binary/b?_elements=id`)).status).toBe(503);
  socket.destroy();
  expect((await until(201, () => write('d', MEGABYTE))).status).toBe(201);
}); // prettier-ignore

it('a length that is only declared reserves nothing', async () => {
  await Promise.all(Array.from({ length: 10 }, () => begin(LARGEST - 1000, 1000)));
  expect([200, 201]).toContain((await write('e', 3 * MEGABYTE)).status);
});

it('a batch that reads a large resource many times fails entry by entry', async () => {
  expect((await write('large', MEGABYTE)).status).toBe(201);
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
  // The memory is free again.
  expect((await write('large', 3 * MEGABYTE)).status).toBe(200);
});

it('a GraphQL answer that repeats one text by aliases is refused before it is made', async () => {
  expect([200, 201]).toContain((await write('text', MEGABYTE)).status);
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
    await new Promise((resolve) => socket.once('open', resolve));
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
  const socket = await begin(LARGEST - 1000, LARGEST - 2000);
  await until(503, () => write('c', MEGABYTE));
  expect(await connectWith(MEGABYTE)).toBe(1013);
  socket.destroy();
  await until(200, () => write('c', MEGABYTE));
  expect(await connectWith(MEGABYTE)).toBe('connection_ack');
});

it('a client that reads nothing of its answer loses its connection, and frees its memory', async () => {
  const { hostname, port } = new URL(server.base);
  expect([200, 201]).toContain((await write('unread', LARGEST - 1000)).status);
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
  expect([200, 201]).toContain((await until(200, () => write('unread', LARGEST - 1000))).status);
});
