/** Uploads and downloads of long content have no time limit but one on their pauses (TRANSFER_IDLE_MS). */
import { createHash, randomBytes } from 'node:crypto';
import { request as sendRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { startMeasuredServer, type MeasuredServer } from '../support/metrics';

const MB = 1024 * 1024;
/** More than the buffers of the connection hold. */
const CONTENT = randomBytes(40 * MB);
const REQUEST_MS = 1_000;
/** For so long a transfer is slow: longer than the deadline of its request, its grace, and the arrival of a body may take. */
const SLOW_MS = 3_500;

let server: MeasuredServer;
let root: string;
beforeAll(async () => {
  server = await startMeasuredServer({
    because: 'REQUEST_TIMEOUT_MS, ARRIVAL_TIMEOUT_MS and TRANSFER_IDLE_MS',
    environment: {
      REQUEST_TIMEOUT_MS: String(REQUEST_MS),
      HEADERS_TIMEOUT_MS: String(REQUEST_MS),
      ARRIVAL_TIMEOUT_MS: String(REQUEST_MS),
      TRANSFER_IDLE_MS: '2500',
    },
  });
  root = server.path('system', 'r4');
  await server.request('PUT', `${root}/Binary/long`, CONTENT, { 'content-type': 'video/mp4' });
});
afterAll(() => server.close());

interface Upload {
  readonly request: ClientRequest;
  readonly answered: Promise<IncomingMessage>;
}

function startUpload(id: string, length: number): Upload {
  const headers = { 'content-type': 'video/mp4', 'content-length': length };
  const request = sendRequest(`${server.base}${root}/Binary/${id}`, { method: 'PUT', headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  answered.catch(() => undefined);
  return { request, answered };
}

function startDownload(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sendRequest(`${server.base}${root}/Binary/long`, resolve).once('error', reject).end();
  });
}

const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

it('an upload that sends a little now and then is stored, however long it takes', async () => {
  const { request, answered } = startUpload('slow', CONTENT.length);
  const begun = performance.now();
  let at = 0;
  while (performance.now() - begun < SLOW_MS) {
    request.write(CONTENT.subarray(at, (at += 10_000)));
    await delay(20);
  }
  expect(at).toBeLessThan(CONTENT.length);
  request.end(CONTENT.subarray(at));
  const response = await answered;
  response.resume();
  expect(response.statusCode).toBe(201);
  const { bytes } = await server.request('GET', `${root}/Binary/slow`);
  expect(sum(bytes)).toBe(sum(CONTENT));
});

it('an upload that sends nothing more is refused, and leaves nothing', async () => {
  const { request, answered } = startUpload('silent', CONTENT.length);
  request.write(CONTENT.subarray(0, 3 * MB));
  const response = await answered;
  const text: string[] = [];
  for await (const piece of response) text.push(String(piece));
  request.destroy();
  expect(response.statusCode).toBe(408);
  expect(text.join('')).toContain('No byte of the body arrived for 3 seconds');
  expect((await server.request('GET', `${root}/Binary/silent`)).status).toBe(404);
});

it('a download that reads a little now and then is whole, however long it takes', async () => {
  const response = await startDownload();
  const begun = performance.now();
  const hash = createHash('sha256');
  let read = 0;
  for await (const piece of response) {
    hash.update(piece as Buffer);
    read += (piece as Buffer).length;
    if (performance.now() - begun < SLOW_MS && read < CONTENT.length / 2) await delay(20);
  }
  expect([read, hash.digest('hex')]).toEqual([CONTENT.length, sum(CONTENT)]);
});

it('a download that reads nothing more ends', async () => {
  const response = await startDownload();
  response.pause();
  const isUnderWay = async (): Promise<boolean> => (await server.metric('andiron_bytes_under_way')) > 0;
  await eventually(isUnderWay);
  await eventually(async () => !(await isUnderWay()));
  let read = 0;
  await expect(
    (async () => {
      for await (const piece of response) read += (piece as Buffer).length;
    })(),
  ).rejects.toThrow();
  expect(read).toBeLessThan(CONTENT.length);
});
