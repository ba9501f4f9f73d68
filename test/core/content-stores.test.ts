/** Where large content is stored: a folder and a bucket store exactly what was sent, or nothing. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createBucketStore } from '../../src/core/content/bucket-store';
import { createFolderStore } from '../../src/core/content/folder-store';
import { inChunks, type ObjectStore } from '../../src/core/content/object-store';
import { openFakeBucket, type FakeBucket } from '../support/fake-bucket';
import { silentLog } from '../support/log';

const MB = 1024 * 1024;
const KEY = { space: 7, id: '0b0a4f4c-1111-4222-8333-444455556666' };
const NO_SIGNAL = new AbortController().signal;

/** Bytes in pieces of odd sizes, as they come from a socket. */
async function* pieces(bytes: Buffer, failAt = Infinity): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length;) {
    const end = start + 61_111;
    await Promise.resolve();
    if (end > failAt) throw new Error('the client is gone');
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function readAll(store: ObjectStore, start: number, end: number): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const piece of store.get(KEY, { start, end })) read.push(piece);
  return Buffer.concat(read);
}

let folder: string;
let bucket: FakeBucket;
beforeAll(async () => {
  bucket = await openFakeBucket();
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'andiron-content-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  bucket.fault = undefined;
  bucket.objects.clear();
  bucket.uploads.clear();
});
afterAll(() => bucket.close());

const openFolder = (): ObjectStore => createFolderStore(folder, silentLog);
const openBucket = (): ObjectStore => createBucketStore(bucket.settings, silentLog);

describe.each([
  ['folder', openFolder],
  ['bucket', openBucket],
] as const)('a %s', (_name, open) => {
  it.each([0, 1, 5 * MB - 1, 5 * MB, 5 * MB + 1, 11 * MB + 3])('stores exactly %i bytes', async (size) => {
    const store = open();
    const bytes = randomBytes(size);
    await store.put(KEY, pieces(bytes), NO_SIGNAL);
    expect((await readAll(store, 0, size)).equals(bytes)).toBe(true);
    const middle = await readAll(store, Math.floor(size / 3), Math.floor(size / 2));
    expect(middle.equals(bytes.subarray(Math.floor(size / 3), Math.floor(size / 2)))).toBe(true);
    expect(bucket.refusals).toEqual([]);
  });

  it('has nothing to read after an upload that broke off', async () => {
    const store = open();
    await expect(store.put(KEY, pieces(randomBytes(12 * MB), 11 * MB), NO_SIGNAL)).rejects.toThrow(
      'the client is gone',
    );
    await expect(readAll(store, 0, 1)).rejects.toMatchObject({ key: 'contentUnavailable' });
    await store.remove(KEY);
    expect(bucket.uploads.size).toBe(0);
    expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).includes(KEY.id))).toEqual(
      [],
    );
  });

  it('removes an object, also one that is gone', async () => {
    const store = open();
    await store.put(KEY, pieces(randomBytes(100)), NO_SIGNAL);
    await store.remove(KEY);
    await store.remove(KEY);
    await expect(readAll(store, 0, 1)).rejects.toMatchObject({ key: 'contentUnavailable' });
  });

  it('refuses to read more than it has', async () => {
    const store = open();
    await store.put(KEY, pieces(randomBytes(100)), NO_SIGNAL);
    await expect(readAll(store, 0, 101)).rejects.toMatchObject({ key: 'contentUnavailable' });
  });
});

it('a folder notices that a file is shorter than it was', async () => {
  const store = openFolder();
  await store.put(KEY, pieces(randomBytes(1000)), NO_SIGNAL);
  truncateSync(path.join(folder, '7', KEY.id), 400);
  await expect(readAll(store, 0, 1000)).rejects.toMatchObject({ key: 'contentUnavailable' });
});

it('a bucket with another secret refuses every request', async () => {
  const store = createBucketStore({ ...bucket.settings, secret: 'another' }, silentLog);
  await expect(store.put(KEY, pieces(Buffer.from('text')), NO_SIGNAL)).rejects.toMatchObject({
    key: 'contentUnavailable',
  });
  expect(bucket.refusals.splice(0)).toEqual(['SignatureDoesNotMatch']);
  expect(bucket.objects.size).toBe(0);
});

it('a bucket that refuses a part has neither an object nor parts', async () => {
  bucket.fault = (method, url) =>
    method === 'PUT' && url.searchParams.get('partNumber') === '2' ? 400 : undefined;
  await expect(openBucket().put(KEY, pieces(randomBytes(11 * MB)), NO_SIGNAL)).rejects.toMatchObject({
    key: 'contentUnavailable',
  });
  expect([bucket.objects.size, bucket.uploads.size]).toEqual([0, 0]);
});

it('a bucket is asked again after a fault of its own', async () => {
  let faults = 2;
  bucket.fault = (method) => (method === 'PUT' && faults-- > 0 ? 503 : undefined);
  const bytes = randomBytes(1000);
  await openBucket().put(KEY, pieces(bytes), NO_SIGNAL);
  expect(bucket.objects.get(`7/${KEY.id}`)?.equals(bytes)).toBe(true);
});

it('anybody loads an object from its signed address, and from no other', async () => {
  const store = openBucket();
  await store.put(KEY, pieces(Buffer.from('a line\n')), NO_SIGNAL);
  const address = await store.address(KEY, { seconds: 60, contentType: 'application/fhir+ndjson' });
  const answer = await fetch(String(address));
  expect(answer.headers.get('content-type')).toBe('application/fhir+ndjson');
  expect(await answer.text()).toBe('a line\n');
  const other = String(address).replace('/7/', '/8/');
  expect((await fetch(other)).status).toBe(403);
  bucket.refusals.length = 0;
});

it('an upload that is given up ends', async () => {
  const given = new AbortController();
  given.abort(new Error('given up'));
  for (const store of [openFolder(), openBucket()])
    await expect(store.put(KEY, pieces(randomBytes(6 * MB)), given.signal)).rejects.toThrow('given up');
});

it('chunks have the size that was asked for, but the last', async () => {
  const sizes: number[] = [];
  for await (const chunk of inChunks(pieces(randomBytes(250_000)), 100_000)) sizes.push(chunk.length);
  expect(sizes).toEqual([100_000, 100_000, 50_000]);
});
