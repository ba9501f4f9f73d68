/** The largest content that MAX_BINARY_BYTES allows, 2,147,483,647 bytes: whole, by ranges, and in memory that does not grow with it. */
import { createCipheriv, createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request as sendRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openFakeBucket, type FakeBucket } from '../support/fake-bucket';
import { startProcess, type ServerProcess } from '../support/process';

const MB = 1024 * 1024;
const SIZE = 2_147_483_647;
/** Bytes of resident memory that the server may have at any moment: a fifth of the content. */
const MOST_MEMORY = 400 * MB;
const BLOCK = 16;

/** The bytes from `start` to before `end` of a content that is nowhere alike: each block is made from its number. */
function* content(start: number, end: number): Generator<Buffer> {
  const counter = Buffer.alloc(BLOCK);
  counter.writeBigUInt64BE(BigInt(Math.floor(start / BLOCK)), 8);
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(BLOCK, 7), counter);
  cipher.update(Buffer.alloc(start % BLOCK));
  for (let at = start; at < end; at += MB) yield cipher.update(Buffer.alloc(Math.min(MB, end - at)));
}

function sumOf(start: number, end: number): string {
  const hash = createHash('sha256');
  for (const piece of content(start, end)) hash.update(piece);
  return hash.digest('hex');
}

/** Highest resident memory of a process until now, in bytes. */
async function highestMemory(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Sends a request, with the pieces as its body. */
function open(
  address: string,
  options: RequestOptions,
  body: Iterable<Buffer> = [],
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(address, options, resolve);
    request.on('error', reject);
    pipeline(body, request).catch(reject);
  });
}

interface Loaded {
  readonly status: number | undefined;
  readonly range: string | undefined;
  readonly size: number;
  readonly sum: string;
}

async function load(address: string, headers: Readonly<Record<string, string>> = {}): Promise<Loaded> {
  const response = await open(address, { headers });
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of response) {
    hash.update(piece as Buffer);
    size += (piece as Buffer).length;
  }
  const { 'content-range': range } = response.headers;
  return { status: response.statusCode, range, size, sum: hash.digest('hex') };
}

describe.each(['database', 'folder', 'bucket'])('content of 2,147,483,647 bytes in the %s', (store) => {
  let folder: string;
  let bucket: FakeBucket;
  let server: ServerProcess;
  let address: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'andiron-content-'));
    bucket = await openFakeBucket({ folder });
    const environment = {
      ...(store === 'bucket' ? bucket.environment : {}),
      ...{ CONTENT_STORE: store, CONTENT_FOLDER: folder, MAX_BINARY_BYTES: String(SIZE) },
    };
    server = await startProcess({ environment });
    address = `${server.root('system', 'r4')}/Binary/large`;
  });
  afterAll(async () => {
    await server.close();
    await bucket.close();
    rmSync(folder, { recursive: true });
  });

  it('is stored', async () => {
    const headers = { 'content-type': 'video/mp4', 'content-length': SIZE };
    const begun = performance.now();
    const response = await open(address, { method: 'PUT', headers }, content(0, SIZE));
    const answer: string[] = [];
    for await (const piece of response) answer.push(String(piece));
    expect([response.statusCode, answer.join('')]).toEqual([201, expect.stringContaining(`${SIZE}`)]);
    report('up', begun);
  });

  it('is the same when it is loaded whole', async () => {
    const begun = performance.now();
    const { status, size, sum } = await load(address);
    report('down', begun);
    expect([status, size, sum]).toEqual([200, SIZE, sumOf(0, SIZE)]);
  });

  it.each([
    ['bytes=0-999', 0, 1000],
    [`bytes=${3 * MB - 7}-${8 * MB + 6}`, 3 * MB - 7, 8 * MB + 7],
    [`bytes=${SIZE - 20 * MB - 3}-`, SIZE - 20 * MB - 3, SIZE],
    ['bytes=-1', SIZE - 1, SIZE],
    [`bytes=${SIZE - 10}-${2 * SIZE}`, SIZE - 10, SIZE],
  ])('has the range %s', async (range, start, end) => {
    expect(await load(address, { range })).toEqual({
      status: 206,
      range: `bytes ${start}-${end - 1}/${SIZE}`,
      size: end - start,
      sum: sumOf(start, end),
    });
  });

  it('has no bytes from 2^31 on, and may not be one byte longer', async () => {
    const outside = await load(address, { range: 'bytes=2147483648-2147483700' });
    expect([outside.status, outside.range]).toEqual([416, `bytes */${SIZE}`]);
    const headers = { 'content-type': 'video/mp4', 'content-length': SIZE + 1, expect: '100-continue' };
    const refused = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = sendRequest(address, { method: 'PUT', headers }, resolve);
      request.on('error', reject);
      request.flushHeaders();
    });
    expect(refused.statusCode).toBe(413);
    refused.destroy();
  });

  it('has cost the server no more than 400 MB of memory', async () => {
    const highest = await highestMemory(server.processId);
    process.stdout.write(`${store}: highest memory ${Math.round(highest / MB)} MB\n`);
    expect(highest).toBeLessThan(MOST_MEMORY);
  });

  function report(way: string, begun: number): void {
    const seconds = (performance.now() - begun) / 1000;
    process.stdout.write(
      `${store}: ${way} ${seconds.toFixed(1)} s, ${Math.round(SIZE / MB / seconds)} MB/s\n`,
    );
  }
});
